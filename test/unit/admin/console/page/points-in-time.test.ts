import {
  beforeAndSince,
  changeOf,
  pointText,
  readPoint,
} from '../../../../../src/admin/console/page/show/points-in-time.ts';

const now = Date.parse('2026-11-22T14:10:31Z');
const iso = (ms: number | undefined) => (ms === undefined ? undefined : new Date(ms).toISOString());

describe('a point in time in an address', () => {
  it.each([
    ['14:02', '2026-11-22T14:02:00.000Z'],
    ['23:30', '2026-11-21T23:30:00.000Z'],
    ['2026-11-20T09:00', '2026-11-20T09:00:00.000Z'],
    ['2026-11-20T09:00:30Z', '2026-11-20T09:00:30.000Z'],
    ['2026-11-20', '2026-11-20T00:00:00.000Z'],
    ['Tuesday', undefined],
    ['25:99', undefined],
    ['', undefined],
  ])('%s is %s, in UTC', (text, expected) => {
    expect(iso(readPoint(text, now))).toBe(expected);
  });

  it('is what a field of a form holds', () => {
    expect(readPoint(pointText(now), now)).toBe(Date.parse('2026-11-22T14:10:00Z'));
    expect(pointText(undefined)).toBe('');
  });
});

describe('what was counted before and since a point', () => {
  const stepMs = 60_000;
  const at = [0, 1, 2, 3].map((slot) => now - (now % stepMs) + slot * stepMs);
  const table = { at, stepMs };

  it('is a rate of the time that anybody counted, and the slot of the point belongs to what came since', () => {
    expect(beforeAndSince([null, 1, 4, 2], table, at[2]! + 5_000)).toEqual({ before: 60, since: 180 });
  });

  it('is unknown where nobody counted', () => {
    expect(beforeAndSince([null, null, 4, 2], table, at[2]!)).toEqual({ before: null, since: 180 });
    expect(beforeAndSince(undefined, table, at[2]!)).toEqual({ before: null, since: null });
  });

  it.each([
    [{ before: 0, since: 3 }, 'began since then'],
    [{ before: 2, since: 5 }, 'worse'],
    [{ before: 2, since: 3 }, 'as before'],
    [{ before: 9, since: 2 }, 'better'],
    [{ before: 0, since: 0 }, 'none'],
    [{ before: null, since: 3 }, 'nobody counted before'],
    [{ before: 3, since: null }, 'nobody counted'],
  ])('%p is called %s', (counts, word) => {
    expect(changeOf(counts).word).toBe(word);
  });

  it('is ordered by what became worst', () => {
    const orders = [
      { before: 0, since: 1 },
      { before: 1, since: 9 },
      { before: 3, since: 3 },
      { before: 0, since: 0 },
    ].map((counts) => changeOf(counts).order);
    expect(orders).toEqual([...orders].sort((a, b) => b - a));
  });
});
