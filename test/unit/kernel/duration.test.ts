import fc from 'fast-check';
import {
  parseBytes,
  parseDuration,
  parseRateWindow,
  writeBytes,
  writeDuration,
  writeRateWindow,
} from '../../../src/kernel/duration.ts';

describe('durations', () => {
  it.each([
    ['0ms', 0],
    ['250ms', 250],
    ['5s', 5_000],
    ['10m', 600_000],
    ['2h', 7_200_000],
    ['1d', 86_400_000],
  ])('reads %s as milliseconds', (text, ms) => expect(parseDuration(text)).toBe(ms));

  it.each([
    '',
    '5',
    's',
    '5 s',
    ' 5s',
    '5S',
    '-5s',
    '+5s',
    '1.5s',
    '5s5',
    '1e3s',
    '5min',
    '５s',
    '5s\n',
    '1h30m',
  ])('refuses %j', (text) => expect(parseDuration(text)).toBeUndefined());
});

describe('sizes', () => {
  it.each([
    ['512B', 512],
    ['64KiB', 65_536],
    ['2MiB', 2_097_152],
    ['1GiB', 1_073_741_824],
  ])('reads %s as bytes', (text, bytes) => expect(parseBytes(text)).toBe(bytes));

  it.each(['', '5', '5KB', '5kib', '5 MiB', '-1B', '1.5MiB', '1TiB'])('refuses %j', (text) =>
    expect(parseBytes(text)).toBeUndefined(),
  );
});

describe('windows', () => {
  it('reads any number of points per whole seconds', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 999_999_999 }),
        fc.integer({ min: 1, max: 86_400 }),
        (points, seconds) => {
          expect(parseRateWindow(`${points} per ${seconds}s`)).toEqual({ points, seconds });
        },
      ),
    );
    expect(parseRateWindow('600 per 1m')).toEqual({ points: 600, seconds: 60 });
    expect(parseRateWindow('5 per 2000ms')).toEqual({ points: 5, seconds: 2 });
  });

  it.each([
    '0 per 1s',
    '5 per 0s',
    '5 per 500ms',
    '5 per 1500ms',
    '5 per s',
    '5/1s',
    '5  per 1s',
    '-5 per 1s',
    '5.5 per 1s',
  ])('refuses %j, which no limiter could keep', (text) => expect(parseRateWindow(text)).toBeUndefined());
});

describe('what is written', () => {
  it('reads back as the same', () => {
    fc.assert(
      fc.property(fc.nat(86_400_000), fc.integer({ min: 1, max: 86_400 }), (number, seconds) => {
        expect(parseDuration(writeDuration(number))).toBe(number);
        expect(parseBytes(writeBytes(number))).toBe(number);
        const window = { points: number + 1, seconds };
        expect(parseRateWindow(writeRateWindow(window))).toEqual(window);
      }),
    );
  });

  it('is in the largest unit that fits', () => {
    expect([0, 250, 90_000, 86_400_000].map(writeDuration)).toEqual(['0ms', '250ms', '90s', '1d']);
    expect([512, 8 * 1024 ** 2].map(writeBytes)).toEqual(['512B', '8MiB']);
  });
});
