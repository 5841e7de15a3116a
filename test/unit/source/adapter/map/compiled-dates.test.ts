import fc from 'fast-check';
import { DateTime } from 'luxon';
import { compileStep } from '../../../../../src/source/adapter/map/coercion/coerce.ts';
import { UNREADABLE } from '../../../../../src/source/adapter/map/coercion/step.ts';

/** What luxon makes of an instant, written as the contract writes it. */
function written(date: DateTime): unknown {
  const ms = date.toMillis();
  if (ms < -62_135_596_800_000 || ms > 253_402_300_799_999) return UNREADABLE;
  return new Date(ms).toISOString().replace('.000Z', 'Z');
}

/** In the first century, luxon takes the end of a day for its beginning. */
const isMisreadByLuxon = (text: string) => /24/.test(text) && /00\d\d/.test(text);

const ENGLISH = { locale: 'en-US' };

/** The date step as luxon alone does it. */
function byLuxon(
  text: string,
  format: string,
  zone: string,
  parser = DateTime.buildFormatParser(format, ENGLISH),
): unknown {
  const reference = DateTime.fromFormatParser(text.trim(), parser, { zone: 'utc', ...ENGLISH });
  if (!reference.isValid) return UNREADABLE;
  const tokens = format.replaceAll(/'[^']*'/g, '');
  if (/[zZ]/.test(tokens)) return written(reference);
  const date = reference.setZone(/^[+-]/.test(zone) ? `UTC${zone}` : zone, { keepLocalTime: true });
  const shown = date.hour === reference.hour && date.minute === reference.minute;
  return shown || !/[Hh]/.test(tokens) ? written(date) : UNREADABLE;
}

const separators = [
  '',
  '-',
  '.',
  '/',
  ' ',
  ':',
  ',',
  '+',
  '|',
  '(',
  "'T'",
  "' o.clock '",
  "'Straße'",
  '[]',
  '\u00a0',
  'é',
];
const separator = fc.constantFrom(...separators);
const dateTokens = ['yyyy', 'MM', 'M', 'LL', 'L', 'dd', 'd'];
const timeTokens = ['HH', 'H', 'mm', 'm', 'ss', 's', 'SSS', 'S'];
const otherTokens = [
  'Z',
  'ZZ',
  'ZZZ',
  'yy',
  'y',
  'MMM',
  'LLL',
  'hh',
  'h',
  'a',
  'u',
  'ooo',
  'EEE',
  'SS',
  'D',
  'X',
  "''",
];
const token = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...dateTokens, ...timeTokens) },
  { weight: 1, arbitrary: fc.constantFrom(...otherTokens) },
);

const join = (tokens: readonly string[], between: readonly string[]) =>
  tokens.map((one, index) => one + (between[index] ?? '')).join('');
/** A whole date and perhaps a time in any order, or any tokens at all. */
const format = fc.oneof(
  fc
    .tuple(
      fc.constantFrom('MM', 'M', 'LL', 'L'),
      fc.constantFrom('dd', 'd'),
      fc.subarray(['HH', 'mm', 'ss', 'SSS', 'ZZ']),
      fc.array(separator, { maxLength: 8 }),
      fc.boolean(),
    )
    .map(([month, day, time, between, yearFirst]) =>
      join(yearFirst ? ['yyyy', month, day, ...time] : [day, month, 'yyyy', ...time], between),
    ),
  fc
    .tuple(fc.array(token, { minLength: 1, maxLength: 8 }), fc.array(separator, { maxLength: 8 }))
    .map(([tokens, between]) => join(tokens, between)),
);

const zones = [
  'UTC',
  '+02:00',
  '-11:30',
  'Europe/Berlin',
  'America/St_Johns',
  'Africa/Casablanca',
  'Pacific/Apia',
];
const zone = fc.constantFrom(...zones, 'Australia/Lord_Howe', 'America/Sao_Paulo', 'Africa/Monrovia');
const moment = fc.oneof(
  fc.integer({ min: Date.UTC(1900, 0, 1), max: Date.UTC(2040, 0, 1) }),
  fc.integer({ min: -62_167_219_200_000, max: 253_402_300_799_999 }),
);
const edits = fc.array(
  fc.tuple(fc.nat(40), fc.constantFrom('', '0', '1', '3', '9', '99', '-', ' ', ':', 'T', 't', '٣', '\n')),
  { maxLength: 2 },
);

