import fc from 'fast-check';
import { isBack, isJump } from '../../../../src/pipeline/list-watch/missing-rate.ts';

/** Numbers that look random, from 0 to 1. */
function drawer(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** How many of some records lack a field that each of them lacks by chance. */
function drawn(random: () => number, records: number, part: number) {
  let without = 0;
  for (let n = 0; n < records; n += 1) if (random() < part) without += 1;
  return { records, without };
}

describe('a jump of a missing rate', () => {
  it('is seen in 50 records where all lack what none lacked', () => {
    expect(isJump({ records: 50, without: 0 }, { records: 50, without: 50 })).toBe(true);
    expect(isJump({ records: 50, without: 0 }, { records: 50, without: 20 })).toBe(true);
  });

  it('is not seen in fewer than 50 records, nor against fewer', () => {
    expect(isJump({ records: 500, without: 0 }, { records: 49, without: 49 })).toBe(false);
    expect(isJump({ records: 49, without: 0 }, { records: 500, without: 500 })).toBe(false);
  });

  it('is no smaller than ten points, however many records show it, and no fall', () => {
    expect(isJump({ records: 1e6, without: 0 }, { records: 1e6, without: 99_000 })).toBe(false);
    expect(isJump({ records: 1e6, without: 0 }, { records: 1e6, without: 101_000 })).toBe(true);
    expect(isJump({ records: 100, without: 100 }, { records: 100, without: 0 })).toBe(false);
    expect(isBack({ records: 100, without: 0 }, { records: 100, without: 9 })).toBe(true);
    expect(isBack({ records: 100, without: 0 }, { records: 100, without: 10 })).toBe(false);
  });

  it('is never chance: a field that records lack by any part of them raises nothing', () => {
    const part = fc.double({ min: 0, max: 1, noNaN: true });
    const size = fc.integer({ min: 50, max: 400 });
    const property = fc.property(part, size, size, fc.integer(), (of, before, now, seed) => {
      const random = drawer(seed);
      const past = drawn(random, before, of);
      for (let look = 0; look < 20; look += 1) if (isJump(past, drawn(random, now, of))) return false;
      return true;
    });
    fc.assert(property, { numRuns: 1_000 });
  });

  it('is seen wherever half of the records more lack it', () => {
    const property = fc.property(fc.double({ min: 0, max: 0.5, noNaN: true }), fc.integer(), (of, seed) => {
      const random = drawer(seed);
      return isJump(drawn(random, 400, of), drawn(random, 200, of + 0.5));
    });
    fc.assert(property, { numRuns: 300 });
  });
});
