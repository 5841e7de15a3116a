/** A source of chance that begins anew with its seed. */
export type Random = {
  /** A whole number from 0 to below `end`. */
  below(end: number): number;
  /** Whether something happens that happens so often, from 0 to 1. */
  is(chance: number): boolean;
  /** One of them. */
  of<T>(list: readonly T[]): T;
  /** Some of them, in their order, each as often as the chance says. */
  some<T>(list: readonly T[], chance: number): T[];
  /** All of them in any order. */
  shuffled<T>(list: readonly T[]): T[];
};

/** Numbers by the generator mulberry32, which is short and good enough to choose cases. */
export function randomOf(seed: number): Random {
  let state = seed >>> 0;
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
  const below = (end: number) => Math.floor(next() * end);
  return {
    below,
    is: (chance) => next() < chance,
    of: (list) => list[below(list.length)]!,
    some: (list, chance) => list.filter(() => next() < chance),
    shuffled: (list) =>
      list
        .map((one) => ({ one, at: next() }))
        .sort((a, b) => a.at - b.at)
        .map(({ one }) => one),
  };
}