/** What a format writes of a moment, damaged here and there. */
function textOf(ms: number, pattern: string, damage: readonly (readonly [number, string])[]): string {
  const text = DateTime.fromMillis(ms, { zone: 'utc', locale: 'en-US' }).toFormat(pattern);
  return damage.reduce((made, [at, put]) => made.slice(0, at) + put + made.slice(at + 1), text);
}

const attempt = (work: () => unknown): unknown => {
  try {
    return work();
  } catch (error) {
    return (error as Error).name;
  }
};

describe('a compiled date', () => {
  it('reads what luxon reads, and to the same instant', () => {
    fc.assert(
      fc.property(format, zone, moment, edits, (pattern, where, ms, damage) => {
        // luxon fills a format without a day with that of today, which may change in between.
        const text = textOf(ms, pattern, damage);
        const step = compileStep({ date: { format: pattern, zone: where } });
        const expected = attempt(() => byLuxon(text, pattern, where));
        const names = ['yyyy', 'd'].every((one) => pattern.includes(one)) && /[ML]/.test(pattern);
        if (names && !isMisreadByLuxon(text))
          expect([pattern, where, text, attempt(() => step.run(text))]).toEqual([
            pattern,
            where,
            text,
            expected,
          ]);
      }),
      { numRuns: 200 },
    );
  });

  it.each(zones)('knows what the clocks of %s show, in every hour around their changes', (where) => {
    const pattern = 'yyyy-MM-dd HH:mm';
    const step = compileStep({ date: { format: pattern, zone: where } });
    const parser = DateTime.buildFormatParser(pattern, ENGLISH);
    for (let ms = Date.UTC(2011, 0, 1, 0, 1); ms < Date.UTC(2012, 0, 2); ms += 1_800_000) {
      const text = new Date(ms).toISOString().slice(0, 16).replace('T', ' ');
      const read = step.run(text);
      const expected = byLuxon(text, pattern, where, parser);
      if (read !== expected) expect([text, read]).toEqual([text, expected]);
    }
  });
});

describe('a compiled ISO date', () => {
  const part = (max: number, width = 2) =>
    fc.integer({ min: 0, max }).map((n) => String(n).padStart(width, '0'));
  const offsets = fc.oneof(
    fc.constant('Z'),
    fc
      .tuple(fc.constantFrom('+', '-'), part(24), fc.constantFrom('', ':'), part(60))
      .map((pieces) => pieces.join('')),
    fc.tuple(fc.constantFrom('+', '-'), part(24)).map((pieces) => pieces.join('')),
  );
  const times = fc.oneof(
    fc.constantFrom('24:00', '24:00:00', '24:00:00.000', '24:00:01'),
    fc.tuple(part(24), part(60)).map((pieces) => pieces.join(':')),
    fc.tuple(part(24), part(60), part(60)).map((pieces) => pieces.join(':')),
    fc.tuple(part(23), part(59), part(59), part(999_999_999, 1)).map(([h, m, s, f]) => `${h}:${m}:${s}.${f}`),
  );

  it('is what luxon reads', () => {
    fc.assert(
      fc.property(part(9_999, 4), part(13), part(32), times, offsets, (year, month, day, time, offset) => {
        const text = `${year}-${month}-${day}T${time}${offset}`;
        fc.pre(!isMisreadByLuxon(text));
        const reference = DateTime.fromISO(text, { zone: 'utc' });
        const isRefused = /[+-](24|..:?60)/.test(text.slice(10));
        const expected = reference.isValid && !isRefused ? written(reference) : UNREADABLE;
        expect([text, compileStep('iso8601').run(text)]).toEqual([text, expected]);
      }),
      { numRuns: 200 },
    );
  });
});
