// Holds what is cached of the new source. A rollback raises its generation, which drops all of it at once.

import type { AbortableCall } from './abortable-call.ts';

/** What is kept of the new source under one generation. */
export type OpenedGeneration<T> = { readonly value: T; close(): unknown };

/** One generation at work. */
export type SourceGeneration<T> = {
  readonly value: T;
  /** The callers' attempts that wait for it. They end when another generation takes its place. */
  readonly attempts: Set<AbortableCall>;
};

/** The generation of the new source that is at work. */
export type CurrentGeneration<T> = {
  /** The one of a number; another one ends with it. */
  of(number: number): SourceGeneration<T>;
  close(): Promise<void>;
};

/** Why an attempt ends whose generation has ended: a rollback forgets the new source at once. */
export class GenerationReplaced extends Error {}

/** Creates the holder of a generation; `start` makes one when it is first asked for. */
export function createCurrentGeneration<T>(
  start: (number: number) => OpenedGeneration<T>,
): CurrentGeneration<T> {
  let current: (SourceGeneration<T> & { readonly number: number; readonly end: () => unknown }) | undefined;

  function begin(number: number) {
    const made = start(number);
    const attempts = new Set<AbortableCall>();
    function end(): unknown {
      for (const attempt of attempts) attempt.end(new GenerationReplaced());
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
