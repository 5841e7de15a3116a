import { parentPort, workerData } from 'node:worker_threads';
import type { ConfigTexts } from '../../config/load.ts';
import { ConfigError, type Problem } from '../../config/problem.ts';
import { readSettledTexts } from '../input/checked-config.ts';

/*
 * The entry of a thread that checks a configuration as `portico check` does: parsing files and replaying recorded cases
 * takes a second, in which the process that serves would answer nobody.
 */

/** What is checked, and with which variables. */
export type CheckingData = {
  readonly configFile: string;
  readonly variables: Readonly<Record<string, string | undefined>>;
};

/** The texts of a sound configuration, or why it is none. */
export type CheckingResult =
  | { readonly kind: 'sound'; readonly texts: ConfigTexts }
  | { readonly kind: 'problems'; readonly problems: readonly Problem[] }
  | { readonly kind: 'failed'; readonly message: string };

const { configFile, variables } = workerData as CheckingData;

async function check(): Promise<CheckingResult> {
  try {
    return { kind: 'sound', texts: await readSettledTexts(configFile, variables) };
  } catch (error) {
    if (error instanceof ConfigError) return { kind: 'problems', problems: error.problems };
    return { kind: 'failed', message: error instanceof Error ? error.message : 'it cannot be read' };
  }
}

parentPort?.on('message', () => {
  void check().then((result) => parentPort?.postMessage(result));
});
