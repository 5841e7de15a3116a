// Checks a configuration in a thread, for a reload, `portico check` and a gateway in another program, which go on meanwhile.

import { once } from 'node:events';
import { extname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { ConfigError } from '../../config/yaml/problem.ts';
import { createSerialQueue } from '../../kernel/semaphore.ts';
import { finishSteps, finishStepsInTurns } from '../../kernel/yield-to-loop.ts';
import type { CliContext, Processes } from '../context/context.ts';
import type { CheckedTexts, CheckScope } from './checked-config.ts';
import type { CheckingData, CheckingResult } from './config-check-thread.ts';
import { readConfigTexts, type ReadyConfig } from './read-config.ts';

/** The file of the thread. It has the extension of this file: `.ts` if Node strips the types, `.js` after the build. */
const THREAD = new URL(`./config-check-thread${extname(import.meta.url)}`, import.meta.url);

/** How long a thread without work is kept, because an operator who corrects a refused file soon reloads again. */
const IDLE_MS = 30_000;
/** How long a check may take. */
const CHECK_MS = 10_000;
/** A process that gets little processor time may take this many times as long. */
const STARVED_TIMES = 6;
/** How often the time of a check is compared with its bound while it runs. */
const TIME_READINGS = 20;

/** How long a check may take, and how long an idle thread is kept. `cpuMs`: the processor time of this process. */
export type CheckBounds = {
  readonly cpuMs: () => number;
  /** Ends the thread, because the process or a gateway in it ends. */
  readonly stop?: AbortSignal;
  readonly checkMs?: number;
  readonly idleMs?: number;
};

/**
 * Resolves once a check has had its time by the clock and by processor time, because a sound configuration must not be
 * refused only because the machine is busy. The processor time of the rest of this process counts, too.
 */
async function timeIsOver(checkMs: number, cpuMs: () => number, signal: AbortSignal): Promise<void> {
  const [since, cpuSince] = [performance.now(), cpuMs()];
  for (;;) {
    await delay(checkMs / TIME_READINGS, undefined, { signal, ref: false });
    const passed = performance.now() - since;
    if (passed >= checkMs && (cpuMs() - cpuSince >= checkMs || passed >= checkMs * STARVED_TIMES)) return;
  }
}

/**
 * Makes the function that reads and checks a configuration in a thread of its own. The thread starts with the first check
 * and ends after a while without one, or with a check that takes too long.
 * @throws ConfigError with every problem, from the function
 * @internal
 */
export function createCheckInThread(
  data: CheckingData,
  { cpuMs, stop, checkMs = CHECK_MS, idleMs = IDLE_MS }: CheckBounds,
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
    // A thread that is ending accepts no check any more, but its event `exit` comes later.
    if (thread === asked) thread = undefined;
    void asked.terminate();
  }

  stop?.addEventListener('abort', () => {
    clearTimeout(idle);
    if (thread !== undefined) end(thread);
  });

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

/** What a check uses of a process. */
export type CheckContext = Pick<CliContext, 'env' | 'stop'> & {
  readonly processes: Pick<Processes, 'cpuMs'>;
};

/** Makes the check in a thread for the configuration of a process. */
function createCheck(configFile: string, { env, stop, processes: { cpuMs } }: CheckContext, idleMs?: number) {
  return createCheckInThread(
    { configFile, variables: { ...env } },
    { cpuMs, stop, ...(idleMs !== undefined && { idleMs }) },
  );
}

/**
 * Reads and compiles a configuration, once a thread has found it sound; a check that takes too long is ended. `replayed` is the
 * number of recorded cases that were replayed.
 * @throws ConfigError with every problem of all files
 */
export async function readInThread(
  configFile: string,
  context: CheckContext,
  { fixtures = true }: CheckScope,
) {
  const { texts, replayed } = await createCheck(configFile, context, 0)({ fixtures });
  return { ready: finishSteps(readConfigTexts(texts, context.env)), replayed };
}

/**
 * Makes the function that reads the configuration again while another one is served. The new one is checked in a thread, and
 * only a sound one is compiled here, a file at a time.
 * @throws ConfigError with every problem, from the function
 */
export function createConfigReader(configFile: string, context: CheckContext): () => Promise<ReadyConfig> {
  const check = createCheck(configFile, context);
  return async () => finishStepsInTurns(readConfigTexts((await check()).texts, context.env));
}
