// Reads the first configuration of a gateway, which serves nobody yet.

import { runInNewContext } from 'node:vm';
import { readSettled } from './checked-config.ts';
import { type CheckContext, readInThread } from './config-check-client.ts';
import { readConfig, type ReadyConfig } from './read-config.ts';

/** How long a start reads its files itself. Three hundred source files take 4 s. */
const READ_MS = 5_000;

const isTimeout = (error: unknown) =>
  (error as NodeJS.ErrnoException | undefined)?.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';

/**
 * Reads and compiles the first configuration in this thread, because a thread of its own loads all code once more, which would
 * double the time of a start. What is not done in time is ended, and left to the thread with its larger bound.
 * @throws ConfigError with every problem of all files
 */
export async function readAtStart(
  configFile: string,
  context: CheckContext,
  readMs = READ_MS,
): Promise<ReadyConfig> {
  const read = () => readConfig(configFile, context.env);
  try {
    // The time limit of a script also ends the functions that the script calls.
    return await readSettled(
      configFile,
      () => runInNewContext('read()', { read }, { timeout: readMs }) as ReadyConfig,
    );
  } catch (error) {
    if (!isTimeout(error)) throw error;
    return (await readInThread(configFile, context, { fixtures: false })).ready;
  }
}
