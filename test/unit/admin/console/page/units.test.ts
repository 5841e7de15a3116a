import {
  bytesText,
  differenceText,
  countText,
  durationText,
  quantileText,
  rateSpanText,
  rateText,
  shareText,
  spanText,
  UNKNOWN,
  valueText,
} from '../../../../../src/admin/console/page/show/units.ts';

describe('figures as people read them', () => {
  it.each([
    [60_000, 'minute'],
    [65_300, 'minute'],
    [38_000, '38 s'],
    [300_000, '5 min'],
  ])('are of the last time that they are of: %d ms', (ms, text) => expect(rateSpanText(ms)).toBe(text));

  it.each([
    [0, '0 ms'],
    [0.25, '250 µs'],
    [1, '1 ms'],
    [14.23, '14.2 ms'],
    [999, '999 ms'],
    [1000, '1 s'],
    [2410, '2.41 s'],
    [61_000, '1 min 1 s'],
  ])('write %d ms as %s', (ms, text) => expect(durationText(ms)).toBe(text));

  it.each([
    [3_400, 5_000, '≤ 5 s'],
    [30_000, null, '> 30 s'],
    [null, null, UNKNOWN],
  ])('say of a quantile of about %p ms only what is certain', (ms, upToMs, text) =>
    expect(quantileText(ms, upToMs)).toBe(text),
  );

  it.each([
    [0, '0 s'],
    [59_400, '59 s'],
    [3_600_000, '1 h'],
    [11_520_000, '3 h 12 min'],
    [90_000_000, '1 d 1 h'],
    [-5, '0 s'],
  ])('write a span of %d ms as %s', (ms, text) => expect(spanText(ms)).toBe(text));

  it.each([
    [0, '0 %'],
    [0.00001, '<0.01 %'],
    [0.0583, '5.83 %'],
    [0.5, '50 %'],
    [0.99999, '>99.99 %'],
    [1, '100 %'],
  ])('write a share of %d as %s, and never round a failure away', (share, text) =>
    expect(shareText(share)).toBe(text),
  );

  it.each([
    [0, '0/s'],
    [0.001, '<0.01/s'],
    [12.345, '12.3/s'],
    [1234.5, '1,235/s'],
  ])('write a rate of %d as %s', (rate, text) => expect(rateText(rate)).toBe(text));

  it('write sizes in binary units and counts with their thousands apart', () => {
    expect([0, 1023, 1024, 19_293_798, 3 * 1024 ** 3].map(bytesText)).toEqual([
      '0 B',
      '1,023 B',
      '1 KiB',
      '18.4 MiB',
      '3 GiB',
    ]);
    expect(countText(1_234_567)).toBe('1,234,567');
  });

  it.each([countText, rateText, shareText, durationText, spanText, bytesText])(
    'show a dash where nothing is known, never a zero: %p',
    (text) => {
      expect([null, undefined, Number.NaN, Number.POSITIVE_INFINITY].map((value) => text(value))).toEqual(
        Array.from({ length: 4 }, () => UNKNOWN),
      );
    },
  );
});

describe('any JSON on one line', () => {
  it('names what an object holds', () => {
    expect(valueText({ stage: 'ramp', percent: 5, to: { a: 1 } })).toBe('stage ramp, percent 5, to {"a":1}');
    expect(valueText([1, 'two'])).toBe('1 two');
    expect(valueText(undefined)).toBe(UNKNOWN);
  });

  it('is cut at 160 characters', () => {
    expect(valueText('x'.repeat(500))).toHaveLength(160);
  });
});

describe('a change', () => {
  it('names what became different alone', () => {
    const before = { rev: 2, stage: 'shadow', percent: 0, operations: {} };
    const after = { rev: 3, stage: 'ramp', percent: 25, operations: {} };
    expect(differenceText(before, after)).toBe('rev 2 → 3, stage shadow → ramp, percent 0 → 25');
  });

  it('may be of something that was not there before, and of nothing', () => {
    expect(differenceText(undefined, { label: 'QA' })).toBe('– → label QA');
    expect(differenceText({ a: 1 }, { a: 1, b: 2 })).toBe('b – → 2');
    expect(differenceText(undefined, undefined)).toBe('');
  });
});
