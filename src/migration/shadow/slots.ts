/** The places for calls of comparisons. Nobody waits for one. */
export type Slots = {
  /** Takes a place; false where none is free. */
  enter(): boolean;
  leave(): void;
  readonly taken: number;
};

/** Creates free places. */
export function createSlots(size: number): Slots {
  let taken = 0;
  return {
    enter() {
      if (taken >= size) return false;
      taken += 1;
      return true;
    },
    leave: () => void (taken -= 1),
    get taken() {
      return taken;
    },
  };
}
