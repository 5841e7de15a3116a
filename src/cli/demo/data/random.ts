// Makes the random choices of the generators of sample data the same on every run, so that tests can rely on them.

/** A seeded random generator: the same seed gives the same choices in the same order, on every machine. */
export type Random = ReturnType<typeof createRandom>;

/** Creates a mulberry32 generator; `seed` is taken modulo 2^32. */
export function createRandom(seed: number) {
  let state = seed >>> 0;

  function fraction(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  function below(bound: number): number {
    return Math.floor(fraction() * bound);
  }

  return {
    /** A number from 0 to below 1. */
    fraction,
    /** A whole number from 0 to `bound` - 1. */
    below,
    /** True with the given probability (0 to 1). */
    chance: (probability: number): boolean => fraction() < probability,
    /** One item of a list that is not empty. */
    pick: <T>(items: readonly T[]): T => items[below(items.length)] as T,
    /** `count` whole numbers above 0, each 1 to `gapMax` above the one before. */
    ascending(count: number, gapMax: number): number[] {
      let last = 0;
      return Array.from({ length: count }, () => (last += 1 + below(gapMax)));
    },
  };
}

/** A text in a legacy row: present, null, or (`undefined`) without its key. */
export type LegacyText = string | null | undefined;

/** A random form of "no text" in a legacy row. */
export function noText(random: Random): LegacyText {
  return random.pick([null, '', undefined]);
}

/** The text; in one row out of ten with spaces before or after it. */
export function padded(random: Random, text: string): string {
  if (!random.chance(0.1)) return text;
  return random.pick([` ${text}`, `${text} `, `  ${text}   `]);
}
