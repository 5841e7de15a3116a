// Holds what is cached of the new source. A rollback raises its generation, which drops all of it at once.

import type { AbortableCall } from './abortable-call.ts';

/** What `open` has made for a generation, such as scan caches and caches, and how it is closed. */
export type OpenedGeneration<T> = { readonly value: T; close(): unknown };

/** One generation of the new source. */
export type SourceGeneration<T> = {
  readonly value: T;
  /** The calls that wait for an answer of it. They are aborted when another generation replaces it. */
  readonly attempts: Set<AbortableCall>;
};

/** Holds the one generation of the new source that is in use. */
export type NewSourceGenerations<T> = {
  /** Returns the generation of this number. If another one is in use, that is closed and the wanted one opened. */
  of(number: number): SourceGeneration<T>;
  close(): Promise<void>;
};

/** The reason of aborted attempts whose generation was replaced: a rollback drops all of the new source at once. */
export class GenerationReplaced extends Error {}

/** Creates the holder. It has no generation before the first `of`, which calls `open`. */
export function createNewSourceGenerations<T>(
  open: (number: number) => OpenedGeneration<T>,
): NewSourceGenerations<T> {
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
