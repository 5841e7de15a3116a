import fc from 'fast-check';
import type { CanonicalRecord } from '../../../../src/contract/response-body.ts';
import { Decimal } from '../../../../src/kernel/decimal.ts';
import { type Json, readJson } from '../../../../src/kernel/json/json.ts';
import { readPart, writeParts } from '../../../../src/pipeline/reading/large-replies/reply-parts.ts';
import { compileRowCodec } from '../../../../src/store/scan-cache/row-codec.ts';
import { resources } from '../../../support/reference.ts';

const { products } = resources;

const codec = compileRowCodec(products.itemFields);
const record = (n: number): CanonicalRecord => ({
  id: `prod_${n}`,
  name: n % 3 === 0 ? null : `näme "${n}"`,
  description: null,
  price: new Decimal(BigInt(n) * 10n ** 20n + 1n, 2),
  category: 'c',
});
const gap = fc.record({
  field: fc.constantFrom('name', 'price'),
  reason: fc.constantFrom('missing' as const, 'unreadable' as const),
  found: fc.constantFrom(undefined, 'null', '"x"', '19.990000000000000000001', '{"a":[1e400,"\\u0000"]}'),
});

type ReportedMissing = readonly [field: string, reason: string, found: Json | undefined];

describe('the rows of a reply that another thread reads', () => {
  it('come over as they are, with their missing values, in parts that are little', () => {
    const reply = fc.record({
      count: fc.nat(600),
      dropped: fc.nat(3),
      total: fc.option(fc.nat(), { nil: undefined }),
      next: fc.option(fc.string(), { nil: undefined }),
      missingValues: fc.array(gap, { maxLength: 400, size: 'max' }),
    });
    fc.assert(
      fc.property(reply, ({ count, dropped, total, next, missingValues }) => {
        const records = Array.from({ length: count }, (_, n) => record(n));
        const written = missingValues.map(({ found, ...rest }) => ({
          ...rest,
          found: found === undefined ? undefined : readJson(found),
        }));
        const parts = writeParts(codec, (onMissingValue) => {
          for (const { field, reason, found } of written) onMissingValue(field, reason, found);
          return { records, received: count + dropped, total, next };
        });
        const reported: ReportedMissing[] = [];
        const read = parts.map((part) =>
          readPart(codec, part, (...one) => reported.push(one as unknown as ReportedMissing)),
        );
        expect(read.flatMap((rows) => rows.records)).toEqual(records);
        expect(read.reduce((sum, { received }) => sum + received, 0)).toBe(count + dropped);
        expect(read.at(-1)).toMatchObject({ total, next });
        expect(reported).toEqual(written.map(({ field, reason, found }) => [field, reason, found]));
        for (const rows of read) expect(rows.records.length).toBeLessThanOrEqual(256);
      }),
      { numRuns: 20 },
    );
  });
});
