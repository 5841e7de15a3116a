// Serves a gateway for a person who tries it with `portico demo` or `portico try`: in one process, with a key for one run.

import { once } from 'node:events';
import type { Secret } from '../../kernel/secret.ts';
import type { KeyRecordConfig } from '../../config/schema/access.ts';
import {
  hashApiKey,
  newApiKey,
  newKeyId,
  parseApiKey,
} from '../../pipeline/stages/authentication/api-key.ts';
import { quoted } from '../output/plain-output.ts';
import type { ConfigTexts } from '../../config/load.ts';
import { type CliContext, ExitError, exitCodes } from '../context/context.ts';
import type { ServedConfig } from '../../gateway/reload/snapshot.ts';
import { openGatewayLog, startGateway } from './start.ts';

/** The key that one run of a command accepts: that of the environment, or a new one. @throws ExitError if it is unusable */
export function temporaryKey(variable: string, context: CliContext): string {
  const given = context.env[variable];
  if (given === undefined || given === '') return newApiKey(newKeyId());
  if (/^[\x21-\x7e]{8,512}$/.test(given)) return given;
  const problem = `${variable} must be 8 to 512 visible ASCII characters, without spaces`;
  throw new ExitError(exitCodes.config, problem);
}

/** The entry of a key for `auth.apiKeys.keys`. */
export function keyEntry(
  key: string,
  pepper: Secret,
  about: Pick<KeyRecordConfig, 'id' | 'label' | 'permissions' | 'tier'>,
): KeyRecordConfig {
  return { ...about, id: parseApiKey(key)?.id ?? about.id, hash: hashApiKey(pepper, key) };
}

/** An option of curl with a key, quoted for a shell. */
export function keyHeader(key: string): string {
  return quoted(`Authorization: Bearer ${key}`);
}

/**
 * Serves a configuration in this process until it is asked to stop. `instructions` are printed once it listens; they
 * are given the addresses of both listeners.
 */
export async function serveEmbedded(
  ready: ServedConfig & { readonly texts?: ConfigTexts },
  context: CliContext,
  instructions: (base: string, admin: string) => string,
): Promise<void> {
  const { gateway, port, adminPort } = await startGateway(
    ready,
    context,
    openGatewayLog(ready, { write: context.err }),
  );
  context.out(instructions(`http://127.0.0.1:${port}`, `http://127.0.0.1:${adminPort}`));
  if (!context.stop.aborted) await once(context.stop, 'abort');
  await gateway.drain();
  context.out('Stopped.\n');
}
