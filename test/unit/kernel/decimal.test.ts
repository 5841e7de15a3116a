import fc from 'fast-check';
import { Decimal } from '../../../src/kernel/decimal.ts';

/** A decimal in plain notation, as a source or a caller may write it. */
const plain = fc
  .record({
    sign: fc.constantFrom('', '-'),
    whole: fc.stringMatching(/^\d{1,40}$/),
    fraction: fc.option(fc.stringMatching(/^\d{1,90}$/), { nil: undefined }),
  })
  .map(({ sign, whole, fraction }) => sign + whole + (fraction === undefined ? '' : `.${fraction}`));

const parse = (text: string): Decimal => Decimal.parse(text)!;

/** The text without what carries no value: leading zeros, and the sign of zero. */
function canonical(text: string): string {
  const [, sign = '', whole = '', fraction = ''] = /^(-?)0*(\d+(?=$|\.))(.*)$/.exec(text)!;
  return (/[1-9]/.test(whole + fraction) ? sign : '') + whole + fraction;
}

/** The number as a whole number of 10^-90. */
function scaled(text: string): bigint {
  const [whole = '', fraction = ''] = text.replace('-', '').split('.');
  const size = BigInt(whole + fraction.padEnd(90, '0'));
  return text.startsWith('-') ? -size : size;
}

describe('a decimal', () => {
  it('prints every digit it was given, trailing zeros too', () => {
    fc.assert(fc.property(plain, (text) => expect(String(parse(text))).toBe(canonical(text))));
    expect(String(parse('19.90'))).toBe('19.90');
    expect(String(parse('-0.050'))).toBe('-0.050');
  });

  it('stands in JSON as a number with exactly those digits', () => {
    fc.assert(
      fc.property(plain, (text) => {
        const json = JSON.stringify({ price: parse(text) });
        expect(json).toBe(`{"price":${canonical(text)}}`);
        expect(typeof (JSON.parse(json) as { price: unknown }).price).toBe('number');
      }),
    );
    expect(JSON.stringify([parse('9007199254740993.10')])).toBe('[9007199254740993.10]');
  });

  it('compares as numbers do, to the last digit', () => {
    fc.assert(
      fc.property(plain, plain, (a, b) => {
        const difference = scaled(a) - scaled(b);
        expect(Math.sign(parse(a).compare(parse(b)))).toBe(difference < 0n ? -1 : difference > 0n ? 1 : 0);
      }),
    );
    expect(parse('1.5').compare(parse('1.50'))).toBe(0);
    expect(parse('0.1').compare(parse('0.10000000000000000001'))).toBeLessThan(0);
    expect(parse('-0').compare(parse('0'))).toBe(0);
    const zeros = '0'.repeat(500);
    expect(parse(`9.5${zeros}`).compare(parse('9.50'))).toBe(0);
    expect(parse('9.50').compare(parse(`9.5${zeros}1`))).toBeLessThan(0);
    expect(parse('-9.50').compare(parse(`-9.5${zeros}1`))).toBeGreaterThan(0);
  });

  it('moves its point without losing digits', () => {
    expect(String(parse('1999').shifted(2))).toBe('19.99');
    expect(String(parse('5').shifted(2))).toBe('0.05');
    expect(String(parse('-5').shifted(2))).toBe('-0.05');
    expect(String(parse('900719925474099312').shifted(2))).toBe('9007199254740993.12');
  });

  it.each([
    '',
    ' ',
    '1 ',
    '+1',
    '1.',
    '.5',
    '1e3',
    '1,5',
    '0x10',
    'NaN',
    'Infinity',
    '--1',
    '1.2.3',
    '１',
    '1\n',
  ])('is not read from %j', (text) => expect(Decimal.parse(text)).toBeUndefined());

  it('is not read from a text too long to be a number of anything', () => {
    expect(Decimal.parse('9'.repeat(10_000))).toBeInstanceOf(Decimal);
    expect(Decimal.parse('9'.repeat(10_001))).toBeUndefined();
  });
});
