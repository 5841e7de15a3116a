// A primary's connection to one worker: it sends questions, and matches the answers by number.

import type { FromWorker, WorkerCounts, WorkerProcess, WorkerQuery } from './messages.ts';

/** The error if a worker has not answered in time. It is not known whether the worker does what it was asked for. */
export class NoAnswerError extends Error {
  constructor() {
    super('the worker does not answer');
  }
}

/** A primary's connection to one worker. */
export type WorkerLink = ReturnType<typeof createWorkerLink>;

type PendingQuery = { readonly resolve: (value: unknown) => void; readonly reject: (error: Error) => void };

/** Connects to a worker. `onMessage` receives everything that is not an answer. */
export function createWorkerLink(process: WorkerProcess, onMessage: (message: FromWorker) => void) {
  const pending = new Map<number, PendingQuery>();
  let lastNumber = 0;
  let counts: WorkerCounts | undefined;

  process.onMessage((message) => {
    if (message.kind === 'left') counts = message.counts;
    if (message.kind !== 'answer') {
      onMessage(message);
      return;
    }
    const { number, value, problem } = message;
    if (problem === undefined) pending.get(number)?.resolve(value);
    else pending.get(number)?.reject(new Error(problem));
  });
  process.onExit(() => {
    for (const { reject } of pending.values()) reject(new Error('the worker has ended'));
  });

  async function answerTo(query: WorkerQuery, timeoutMs: number): Promise<unknown> {
    const number = (lastNumber += 1);
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const timer = setTimeout(() => reject(new NoAnswerError()), timeoutMs);
    pending.set(number, { resolve, reject });
    // If the query cannot be written as a message, only this question fails, not the primary.
    process.send({ kind: 'ask', number, query }).catch(reject);
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      pending.delete(number);
    }
  }

  return {
    process,
    /** The counts of the worker's last answer. */
    get counts(): WorkerCounts | undefined {
      return counts;
    },
    /** Asks the worker. @throws Error if the worker fails or has ended; NoAnswerError if it does not answer in time */
    async ask(query: WorkerQuery, timeoutMs: number): Promise<unknown> {
      const value = await answerTo(query, timeoutMs);
      if (query.about === 'counts') counts = value as WorkerCounts;
      return value;
    },
  };
}

/** The answers of workers. `silent`: the places of those that did not answer in time, in the list of those that were asked. */
type EachAnswer<T> = { readonly answers: readonly T[]; readonly silent: readonly number[] };

/** Asks workers the same question. Workers that fail are left out. */
export async function askEach<T>(
  links: readonly Pick<WorkerLink, 'ask'>[],
  query: WorkerQuery,
  timeoutMs: number,
): Promise<EachAnswer<T>> {
  const asked = await Promise.allSettled(links.map((link) => link.ask(query, timeoutMs) as Promise<T>));
  const isSilent = (one: PromiseSettledResult<T>) =>
    one.status === 'rejected' && one.reason instanceof NoAnswerError;
  return {
    answers: asked.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : [])),
    silent: asked.flatMap((one, at) => (isSilent(one) ? [at] : [])),
  };
}

/** Asks workers the same question, and returns their answers. Workers that fail or do not answer in time are left out. */
export const answersOf = async <T>(...asked: Parameters<typeof askEach>): Promise<readonly T[]> =>
  (await askEach<T>(...asked)).answers;
