// Holds the caches of the new source. A rollback raises their generation, which drops all of them at once.

import type { AbortableCall } from './abortable-call.ts';

/** One generation of the new source; `value` has its caches. */
export type SourceGeneration<T> = {
  readonly value: T;
  /** The calls that wait for an answer. They are aborted when the next generation begins. */
  readonly attempts: Set<AbortableCall>;
};

/** Holds the generation of the new source that is in use. */
export type NewSourceGenerations<T> = ReturnType<typeof createNewSourceGenerations<T>>;

/** The reason of an attempt that was aborted because a rollback has replaced its generation. */
export class GenerationReplaced extends Error {}

/** Creates the holder. `open` makes the caches of a generation; it is first called by the first `of`. */
export function createNewSourceGenerations<T>(
  open: (number: number) => { readonly value: T; close(): unknown },
) {
  let current: (SourceGeneration<T> & { readonly number: number; readonly end: () => unknown }) | undefined;

  function begin(number: number) {
    const opened = open(number);
    const attempts = new Set<AbortableCall>();
    function end(): unknown {
      for (const attempt of attempts) attempt.end(new GenerationReplaced());
      return opened.close();
    }
    return { number, value: opened.value, attempts, end };
  }

  return {
    /** Returns the generation with this number. If another generation is in use, that one is closed first. */
    of(number: number): SourceGeneration<T> {
      if (current?.number === number) return current;
      void current?.end();
      return (current = begin(number));
    },
    async close() {
      await current?.end();
    },
  };
}
