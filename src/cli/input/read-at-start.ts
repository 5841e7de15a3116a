// Reads and compiles the configuration with which a gateway starts: in the main thread, or in another one if it takes too long.

import { runInNewContext } from 'node:vm';
import { readSettled } from './checked-config.ts';
import { type CheckContext, readInThread } from './config-check-client.ts';
import { readConfig, type ReadyConfig } from './read-config.ts';

/** How long the main thread may read the files. Three hundred source files take 4 s. */
const READ_MS = 5_000;

const isTimeout = (error: unknown) =>
  (error as NodeJS.ErrnoException | undefined)?.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';

/**
 * Reads and compiles the first configuration in this thread, because another thread has to load all code once more, which
 * doubles the time of a start. If the reading is not done in time, it is ended, and another thread reads with a longer limit.
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
