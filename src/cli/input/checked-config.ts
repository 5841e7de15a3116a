// Reads and checks a configuration whose files may be changing at this moment, for a start, a reload and `portico check`.
// config-check-thread.ts and read-at-start.ts run it.

import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { ConfigTexts } from '../../config/load.ts';
import type { CliContext } from '../context/context.ts';
import { fileError, readTexts } from './config-files.ts';
import { readConfig } from './read-config.ts';

/** What a check covers. `fixtures: false`: recorded cases are not replayed. */
export type CheckScope = { readonly fixtures?: boolean };

/** The texts of a sound configuration, and how many recorded cases it replays. */
export type CheckedTexts = { readonly texts: ConfigTexts; readonly replayed: number };

/** Reads and compiles the files, and replays recorded cases. @throws ConfigError with every problem */
async function readChecked(
  gatewayFile: string,
  variables: CliContext['env'],
  { fixtures = true }: CheckScope,
): Promise<CheckedTexts> {
  const { texts, sources } = readConfig(gatewayFile, variables);
  if (!fixtures) return { texts, replayed: 0 };
  // Loaded for a replay alone: it brings all that asks a source, and each start of a gateway would wait for it.
  const { checkFixtures } = await import('./check-fixtures.ts');
  return { texts, replayed: await checkFixtures(sources) };
}

const AGAIN_MAX = 5;
const AGAIN_MS = 100;

/** The texts of the files, without those they refer to; `undefined` if one cannot be read, as while files are exchanged. */
function readFilesNow(gatewayFile: string): ConfigTexts['files'] | undefined {
  try {
    return readTexts(gatewayFile, { references: {} }).files;
  } catch {
    return undefined;
  }
}

/**
 * Reads a configuration until its texts are those of the files before and after, because files may be written one by one while
 * they are read. Such a mixture of old and new files must neither be served nor refused.
 * @throws ConfigError with every problem
 */
export async function readSettled<Read extends { readonly texts: ConfigTexts }>(
  gatewayFile: string,
  read: () => Read | Promise<Read>,
): Promise<Read> {
  for (let again = 0; again < AGAIN_MAX; again += 1) {
    const before = readFilesNow(gatewayFile);
    try {
      const checked = await read();
      if (isDeepStrictEqual(readTexts(gatewayFile, checked.texts), checked.texts)) return checked;
    } catch (error) {
      if (isDeepStrictEqual(readFilesNow(gatewayFile), before)) throw error;
    }
    await delay(AGAIN_MS);
  }
  const hint = 'write them beside the old ones and move them, then reload again';
  throw fileError(gatewayFile, 'the files change while they are read', hint);
}

/** The texts of a sound configuration. @throws ConfigError with every problem */
export function readSettledTexts(
  gatewayFile: string,
  variables: CliContext['env'],
  options: CheckScope = {},
): Promise<CheckedTexts> {
  return readSettled(gatewayFile, () => readChecked(gatewayFile, variables, options));
}
