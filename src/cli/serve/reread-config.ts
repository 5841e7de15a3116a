import { finishStepsInTurns } from '../../kernel/yield-to-loop.ts';
import type { SoundConfig } from '../../gateway/reload/reload-outcome.ts';
import type { CliContext } from '../context/context.ts';
import { readConfigTexts } from '../input/read-config.ts';
import { createCheckInThread } from '../input/config-check-client.ts';

/**
 * Makes the function that reads the configuration again while another one is served: the new one is checked in a thread, and
 * only a sound one is compiled here, a file at a time.
 * @throws ConfigError with every problem, from the function
 */
export function createConfigReader(
  configFile: string,
  { env, processes: { cpuMs } }: CliContext,
): () => Promise<SoundConfig> {
  const check = createCheckInThread({ configFile, variables: { ...env } }, { cpuMs });
  return async () => finishStepsInTurns(readConfigTexts((await check()).texts, env));
}
