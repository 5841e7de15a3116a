/** A counting semaphore: a fixed number of permits, which waiting callers get in the order in which they came. */
export type Semaphore = ReturnType<typeof createSemaphore>;

/** Creates a semaphore with `size` permits, all of them free. */
export function createSemaphore(size: number) {
  const waiting = new Set<() => void>();
  let taken = 0;

  /** Takes a permit; false if none is free, or another caller already waits for one. */
  function tryAcquire(): boolean {
    if (taken >= size || waiting.size > 0) return false;
    taken += 1;
    return true;
  }

  /** Waits for a permit; false if the signal aborts first. */
  function acquire(signal?: AbortSignal): Promise<boolean> {
    if (signal?.aborted === true) return Promise.resolve(false);
    if (tryAcquire()) return Promise.resolve(true);
    return new Promise((resolve) => {
      function settle(isIn: boolean): void {
        waiting.delete(wake);
        signal?.removeEventListener('abort', giveUp);
        resolve(isIn);
      }
      const wake = () => settle(true);
      const giveUp = () => settle(false);
      waiting.add(wake);
      signal?.addEventListener('abort', giveUp);
    });
  }

  function release(): void {
    const [next] = waiting;
    // The permit passes directly to the caller that has waited longest.
    if (next === undefined) taken -= 1;
    else next();
  }

  return {
    ...{ tryAcquire, acquire, release },
    /** Works with a permit, and releases it even if the work fails. Rejects with the signal's reason if the signal aborts first. */
    run: async <T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> => {
      if (!(await acquire(signal))) signal?.throwIfAborted();
      try {
        return await work();
      } finally {
        release();
      }
    },
    /** The number of permits in use. */
    get taken(): number {
      return taken;
    },
  };
}

/** A queue that runs one piece of work at a time, in the order of the calls. */
export type SerialQueue = Semaphore['run'];

/** Creates an empty queue, for CPU-bound work that would gain nothing from running in parallel. */
export const createSerialQueue = (): SerialQueue => createSemaphore(1).run;
