import fc from 'fast-check';
import { compareIds, type ModelRecord } from '../../../support/model/contract-model.ts';
import { openSource, type Serve } from '../../../support/pipeline/scripted-source.ts';
import { expectedBody, matching, rowsReply, shopText, windowOf } from './shop.ts';

const text = fc.option(fc.constantFrom('', 'Lampe', 'Küche', 'Ku\u0308che', '😀', 'a"b\\c', ' x '), {
  nil: null,
});
const record: fc.Arbitrary<ModelRecord> = fc.record({
  id: fc
    .oneof(fc.nat(200).map(BigInt), fc.bigInt({ min: 2n ** 53n, max: 2n ** 53n + 9n }))
    .map((n) => `prod_${n}`),
  name: text,
  description: text,
  category: fc.option(fc.constantFrom('Toys', 'Home & Garden', 'Küche', 'toys'), { nil: null }),
  price: fc.option(
    fc.constantFrom('0', '0.00', '1', '9.99', '10', '10.00', '10.01', '9007199254740993.12', '-1.5'),
    { nil: null },
  ),
});
const catalogue = fc.uniqueArray(record, { selector: ({ id }) => id, maxLength: 60 });

const exactness = fc.constantFrom('exact', 'superset', 'none');
const shop = fc.record({
  window: fc.oneof(
    fc.integer({ min: 1, max: 70 }).map((sizeMax) => ({
      window: `{ kind: offset, sizeMax: ${sizeMax} }`,
      query: "{ from: '{offset}', n: '{limit}' }",
    })),
    fc.uniqueArray(fc.integer({ min: 1, max: 70 }), { minLength: 1, maxLength: 3 }).map((sizes) => ({
      window: `{ kind: page, base: 0, sizes: [${sizes.join()}] }`,
      query: "{ page: '{page}', n: '{limit}' }",
    })),
    fc.constant({ window: '{ kind: none }', query: '{}' }),
  ),
  total: fc.constantFrom('{ at: hits }', '{ at: hits }', ''),
  order: fc.constantFrom('id', 'id', 'unknown'),
  category: exactness,
  low: exactness,
  high: exactness,
  pastEnd: fc.boolean(),
});
type Shop = typeof shop extends fc.Arbitrary<infer T> ? T : never;

const bound = fc.constantFrom('0', '1', '9.99', '9.991', '10.00', '9007199254740993.12');
const question = fc
  .record(
    {
      page: fc.constantFrom('1', '2', '3', '9', '1000000000'),
      limit: fc.constantFrom('1', '7', '10', '50', '100'),
      category: fc.constantFrom('Toys', 'Home & Garden', 'Küche', 'Ku\u0308che', 'toys', 'Nobody'),
      min_price: bound,
      max_price: bound,
    },
    { requiredKeys: [] },
  )
  .filter(({ min_price = '0', max_price = '9e99' }) => Number(min_price) < Number(max_price))
  .map((parameters) => new URLSearchParams(parameters).toString());

function textOf({ window, total, order, category, low, high }: Shop): string {
  const filters = `
        category: { eq: { query: { cat: '{value}' }, exactness: ${category} } }
        price: { ge: { query: { min: '{value}' }, exactness: ${low} }, le: { query: { max: '{value}' }, exactness: ${high} } }`;
  return shopText({ ...window, total, order, filters });
}

/** A shop that keeps every claim of its file, and not more: it has rows too many where the file says superset. */
function serveAs({ total, order, category, low, high, pastEnd }: Shop, rows: readonly ModelRecord[]): Serve {
  const stored = order === 'id' ? rows.toSorted((a, b) => compareIds(a.id, b.id)) : rows;
  const exact = Object.entries({ cat: category, min: low, max: high })
    .filter(([, how]) => how === 'exact')
    .map(([name]) => name);
  return (asked) => {
    const kept = Object.entries(asked.parameters).filter(([name]) => exact.includes(name));
    const found = matching(Object.fromEntries(kept), stored);
    const window = windowOf(asked, found);
    if (pastEnd && window.length === 0) return { ...rowsReply([]), status: 404 };
    return rowsReply(window, total === '' ? undefined : found.length);
  };
}

describe('any question on any catalogue, whatever the source can do', () => {
  it('is answered as the contract promises, to the byte', async () => {
    await fc.assert(
      fc.asyncProperty(
        catalogue,
        shop,
        fc.array(question, { minLength: 1, maxLength: 3 }),
        async (rows, what, questions) => {
          const source = openSource('products', textOf(what), serveAs(what, rows));
          for (const raw of questions)
            expect(await source.list(raw)).toBe(expectedBody('products', rows, raw));
          expect(source.contradicted).toEqual([]);
        },
      ),
      { numRuns: 400 },
    );
  });
});
