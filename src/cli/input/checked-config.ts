import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { ConfigTexts } from '../../config/load.ts';
import { ConfigError } from '../../config/problem.ts';
import { checkFixtures } from '../../fixtures/check-fixtures.ts';
import type { CliContext } from '../context.ts';
import { type ReadyConfig, readConfig, readTexts } from './read-config.ts';

/** A sound configuration, and how many recorded cases it replays. */
export type CheckedFiles = ReadyConfig & { readonly replayed: number };

/**
 * Reads, compiles and replays, as `portico check` and every reload do.
 * @throws ConfigError with every problem
 */
export async function readChecked(
  gatewayFile: string,
  variables: CliContext['env'],
  { fixtures = true } = {},
): Promise<CheckedFiles> {
  const ready = readConfig(gatewayFile, variables);
  return { ...ready, replayed: fixtures ? await checkFixtures(ready.sources) : 0 };
}

const AGAIN_MAX = 5;
const AGAIN_MS = 100;

/** The texts of the files without what they refer to; `undefined` where one cannot be read, as while they are swapped. */
function readFilesNow(gatewayFile: string): ConfigTexts['files'] | undefined {
  try {
    return readTexts(gatewayFile, { references: {} }).files;
  } catch {
    return undefined;
  }
}

/**
 * The texts of a sound configuration. They are read until two readings agree: files that are written one by one, or
 * swapped while they are read, must not become a mixture. A mixture must not be refused either.
 * @throws ConfigError with every problem
 */
export async function readSettledTexts(
  gatewayFile: string,
  variables: CliContext['env'],
): Promise<ConfigTexts> {
  for (let again = 0; again < AGAIN_MAX; again += 1) {
    const before = readFilesNow(gatewayFile);
    try {
      const { texts } = await readChecked(gatewayFile, variables);
      if (isDeepStrictEqual(readTexts(gatewayFile, texts), texts)) return texts;
    } catch (error) {
      if (isDeepStrictEqual(readFilesNow(gatewayFile), before)) throw error;
    }
    await delay(AGAIN_MS);
  }
  const problem = {
    file: gatewayFile,
    path: '',
    message: 'the files change while they are read',
    hint: 'write them beside the old ones and move them, then reload again',
  };
  throw new ConfigError([problem]);
}
