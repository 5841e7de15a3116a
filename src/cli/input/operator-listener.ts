import { readFileSync } from 'node:fs';
import { type UsableSections, loadUsableSections } from '../../config/load-partial.ts';
import { adminAddress } from '../../explain/fetch-quality.ts';
import { type CliContext, ExitError, exitCodes } from '../context.ts';
import { liveEnvironment } from './read-config.ts';

/** Where a gateway is asked, and with which token. */
export type OperatorListener = { readonly address: string; readonly token: string | undefined };

/** The variable with the token of the operator's listener. */
export const TOKEN_VARIABLE = 'PORTICO_ADMIN_TOKEN';

/** A file that is broken elsewhere still says where the gateway listens: that is when an operator needs it most. */
function readParts(configFile: string, context: CliContext): UsableSections | undefined {
  try {
    const text = readFileSync(configFile, 'utf8');
    return loadUsableSections({ file: configFile, text }, liveEnvironment(context.env));
  } catch {
    return undefined;
  }
}

/**
 * The operator's listener: the one that is named, else that of the configuration. The token comes from the file that is
 * named, the variable, or the configuration.
 * @throws ExitError where the configuration does not say where it is
 */
export function findListener(
  named: {
    readonly address?: string | undefined;
    readonly tokenFile?: string | undefined;
    readonly option: string;
  },
  configFile: string,
  context: CliContext,
): OperatorListener {
  const admin = readParts(configFile, context)?.admin;
  const address = named.address ?? (admin && adminAddress(admin));
  if (address === undefined) {
    context.err(
      `portico: ${configFile} does not say where the operator's listener is: name it with ${named.option} http://127.0.0.1:9090\n`,
    );
    throw new ExitError(exitCodes.config);
  }
  const own =
    named.tokenFile === undefined
      ? context.env[TOKEN_VARIABLE]
      : readFileSync(named.tokenFile, 'utf8').trim();
  const known = admin?.tokens.find(({ role, token }) => role === 'operator' && token !== undefined);
  const token = own === undefined || own === '' ? (admin?.token ?? known?.token)?.reveal() : own;
  return { address: address.replace(/\/+$/, ''), token };
}
