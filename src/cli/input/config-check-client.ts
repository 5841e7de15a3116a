import { once } from 'node:events';
import { extname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { ConfigError } from '../../config/yaml/problem.ts';
import { createSerialQueue } from '../../kernel/semaphore.ts';
import type { CheckedTexts, CheckScope } from './checked-config.ts';
import type { CheckingData, CheckingResult } from './config-check-thread.ts';

/** The same extension as this file: `.ts` where Node strips the types itself, `.js` where they were compiled away. */
const THREAD = new URL(`./config-check-thread${extname(import.meta.url)}`, import.meta.url);

/** How long a thread without work is kept: an operator who corrects a refused file reloads again soon. */
const IDLE_MS = 30_000;
/** How long a check may take. */
const CHECK_MS = 10_000;
/** A process that gets little of the processor needs longer for the same; that has an end, too. */
const STARVED_TIMES = 6;
const LOOKS = 20;

/** How a thread is bounded and kept. `cpuMs`: the time that this process has had of the processors. */
export type CheckBounds = {
  readonly cpuMs: () => number;
  readonly checkMs?: number;
  readonly idleMs?: number;
};

/**
 * Resolves once a check has had its time: by the clock and by the time of the processors, because a machine that is busy with
 * other things must not make a sound configuration unsound. What the rest of this process takes counts, too.
 */
async function timeIsOver(checkMs: number, cpuMs: () => number, signal: AbortSignal): Promise<void> {
  const [since, cpuSince] = [performance.now(), cpuMs()];
  for (;;) {
    await delay(checkMs / LOOKS, undefined, { signal, ref: false });
    const passed = performance.now() - since;
    if (passed >= checkMs && (cpuMs() - cpuSince >= checkMs || passed >= checkMs * STARVED_TIMES)) return;
  }
}

/**
 * Makes the function that reads and checks a configuration in a thread of its own, which starts with the first question
 * and ends after a while without one, or with a check that takes too long.
 * @throws ConfigError with every problem, from the function
 */
export function createCheckInThread(
  data: CheckingData,
  { cpuMs, checkMs = CHECK_MS, idleMs = IDLE_MS }: CheckBounds,
): (options?: CheckScope) => Promise<CheckedTexts> {
  const oneByOne = createSerialQueue();
  let thread: Worker | undefined;
  let idle: NodeJS.Timeout | undefined;

  function start(): Worker {
    const started = new Worker(THREAD, { workerData: data });
    started.unref();
    started.on('exit', () => {
      if (thread === started) thread = undefined;
    });
    return started;
  }

  function end(asked: Worker): void {
    // A thread that is ending takes no question any more, although its end is told later.
    if (thread === asked) thread = undefined;
    void asked.terminate();
  }

  const tooSlow: CheckingResult = {
    kind: 'problems',
    problems: [
      {
        file: data.configFile,
        path: '',
        message: `reading and checking the files took longer than ${checkMs / 1_000} s, and was ended`,
        hint: 'look for large files, many aliases or slow patterns; portico check --no-fixtures leaves recorded cases out',
      },
    ],
  };

  async function ask(options: CheckScope): Promise<CheckingResult> {
    clearTimeout(idle);
    const asked = (thread ??= start());
    const ended = new AbortController();
    const { signal } = ended;
    const answer = once(asked, 'message', { signal }) as Promise<[CheckingResult]>;
    const exit = once(asked, 'exit', { signal }).then(() => {
      throw new Error('the check of the configuration has ended without an answer');
    });
    const late = timeIsOver(checkMs, cpuMs, signal).then(() => {
      end(asked);
      return [tooSlow] as const;
    });
    asked.postMessage(options);
    try {
      const [result] = await Promise.race([answer, exit, late]);
      return result;
    } finally {
      ended.abort();
      await Promise.allSettled([answer, exit, late]);
      idle = setTimeout(() => end(asked), idleMs).unref();
    }
  }

  return (options = {}) =>
    oneByOne(async () => {
      const result = await ask(options);
      if (result.kind === 'sound') return result.checked;
      if (result.kind === 'problems') throw new ConfigError(result.problems);
      throw new Error(result.message);
    });
}
