import fc from 'fast-check';
import {
  compareCodePoints,
  compareIds,
  compareKeys,
  compileOrder,
  idSortKey,
  matches,
  sortFieldOf,
} from '../../../src/contract/order.ts';
import type { Field, Value } from '../../../src/contract/fields.ts';
import type { PushableOp } from '../../../src/contract/query.ts';
import { Decimal } from '../../../src/kernel/decimal.ts';
import { anyCharacter } from '../../support/any-character.ts';

const satisfies = (value: Value, op: Exclude<PushableOp, 'in'>, wanted: string | Decimal) =>
  matches(value, { field: '', op, value: wanted });

/** Texts without lone surrogates, rich in what UTF-16 units sort wrongly. */
const wellFormed = fc
  .array(
    fc.oneof(
      fc.constantFrom('a', '\ud7ff', '\ue000', '\uffff', '\u{10000}', '\u{10ffff}', '😀'),
      fc.string({ unit: anyCharacter, maxLength: 2 }),
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

/** The starts of ids: of a resource with a prefix, and of one without. */
const starts = ['user_', ''];
/** Source's own ids, rich in what looks like a number or like a prefix. */
const natives = fc.oneof(
  fc.stringMatching(/^[0-9]{1,4}$/),
  fc.stringMatching(/^(user_|_)?[0-9a_.~é-]{1,4}$/),
  fc.bigInt({ min: 0n, max: 10n ** 30n }).map(String),
);

/** The order of ids as the contract states it. */
function idOracle(a: string, b: string): number {
  const [left, right] = [a, b].map((id) => /^(0|[1-9]\d*)$/.test(id));
  if (left !== right) return left ? -1 : 1;
  if (!left) return oracle(a, b);
  return BigInt(a) < BigInt(b) ? -1 : Number(BigInt(a) > BigInt(b));
}

describe.each(starts)('an id that begins with "%s"', (start) => {
  it('is compared as the numbers are, of any size', () => {
    const number = fc.bigInt({ min: 0n, max: 10n ** 122n });
    fc.assert(
      fc.property(number, number, (a, b) => {
        const order = compareIds(`${start}${a}`, `${start}${b}`, start.length);
        expect(Math.sign(order)).toBe(a < b ? -1 : a > b ? 1 : 0);
      }),
    );
  });

  it('is compared as the contract says, numbers first, and is equal to itself alone', () => {
    fc.assert(
      fc.property(natives, natives, (a, b) => {
        const order = compareIds(start + a, start + b, start.length);
        expect(Math.sign(order)).toBe(idOracle(a, b));
        expect(order === 0).toBe(a === b);
      }),
      { numRuns: 2_000 },
    );
  });

  it('has a key that is compared as it is', () => {
    const keyOf = (native: string) => idSortKey(start + native, start.length);
    fc.assert(
      fc.property(natives, natives, (a, b) => {
        expect(Math.sign(compareCodePoints(keyOf(a), keyOf(b)))).toBe(idOracle(a, b));
      }),
      { numRuns: 2_000 },
    );
  });

  it('is compared in one order, whatever three ids they are', () => {
    fc.assert(
      fc.property(natives, natives, natives, (a, b, c) => {
        const compare = (one: string, other: string) => compareIds(start + one, start + other, start.length);
        if (compare(a, b) <= 0 && compare(b, c) <= 0) expect(compare(a, c)).toBeLessThanOrEqual(0);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('a reference', () => {
  it('is sorted by the prefix of its target, ties by that of the record', () => {
    const fields = [
      { name: 'id', kind: 'id', idStart: 0 },
      { name: 'owner', kind: 'reference', idStart: 5 },
    ] as unknown as readonly Field[];
    const sort = { field: 'owner', descending: false };
    const order = compileOrder(sort, sortFieldOf(fields, sort));
    const row = (id: string, owner: string) => ({ id, owner });
    const rows = [row('10', 'user_9'), row('9', 'user_10'), row('a', 'user_9'), row('2', 'user_9')];
    expect(rows.sort(order).map(({ id }) => id)).toEqual(['2', '10', 'a', '9']);
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
