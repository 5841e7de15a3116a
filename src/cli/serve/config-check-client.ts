import { once } from 'node:events';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { ConfigTexts } from '../../config/load.ts';
import { ConfigError } from '../../config/problem.ts';
import { createSerialQueue } from '../../kernel/serial-queue.ts';
import type { CheckingData, CheckingResult } from './config-check-thread.ts';

/** The same extension as this file: `.ts` where Node strips the types itself, `.js` where they were compiled away. */
const THREAD = new URL(`./config-check-thread${extname(import.meta.url)}`, import.meta.url);

/** How long a thread without work is kept: an operator who corrects a refused file reloads again soon. */
const IDLE_MS = 30_000;

/**
 * Makes the function that reads and checks a configuration in a thread of its own, which starts with the first question
 * and ends after a while without one.
 * @throws ConfigError with every problem, from the function
 */
export function createCheckInThread(data: CheckingData): () => Promise<ConfigTexts> {
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

  async function ask(): Promise<CheckingResult> {
    clearTimeout(idle);
    const asked = (thread ??= start());
    const ended = new AbortController();
    const answer = once(asked, 'message', { signal: ended.signal }) as Promise<[CheckingResult]>;
    const exit = once(asked, 'exit', { signal: ended.signal }).then(() => {
      throw new Error('the check of the configuration has ended without an answer');
    });
    asked.postMessage('check');
    try {
      const [result] = await Promise.race([answer, exit]);
      return result;
    } finally {
      ended.abort();
      await Promise.allSettled([answer, exit]);
      idle = setTimeout(() => end(asked), IDLE_MS).unref();
    }
  }

  return () =>
    oneByOne(async () => {
      const result = await ask();
      if (result.kind === 'sound') return result.texts;
      if (result.kind === 'problems') throw new ConfigError(result.problems);
      throw new Error(result.message);
    });
}
