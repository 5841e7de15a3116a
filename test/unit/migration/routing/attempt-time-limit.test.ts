import { attemptLimitMs } from '../../../../src/migration/routing/serve-with-fallback.ts';

describe('the time that the new source may take for a caller', () => {
  it.each([
    ['half of the deadline where nothing is known of the legacy source', 10_000, undefined, 5_000],
    [
      'three times what nearly all calls of the legacy source take, and what the gate allows besides',
      10_000,
      300,
      960,
    ],
    ['never more than half of the deadline', 2_000, 900, 1_000],
    ['half a second at least, so that a pause of the process is no failure', 10_000, 4, 500],
    ['half of a deadline that is short all the same', 600, 4, 300],
  ])('is %s', (_what, deadlineMs, legacyP99Ms, expected) => {
    expect(attemptLimitMs(deadlineMs, legacyP99Ms, 20)).toBe(expected);
  });
});
