// Limits how many comparison calls run at once.

/**
 * A counting semaphore for the calls of comparisons. Unlike that of the kernel it can refuse, and a waiting call ends with its
 * signal.
 */
export type ComparisonSemaphore = {
  /** Takes a slot; false where none is free, or a call already waits for one. */
  tryAcquire(): boolean;
  /** Waits for a slot, and gets it before any call that uses `tryAcquire`; false when the signal aborts first. */
  acquire(signal: AbortSignal): Promise<boolean>;
  release(): void;
  readonly taken: number;
};

/** Creates `size` slots, all of them free. */
export function createComparisonSemaphore(size: number): ComparisonSemaphore {
  const waiting = new Set<() => void>();
  let taken = 0;

  function tryAcquire(): boolean {
    if (taken >= size || waiting.size > 0) return false;
    taken += 1;
    return true;
  }

  return {
    tryAcquire,
    acquire(signal) {
      if (signal.aborted) return Promise.resolve(false);
      if (tryAcquire()) return Promise.resolve(true);
      return new Promise((resolve) => {
        function settle(isIn: boolean): void {
          waiting.delete(wake);
          signal.removeEventListener('abort', giveUp);
          resolve(isIn);
        }
        const wake = () => settle(true);
        const giveUp = () => settle(false);
        waiting.add(wake);
        signal.addEventListener('abort', giveUp);
      });
    },
    release() {
      const [next] = waiting;
      // The slot passes to the call that has waited longest.
      if (next === undefined) taken -= 1;
      else next();
    },
    get taken() {
      return taken;
    },
  };
}
