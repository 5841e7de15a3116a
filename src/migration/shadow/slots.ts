// Limits how many comparison calls run at once.

/** The places for calls of comparisons. */
export type Slots = {
  /** Takes a place; false where none is free, or somebody waits for one. */
  enter(): boolean;
  /** Waits for a place, before all who `enter`; false once the signal aborts. */
  waitToEnter(signal: AbortSignal): Promise<boolean>;
  leave(): void;
  readonly taken: number;
};

/** Creates free places. */
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
      // The place passes to who has waited longest.
      if (next === undefined) taken -= 1;
      else next();
    },
    get taken() {
      return taken;
    },
  };
}
