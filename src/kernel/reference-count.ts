/** Counts the uses of something that is to be closed after the last one. */
export type ReferenceCount = {
  readonly enter: () => void;
  readonly leave: () => void;
  /** Resolves as soon as nobody uses it, which may be at once. */
  untilUnused(): Promise<void>;
};

/** Creates a count of zero. */
export function createReferenceCount(): ReferenceCount {
  let count = 0;
  let waiting: (() => void)[] = [];
  return {
    enter() {
      count += 1;
    },
    leave() {
      count -= 1;
      if (count > 0) return;
      for (const resolve of waiting) resolve();
      waiting = [];
    },
    untilUnused() {
      if (count === 0) return Promise.resolve();
      return new Promise((resolve) => waiting.push(resolve));
    },
  };
}
