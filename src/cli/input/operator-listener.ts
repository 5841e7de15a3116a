// Finds the operator's listener that a command asks, and the token for it: named on the command line, or in the
// configuration.

import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import type { GatewayConfig } from '../../config/schema/gateway.ts';
import { type CliContext, ExitError, exitCodes } from '../context/context.ts';
import { readUsableSections } from './read-config.ts';

/** The variable with the token of the operator's listener. */
export const TOKEN_VARIABLE = 'PORTICO_ADMIN_TOKEN';

/** The address of the operator's listener, as seen from the same machine. */
function adminAddress({ host, port }: GatewayConfig['admin']): string {
  const near = host === '0.0.0.0' || host === '' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${near.includes(':') ? `[${near}]` : near}:${port}`;
}

/** The operator's own token: from a file if the command names one, else from the variable. */
export function ownToken(tokenFile: string | undefined, env: CliContext['env']): string | undefined {
  const text = tokenFile === undefined ? env[TOKEN_VARIABLE] : readFileSync(tokenFile, 'utf8').trim();
  return text === '' ? undefined : text;
}

/** Adds the options by which a command names the operator's listener of a gateway, and `--json`; `flag` spells the first one. */
export function addListenerOptions(
  command: Command,
  flag = '--gateway <url>',
  meaning = "the operator's listener, if it is not the one of the configuration",
): Command {
  return command
    .option(flag, meaning)
    .option('--token-file <file>', `a file with its token; default: the variable ${TOKEN_VARIABLE}`)
    .option('--json', 'answer in JSON');
}

/**
 * The address of an operator's listener, and the token for it. The listener is the one that the command names, or else the
 * one of the configuration. The token is the operator's own, or else the one of the configuration.
 * @throws ExitError if neither names the listener
 */
export function findListener(
  named: {
    readonly address?: string | undefined;
    readonly tokenFile?: string | undefined;
  },
  configFile: string,
  context: CliContext,
) {
  // A file that is broken elsewhere still says where the gateway listens. Operators need that most when a file is broken.
  const { admin } = readUsableSections(configFile, context.env);
  const address = named.address ?? (admin && adminAddress(admin));
  if (address === undefined)
    throw new ExitError(
      exitCodes.config,
      `${configFile} does not say where the operator's listener is: name it with --gateway http://127.0.0.1:9090`,
    );
  const tokens = admin?.tokens.filter(({ token }) => token !== undefined) ?? [];
  const known = tokens.find(({ role }) => role === 'operator') ?? tokens[0];
  const token = ownToken(named.tokenFile, context.env) ?? (admin?.token ?? known?.token)?.reveal();
  return { address: address.replace(/\/+$/, ''), token };
}
