import { finishSteps } from '../../kernel/yield-to-loop.ts';
import type { CliContext } from '../context/context.ts';
import type { CheckScope } from './checked-config.ts';
import { createCheckInThread } from './config-check-client.ts';
import { readConfigTexts, type ReadyConfig } from './read-config.ts';

/**
 * Reads and compiles a configuration once it was found sound in a thread, which ends a check that takes too long. `replayed`:
 * how many recorded cases it replays.
 * @throws ConfigError with every problem of all files
 */
export async function readInThread(
  configFile: string,
  { env, processes: { cpuMs } }: CliContext,
  { fixtures = true }: CheckScope,
): Promise<{ readonly ready: ReadyConfig; readonly replayed: number }> {
  const check = createCheckInThread({ configFile, variables: { ...env } }, { cpuMs, idleMs: 0 });
  const { texts, replayed } = await check({ fixtures });
  return { ready: finishSteps(readConfigTexts(texts, env)), replayed };
}
