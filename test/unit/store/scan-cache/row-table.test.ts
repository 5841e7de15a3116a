import fc from 'fast-check';
import { products } from '../../../../src/contract/products.ts';
import type { CanonicalRecord } from '../../../../src/contract/response-body.ts';
import { Decimal } from '../../../../src/kernel/decimal.ts';
import { compileRowCodec } from '../../../../src/store/scan-cache/row-codec.ts';
import {
  createRowTable,
  readFrame,
  rowSeed,
  rowsIn,
  splitFrames,
  writeSegment,
} from '../../../../src/store/scan-cache/row-table.ts';

const codec = compileRowCodec(products.itemFields);
const seed = rowSeed('table');

const text = fc.option(fc.oneof(fc.string({ unit: 'binary' }), fc.string(), fc.constant('\ud800')), {
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
    parts.map((part) => writeSegment(seed, codec, part)),
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

  it('can be read alone, from where their place says', () => {
    fc.assert(
      fc.property(fc.array(records, { maxLength: 5 }), (parts) => {
        const table = tableOf(...parts);
        const bytes = Buffer.concat(table.segments.map((segment) => segment.bytes));
        expect(bytes).toHaveLength(table.bytes);
        for (const [position, one] of parts.flat().entries()) {
          const { offset, length } = table.spanOf(position);
          same(readFrame(seed, codec, bytes.subarray(offset, offset + length)), one);
        }
      }),
    );
  });

  it('can be read piece by piece, wherever the pieces are cut', () => {
    fc.assert(
      fc.property(records, fc.array(fc.nat(2_000), { maxLength: 6 }), (all, cuts) => {
        const { bytes } = writeSegment(seed, codec, all);
        const ends = [...cuts.map((cut) => Math.min(cut, bytes.length)).sort((a, b) => a - b), bytes.length];
        const segments = [];
        let [rest, from] = [Buffer.alloc(0), 0];
        for (const end of ends) {
          rest = Buffer.concat([rest, bytes.subarray(from, end)]);
          const segment = splitFrames(seed, rest)!;
          segments.push(segment);
          rest = rest.subarray(segment.bytes.length);
          from = end;
        }
        expect(rest).toHaveLength(0);
        const table = createRowTable('table', codec, segments);
        for (const [position, one] of all.entries()) same(table.record(position), one);
      }),
    );
  });
});

describe('bytes that are not those of the table', () => {
  const flipped = (bytes: Buffer, at: number, bit: number) => {
    const damaged = Buffer.from(bytes);
    damaged[at % damaged.length] = damaged[at % damaged.length]! ^ (1 << bit);
    return damaged;
  };

  it('are never read as a row, whichever bit is another', () => {
    fc.assert(
      fc.property(record, fc.nat(), fc.nat(7), (one, at, bit) => {
        const { bytes } = writeSegment(seed, codec, [one]);
        expect(readFrame(seed, codec, flipped(bytes, at, bit))).toBeUndefined();
      }),
      { numRuns: 500 },
    );
  });

  it('never make up the number of rows that there should be', () => {
    fc.assert(
      fc.property(fc.array(record, { minLength: 1, maxLength: 5 }), fc.nat(), fc.nat(7), (all, at, bit) => {
        const { bytes } = writeSegment(seed, codec, all);
        const segment = splitFrames(seed, flipped(bytes, at, bit));
        const isWhole = segment?.bytes.length === bytes.length && rowsIn(segment) === all.length;
        expect(isWhole).toBe(false);
      }),
      { numRuns: 500 },
    );
  });

  it('are those of another table, too, and those cut short', () => {
    const { bytes } = writeSegment(rowSeed('another'), codec, [
      { id: 'prod_1', name: 'n', description: null, price: null, category: null },
    ]);
    expect(readFrame(seed, codec, bytes)).toBeUndefined();
    expect(splitFrames(seed, bytes)).toBeUndefined();
    expect(readFrame(rowSeed('another'), codec, bytes)).toMatchObject({ id: 'prod_1' });
    for (const length of [0, 4, 8, bytes.length - 1])
      expect(readFrame(rowSeed('another'), codec, bytes.subarray(0, length))).toBeUndefined();
  });

  it.each([
    [null],
    ['prod_1'],
    [['prod_1', 'n', null, null]],
    [[null, 'n', null, null, 'c']],
    [['prod_1', 7, null, null, 'c']],
    [['prod_1', 'n', null, '19.99', 'c']],
    [['prod_1', 'n', null, '1e-9999999999', 'c']],
  ])('hold no record of other values: %j', (values) => {
    expect(codec.fromValues(values)).toBeUndefined();
  });
});
