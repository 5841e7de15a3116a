/** Counts the uses of something that is to be closed after its last use. */
export type ReferenceCount = ReturnType<typeof createReferenceCount>;

/** Creates a count of zero. */
export function createReferenceCount() {
  let count = 0;
  let waiting: (() => void)[] = [];
  return {
    enter: (): void => {
      count += 1;
    },
    leave: (): void => {
      count -= 1;
      if (count > 0) return;
      for (const resolve of waiting) resolve();
      waiting = [];
    },
    /** Resolves as soon as the count is zero, which may be at once. */
    untilUnused(): Promise<void> {
      if (count === 0) return Promise.resolve();
      return new Promise((resolve) => waiting.push(resolve));
    },
  };
}
