import type { CanonicalRecord } from '../../../src/contract/response-body.ts';
import { compareRecords } from '../../../src/migration/compare/compare-records.ts';
import { readListBody } from '../../../src/migration/compare/read-body.ts';
import { compileDifferenceRules } from '../../../src/migration/compare/rules.ts';
import { createDifferenceSampler } from '../../../src/migration/compare/sample.ts';
import { compiledResource } from '../../support/compiled-contract.ts';

const things = compiledResource({
  singular: 'thing',
  id: { prefix: 'th' },
  fields: {
    count: { kind: 'integer' },
    paid: { kind: 'boolean' },
    tags: { kind: 'list', of: { kind: 'text' } },
    marks: { kind: 'list', of: { kind: 'text' }, unordered: true },
    lines: { kind: 'list', of: { sku: { kind: 'text' }, price: { kind: 'decimal' } } },
  },
});

const USUAL = {
  count: '1',
  paid: 'true',
  tags: '["a","b"]',
  marks: '["x","y"]',
  lines: '[{"sku":"A","price":1.50},{"sku":"B","price":2}]',
};
type Change = Partial<typeof USUAL>;

/** The record of a thing in the body of an answer, with some values in place of the usual ones. */
function recordOf(change: Change = {}): CanonicalRecord {
  const values = Object.entries({ ...USUAL, ...change }).map(([key, json]) => `"${key}":${json}`);
  const body = `{"data":[{"id":"th_1",${values.join(',')}}],"meta":{"total":1}}`;
  return readListBody(things, body).records[0] as CanonicalRecord;
}
const differences = (change: Change) =>
  compareRecords(things.itemFields, 'data[].', recordOf(), recordOf(change));

describe('lists of two services', () => {
  it('are compared with all that the body of an answer has', () => {
    expect(differences({})).toEqual([]);
    expect(differences({ count: '2', paid: 'false' }).map(({ path }) => path)).toEqual([
      'data[].count',
      'data[].paid',
    ]);
  });

  it.each([
    [{ tags: '["b","a"]' }, 'data[].tags[] value a b'],
    [{ tags: '["a"]' }, 'data[].tags[] value 2 1'],
    [{ tags: 'null' }, 'data[].tags missing ["a","b"] null'],
    [{ lines: '[{"sku":"A","price":9},{"sku":"B","price":9}]' }, 'data[].lines[].price value 1.50 9'],
    [{ lines: '[{"sku":"A","price":1.50},{"sku":null,"price":2}]' }, 'data[].lines[].sku missing B null'],
  ])('differ at the path of an element, once: %s', (change, wanted) => {
    const found = differences(change).map(
      ({ path, kind, legacy, new: other }) => `${path} ${kind} ${String(legacy)} ${String(other)}`,
    );
    expect(found).toEqual([wanted]);
  });

  it('do not differ by the digits of a number, nor by an order that means nothing', () => {
    expect(
      differences({ marks: '["y","x"]', lines: '[{"sku":"A","price":1.5},{"sku":"B","price":2.0}]' }),
    ).toEqual([]);
  });

  it('differ if one is missing and the other is empty', () => {
    const found = compareRecords(things.itemFields, '', recordOf({ tags: '[]' }), recordOf({ tags: 'null' }));
    expect(found.map(({ path, kind }) => `${path} ${kind}`)).toEqual(['tags missing']);
  });

  it('are told without their values', () => {
    const toSample = createDifferenceSampler({ secret: 's', showMask: [] });
    const [found] = differences({ tags: 'null' }).map((one) => toSample(one, 'q'));
    expect([found?.legacy, found?.new]).toEqual([{ type: 'list', length: 2 }, { type: 'null' }]);
  });

  it('are covered by a rule for the whole list', () => {
    const until = Number.MAX_SAFE_INTEGER;
    const isAccepted = compileDifferenceRules({
      ignore: [{ path: 'data[].lines', until }],
      tolerate: [],
    } as never);
    const [inLines] = differences({ lines: '[]' });
    const [inTags] = differences({ tags: '[]' });
    expect([inLines, inTags].map((one) => one && isAccepted(one, [], 0))).toEqual([true, false]);
  });
});
