import type { AbortableCall } from './abortable-call.ts';

/** What is kept of the new source under one generation. */
export type MadeGeneration<T> = { readonly value: T; close(): unknown };

/** One generation at work. */
export type GenerationAtWork<T> = {
  readonly value: T;
  /** The callers' attempts that wait for it. They end when another generation takes its place. */
  readonly attempts: Set<AbortableCall>;
};

/** The generation of the new source that is at work. */
export type Generations<T> = {
  /** The one of a number; another one ends with it. */
  of(number: number): GenerationAtWork<T>;
  close(): Promise<void>;
};

/** Why an attempt ends whose generation has ended: a rollback forgets the new source at once. */
export class GenerationEnded extends Error {}

/** Creates the holder of a generation; `start` makes one when it is first asked for. */
export function createGenerations<T>(start: (number: number) => MadeGeneration<T>): Generations<T> {
  let current: (GenerationAtWork<T> & { readonly number: number; readonly end: () => unknown }) | undefined;

  function begin(number: number) {
    const made = start(number);
    const attempts = new Set<AbortableCall>();
    function end(): unknown {
      for (const attempt of attempts) attempt.end(new GenerationEnded());
      return made.close();
    }
    return { number, value: made.value, attempts, end };
  }

  return {
    of(number) {
      if (current?.number === number) return current;
      void current?.end();
      return (current = begin(number));
    },
    async close() {
      await current?.end();
    },
  };
}
