import fc from 'fast-check';
import { compileStep } from '../../../../../src/source/adapter/map/coercion/coerce.ts';
import { type StepValue, UNREADABLE } from '../../../../../src/source/adapter/map/coercion/step.ts';
import type { CoercionSpec } from '../../../../../src/config/schema/source.ts';
import { Decimal } from '../../../../../src/kernel/decimal.ts';
import { type Json, readJson } from '../../../../../src/kernel/json/json.ts';

/** What a step makes of a JSON text: a price prints as its digits. */
function run(step: CoercionSpec, json: string): unknown {
  const result: StepValue = compileStep(step).run(readJson(json));
  return result instanceof Decimal ? result.toString() : result;
}

const number = (decimal: '.' | ',', group: '' | '.' | ',' | ' ' | "'"): CoercionSpec => ({
  number: { decimal, group },
});
const odd = [
  'true',
  'false',
  '{}',
  '[]',
  '["1"]',
  '{"valueOf":1}',
  '"NaN"',
  '"Infinity"',
  '"0x10"',
  '"1 2"',
  '""',
  '" "',
  '"１"',
];

describe('number', () => {
  it.each([
    [number('.', ''), '"19.99"', '19.99'],
    [number('.', ''), '" -0.50 "', '-0.50'],
    [number('.', ''), '19.90', '19.90'],
    [number('.', ''), '7', '7'],
    [number('.', ''), '1.5e2', '150'],
    [number('.', ''), '9007199254740993.01', '9007199254740993.01'],
    [number(',', ''), '"19,99"', '19.99'],
    [number(',', ''), '19.99', '19.99'],
    [number(',', '.'), '"36.999,99"', '36999.99'],
    [number(',', '.'), '"36999,99"', '36999.99'],
    [number('.', ','), '"1,234,567.80"', '1234567.80'],
    [number('.', ' '), '"-1 234.5"', '-1234.5'],
    [number('.', "'"), '"1\'000"', '1000'],
  ])('%j reads %s as %s', (step, json, expected) => expect(run(step, json)).toBe(expected));

  it.each([
    [number('.', ''), '"19,99"'],
    [number(',', ''), '"19.99"'],
    [number(',', ''), '"1.234"'],
    [number('.', ','), '"19,99"'],
    [number('.', ','), '"1,23,456"'],
    [number('.', ','), '",123"'],
    [number('.', ','), '"1,234,"'],
    [number('.', ','), '"1.234,5"'],
    [number(',', '.'), '"1.23"'],
    [number(',', '.'), '"1,2,3"'],
    [number('.', ''), '"1e3"'],
    [number('.', ''), '"5-"'],
    [number('.', ''), '"+5"'],
    [number('.', ''), '".5"'],
    [number('.', ''), '"5."'],
    [number('.', ''), '"EUR 5"'],
    [number('.', ''), `"${'9'.repeat(10_001)}"`],
  ])('%j does not guess what %s might be', (step, json) => expect(run(step, json)).toBe(UNREADABLE));

  it('reads every number that is written as declared, to the digit', () => {
    const digits = fc.bigInt({ min: 0n, max: 10n ** 30n });
    const formats = fc.constantFrom<['.' | ',', '.' | ',' | ' ' | "'"]>(
      ['.', ','],
      [',', '.'],
      [',', ' '],
      ['.', "'"],
    );
    fc.assert(
      fc.property(
        digits,
        fc.stringMatching(/^\d{0,6}$/),
        formats,
        fc.boolean(),
        (whole, fraction, [decimal, group], grouped) => {
          const units = String(whole);
          const shown = grouped ? units.replaceAll(/\B(?=(\d{3})+$)/g, group) : units;
          const text = shown + (fraction === '' ? '' : decimal + fraction);
          expect(run(number(decimal, group), JSON.stringify(text))).toBe(
            units + (fraction === '' ? '' : `.${fraction}`),
          );
        },
      ),
    );
  });
});

describe('cents', () => {
  it.each([
    ['1999', '19.99'],
    ['"1999"', '19.99'],
    ['"5"', '0.05'],
    ['"007"', '0.07'],
    ['"-150"', '-1.50'],
    ['"900719925474099312"', '9007199254740993.12'],
    ['900719925474099312', '9007199254740993.12'],
  ])('reads %s as %s', (json, expected) => expect(run('cents', json)).toBe(expected));

  it.each(['"19.99"', '19.99', '1e3', '"1e3"', '"n/a"', '"19,99"', '"--1"'])('does not read %s', (json) =>
    expect(run('cents', json)).toBe(UNREADABLE),
  );

  it('keeps whatever whole number it is', () => {
    fc.assert(
      fc.property(fc.bigInt(), (cents) => {
        const price = Decimal.parse(String(run('cents', JSON.stringify(String(cents)))))!;
        expect([price.digits, price.scale]).toEqual([cents, 2]);
      }),
    );
  });
});

describe.each<CoercionSpec>([
  'cents',
  number('.', ''),
  number(',', '.'),
  'epochSeconds',
  'epochMilliseconds',
  'iso8601',
])('%j', (step) => {
  it('passes on what is known to be unknown', () => expect(run(step, 'null')).toBeNull());

  it.each(odd)('calls %s unreadable', (json) => expect(run(step, json)).toBe(UNREADABLE));
});

describe('every step', () => {
  const steps: CoercionSpec[] = [
    ...(['trim', 'text', 'cents', 'epochSeconds', 'epochMilliseconds', 'iso8601'] as const),
    ...[number('.', ','), { nullIf: ['', 0, null] }, { join: ' ' }, { enum: { a: 'A' } }],
    { date: { format: 'yyyy-MM-dd HH:mm', zone: 'Europe/Berlin' } },
  ];

  it('is total: it yields a value, null or "unreadable" for anything, and never throws', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...steps),
        fc.oneof(
          fc.json(),
          fc.string().map((text) => JSON.stringify(text)),
        ),
        (step, json) => {
          const value: Json = readJson(json);
          expect(compileStep(step).run(value)).not.toBeUndefined();
        },
      ),
      { numRuns: 2_000 },
    );
  });
});
