// The thread that checks a configuration; config-check-client.ts starts it.

import { parentPort, workerData } from 'node:worker_threads';
import { ConfigError, type Problem } from '../../config/yaml/problem.ts';
import { type CheckedTexts, type CheckScope, readSettledTexts } from './checked-config.ts';

/*
 * The entry of a thread that checks a configuration for `portico check`, the start and reloads. Parsing files and replaying
 * cases takes a second, in which a process could answer nobody. A check that takes too long can be ended with its thread.
 */

/** What is checked, and with which variables. */
export type CheckingData = {
  readonly configFile: string;
  readonly variables: Readonly<Record<string, string | undefined>>;
};

/** The texts of a sound configuration, its problems, or why the check failed. */
export type CheckingResult =
  | { readonly kind: 'sound'; readonly checked: CheckedTexts }
  | { readonly kind: 'problems'; readonly problems: readonly Problem[] }
  | { readonly kind: 'failed'; readonly message: string };

const { configFile, variables } = workerData as CheckingData;

async function check(options: CheckScope): Promise<CheckingResult> {
  try {
    return { kind: 'sound', checked: await readSettledTexts(configFile, variables, options) };
  } catch (error) {
    if (error instanceof ConfigError) return { kind: 'problems', problems: error.problems };
    return { kind: 'failed', message: error instanceof Error ? error.message : 'it cannot be read' };
  }
}

parentPort?.on('message', (options: CheckScope) => {
  void check(options).then((result) => parentPort?.postMessage(result));
});
