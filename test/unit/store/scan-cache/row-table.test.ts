import fc from 'fast-check';
import { resources } from '../../../support/reference.ts';
import type { CanonicalRecord } from '../../../../src/contract/response-body.ts';
import { Decimal } from '../../../../src/kernel/decimal.ts';
import { compileRowCodec } from '../../../../src/store/scan-cache/row-codec.ts';
import { createRowTable, writeSegment } from '../../../../src/store/scan-cache/row-table.ts';
import { anyCharacter } from '../../../support/any-character.ts';

const codec = compileRowCodec(resources.products.itemFields);

const text = fc.option(fc.oneof(fc.string({ unit: anyCharacter }), fc.string(), fc.constant('\ud800')), {
  nil: null,
});
const decimal = fc
  .tuple(fc.oneof(fc.bigInt(), fc.bigInt({ min: -(10n ** 300n), max: 10n ** 300n })), fc.nat(400))
  .map(([digits, scale]) => new Decimal(digits, scale));
const record: fc.Arbitrary<CanonicalRecord> = fc.record({
  id: fc.oneof(
    fc.nat().map((n) => `prod_${n}`),
    fc.string({ minLength: 1 }),
  ),
  name: text,
  description: text,
  price: fc.option(decimal, { nil: null }),
  category: text,
});
const records = fc.array(record, { maxLength: 12 });

function tableOf(...parts: readonly (readonly CanonicalRecord[])[]) {
  return createRowTable(
    'table',
    codec,
    parts.map((part) => writeSegment(part.map((one) => JSON.stringify(codec.toValues(one))))),
  );
}

const same = (a: CanonicalRecord | undefined, b: CanonicalRecord) => {
  const { price, ...rest } = b;
  expect({ ...a, price: null }).toEqual({ ...rest, price: null });
  const [read, written] = [a?.['price'] as Decimal | null, price as Decimal | null];
  expect([read?.digits, read?.scale]).toEqual([written?.digits, written?.scale]);
};

describe('records that are kept as bytes', () => {
  it('come back as they were, to the digit and the last code unit, wherever they stand', () => {
    fc.assert(
      fc.property(fc.array(records, { maxLength: 5 }), (parts) => {
        const table = tableOf(...parts);
        const all = parts.flat();
        expect(table.count).toBe(all.length);
        for (const [position, one] of all.entries()) same(table.record(position), one);
      }),
    );
  });

  it('have no row behind the last one', () => {
    const table = tableOf(
      [],
      [{ id: 'prod_1', name: 'n', description: null, price: null, category: null }],
      [],
    );
    expect(table.record(0)).toMatchObject({ id: 'prod_1' });
    expect(() => table.record(1)).toThrow('no row at this position');
    expect(() => tableOf().record(0)).toThrow('no row at this position');
  });
});

describe('values that are not those of a record', () => {
  it.each([
    [null],
    ['prod_1'],
    [['prod_1', 'n', null, null]],
    [[null, 'n', null, null, 'c']],
    [['prod_1', 7, null, null, 'c']],
    [['prod_1', 'n', null, '19.99', 'c']],
    [['prod_1', 'n', null, '1e-9999999999', 'c']],
  ])('are read as none: %j', (values) => {
    expect(codec.fromValues(values)).toBeUndefined();
  });
});
