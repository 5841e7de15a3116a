// Limits how many comparison calls run at once.

/** A counting semaphore for the calls of comparisons. */
export type Slots = {
  /** Takes a slot; false where none is free, or a call already waits for one. */
  enter(): boolean;
  /** Waits for a slot, and gets it before any call that uses `enter`; false when the signal aborts first. */
  waitToEnter(signal: AbortSignal): Promise<boolean>;
  leave(): void;
  readonly taken: number;
};

/** Creates `size` slots, all of them free. */
export function createSlots(size: number): Slots {
  const waiting = new Set<() => void>();
  let taken = 0;

  function enter(): boolean {
    if (taken >= size || waiting.size > 0) return false;
    taken += 1;
    return true;
  }

  return {
    enter,
    waitToEnter(signal) {
      if (signal.aborted) return Promise.resolve(false);
      if (enter()) return Promise.resolve(true);
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
    leave() {
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
