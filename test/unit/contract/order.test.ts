import fc from 'fast-check';
import {
  compareCodePoints,
  compareKeys,
  compileOrder,
  idSortKey,
  matches,
} from '../../../src/contract/order.ts';
import type { Value } from '../../../src/contract/fields.ts';
import type { PushableOp } from '../../../src/contract/query.ts';
import { Decimal } from '../../../src/kernel/decimal.ts';

const satisfies = (value: Value, op: PushableOp, wanted: string | Decimal) =>
  matches(value, { field: '', op, value: wanted });

/** Texts without lone surrogates, rich in what UTF-16 units sort wrongly. */
const wellFormed = fc
  .array(
    fc.oneof(
      fc.constantFrom('a', '\ud7ff', '\ue000', '\uffff', '\u{10000}', '\u{10ffff}', '😀'),
      fc.string({ unit: 'binary', maxLength: 2 }),
    ),
    {
      maxLength: 5,
    },
  )
  .map((pieces) => pieces.join(''));

function oracle(a: string, b: string): number {
  const [left, right] = [a, b].map((text) => Array.from(text, (character) => character.codePointAt(0)!));
  const at = left!.findIndex((point, i) => point !== right![i]);
  if (at >= 0 && at < right!.length) return Math.sign(left![at]! - right![at]!);
  return Math.sign(left!.length - right!.length);
}

describe('comparing texts', () => {
  it('goes by code point', () => {
    fc.assert(
      fc.property(wellFormed, wellFormed, (a, b) => {
        expect(Math.sign(compareCodePoints(a, b))).toBe(oracle(a, b));
      }),
      { numRuns: 2_000 },
    );
  });

  it('is the order of the UTF-8 bytes', () => {
    fc.assert(
      fc.property(wellFormed, wellFormed, (a, b) => {
        expect(Math.sign(compareCodePoints(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)));
      }),
    );
  });
});

describe('the key of an id', () => {
  it('compares as the numbers do, of any size', () => {
    const number = fc.bigInt({ min: 0n, max: 10n ** 122n });
    fc.assert(
      fc.property(number, number, (a, b) => {
        const order = compareCodePoints(idSortKey(`user_${a}`), idSortKey(`user_${b}`));
        expect(Math.sign(order)).toBe(a < b ? -1 : a > b ? 1 : 0);
      }),
    );
  });

  it('differs for different ids', () => {
    const id = fc.stringMatching(/^user_[A-Za-z0-9_.~-]{1,6}$/);
    fc.assert(fc.property(id, id, (a, b) => expect(idSortKey(a) === idSortKey(b)).toBe(a === b)));
  });
});

describe('the order of ids', () => {
  it('is that of their keys', () => {
    const byId = compileOrder({ field: 'id', descending: false }, { kind: 'id' });
    const id = fc.oneof(
      fc.stringMatching(/^user_[0-9]{1,4}$/),
      fc.stringMatching(/^[a-z_]{0,2}_?[0-9a_é]{0,3}$/),
      fc.bigInt({ min: 0n, max: 10n ** 30n }).map((number) => `user_${number}`),
    );
    fc.assert(
      fc.property(id, id, (a, b) => {
        const order = compareCodePoints(idSortKey(a), idSortKey(b));
        expect(Math.sign(byId({ id: a }, { id: b }))).toBe(Math.sign(order));
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('a filter', () => {
  const price = (text: string) => Decimal.parse(text)!;

  it.each<[string, 'ge' | 'le', string, boolean]>([
    ['10', 'ge', '10.00', true],
    ['9.99', 'ge', '10', false],
    ['10.00', 'le', '10', true],
    ['10.01', 'le', '10', false],
    ['-1', 'le', '0', true],
  ])('%s %s %s is %s: both bounds are inclusive', (value, op, bound, expected) =>
    expect(satisfies(price(value), op, price(bound))).toBe(expected),
  );

  it('is satisfied by no unknown value', () => {
    expect(satisfies(null, 'eq', 'a')).toBe(false);
    expect(satisfies(null, 'ge', price('0'))).toBe(false);
    expect(satisfies(null, 'le', price('0'))).toBe(false);
  });

  it('compares labels exactly: neither case nor spelling is forgiven', () => {
    expect(satisfies('Toys', 'eq', 'Toys')).toBe(true);
    expect(satisfies('Toys', 'eq', 'toys')).toBe(false);
    expect(satisfies('Toys ', 'eq', 'Toys')).toBe(false);
    expect(satisfies('\u00e9', 'eq', 'e\u0301')).toBe(false);
  });

  it('compares prices as compareKeys does', () => {
    expect(compareKeys(price('1.5'), price('1.50'))).toBe(0);
    expect(compareKeys(price('2'), price('10'))).toBeLessThan(0);
  });
});
