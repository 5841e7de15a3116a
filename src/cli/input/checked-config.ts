import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { ConfigTexts } from '../../config/load.ts';
import { ConfigError } from '../../config/yaml/problem.ts';
import { checkFixtures } from '../../workbench/recordings/check-fixtures.ts';
import type { CliContext } from '../context/context.ts';
import { readConfig, readTexts } from './read-config.ts';

/** What is checked: `fixtures: false` leaves recorded cases out. */
export type CheckScope = { readonly fixtures?: boolean };

/** The texts of a sound configuration, and how many recorded cases it replays. */
export type CheckedTexts = { readonly texts: ConfigTexts; readonly replayed: number };

/** Reads, compiles and replays. @throws ConfigError with every problem */
async function readChecked(
  gatewayFile: string,
  variables: CliContext['env'],
  { fixtures = true }: CheckScope,
): Promise<CheckedTexts> {
  const { texts, sources } = readConfig(gatewayFile, variables);
  return { texts, replayed: fixtures ? await checkFixtures(sources) : 0 };
}

const AGAIN_MAX = 5;
const AGAIN_MS = 100;

/** The texts of the files without what they refer to; `undefined` if one cannot be read, as while they are swapped. */
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
  options: CheckScope = {},
): Promise<CheckedTexts> {
  for (let again = 0; again < AGAIN_MAX; again += 1) {
    const before = readFilesNow(gatewayFile);
    try {
      const checked = await readChecked(gatewayFile, variables, options);
      if (isDeepStrictEqual(readTexts(gatewayFile, checked.texts), checked.texts)) return checked;
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
