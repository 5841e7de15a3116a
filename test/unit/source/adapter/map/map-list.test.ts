import type { MappingSpec } from '../../../../../src/config/schema/source.ts';
import { mapping } from '../../../../../src/config/schema/mapping/mapping.ts';
import { readJson } from '../../../../../src/kernel/json/json.ts';
import { explainRecord } from '../../../../../src/source/adapter/map/explain-record.ts';
import { compileMapping } from '../../../../../src/source/adapter/map/map-record.ts';
import { compileIdCodec } from '../../../../../src/source/adapter/map/native-id.ts';
import { CHECKED, locationIn } from '../../../../../src/source/adapter/spec/spec-location.ts';
import { compiledResource } from '../../../../support/compiled-contract.ts';

const { itemFields } = compiledResource({
  singular: 'thing',
  id: { prefix: 'th' },
  fields: {
    tags: { kind: 'list', of: { kind: 'text' }, max: 3 },
    days: { kind: 'list', of: { kind: 'date' } },
    lines: {
      kind: 'list',
      of: {
        sku: { kind: 'text', required: true },
        quantity: { kind: 'integer' },
        to: { kind: 'reference', to: 'things' },
      },
    },
  },
});
const own = compileIdCodec({ kind: 'number' }, 'th', CHECKED);
const codec = { ...own, references: new Map([['things', own]]) };
const MAP = {
  id: 'id',
  tags: { from: 'tags', each: { as: ['trim'] } },
  days: 'days',
  lines: { from: 'lines', each: { map: { sku: 'no', quantity: 'n', to: 'to' } } },
};
const specOf = (change: object = {}): MappingSpec => mapping.parse({ ...MAP, ...change });

function mapped(json: string, change: object = {}) {
  const told: unknown[] = [];
  const record = compileMapping(
    specOf(change),
    itemFields,
    codec,
    CHECKED,
  )(readJson(`{"id":1,${json}}`), (field, reason, found) => told.push([field, reason, found]));
  const { tags, days, lines } = record ?? { id: '', tags: undefined, days: undefined, lines: undefined };
  return { tags: String(tags), days: String(days), lines: String(lines), told };
}

describe('a list of a source', () => {
  it('is read element by element, each with its steps, its fields and the ids of its references', () => {
    const { tags, days, lines, told } = mapped(
      '"tags":[" a","b "],"days":["2025-01-01"],"lines":[{"no":"A","n":2.0,"to":7},{"no":"B","n":null,"to":null}]',
    );
    expect([tags, days, lines, told]).toEqual([
      '["a","b"]',
      '["2025-01-01"]',
      '[{"sku":"A","quantity":2,"to":"th_7"},{"sku":"B","quantity":null,"to":null}]',
      [],
    ]);
  });

  it('is empty only if the source says so, and null if it is absent or null', () => {
    const { tags, days, lines, told } = mapped('"tags":[],"lines":null');
    expect([tags, days, lines]).toEqual(['[]', 'null', 'null']);
    expect(told).toEqual([['days', 'missing', undefined]]);
  });

  it.each([
    ['"tags":["a",true]', ['tags', { '[1]': true }]],
    ['"tags":["a",null]', ['tags', { '[1]': null }]],
    ['"tags":["a",["b"]]', ['tags', { '[1]': ['b'] }]],
    ['"tags":"a"', ['tags', 'a']],
    ['"tags":["1","2","3","4"]', ['tags', ['1', '2', '3', '4']]],
    [
      '"lines":[{"no":"A"},{"no":"B","n":1.5}]',
      ['lines', { '[1].quantity': { no: 'B', n: expect.anything() as unknown } }],
    ],
    ['"lines":[{"n":1}]', ['lines', { '[0].sku': { n: 1 } }]],
    ['"lines":["A"]', ['lines', { '[0]': 'A' }]],
    ['"lines":{"no":"A"}', ['lines', { no: 'A' }]],
  ])(
    'is missing as a whole if an element is unreadable, which is told with its place: %s',
    (json, [field, found]) => {
      const made = mapped(json) as unknown as Record<string, unknown>;
      expect(made[field as string]).toBe('null');
      expect((made.told as unknown[][]).filter(([, reason]) => reason === 'unreadable')).toEqual([
        [field, 'unreadable', found],
      ]);
    },
  );

  it('is explained with the value that the mapping gives it', () => {
    const explained = explainRecord(
      specOf(),
      itemFields,
      codec,
      readJson('{"id":1,"tags":["a"],"lines":["A"]}'),
    );
    expect(
      explained.map(({ field, state, value }) => [field, state, value === null ? null : String(value)]),
    ).toEqual([
      ['id', 'known', 'th_1'],
      ['tags', 'known', '["a"]'],
      ['days', 'missing', null],
      ['lines', 'unreadable', null],
    ]);
  });

  it.each([
    [{ tags: { from: 'tags', as: ['trim'] } }, 'tags.as: yields text, but tags is list'],
    [
      { tags: { from: 'tags', as: [{ default: 'a' }] } },
      'tags.as.0.default: makes no value of tags, which is list',
    ],
    [{ tags: { value: 'a' } }, 'tags.value: is not a value of tags, which is list'],
    [{ tags: { from: 'tags', each: { map: { a: 'b' } } } }, 'tags.each.map: the elements are no objects'],
    [{ days: { from: 'days', each: { as: ['trim'] } } }, 'days.each.as: yields text, but days is date'],
    [{ lines: 'lines' }, 'lines.each: the field "sku" of an element has no source'],
    [
      { lines: { from: 'lines', each: { as: ['trim'], map: { sku: 'no', quantity: 'n', to: 'to' } } } },
      'lines.each.as: the elements are objects',
    ],
    [
      { lines: { from: 'lines', each: { map: { sku: 'no', quantity: 'n', to: 'to', colour: 'c' } } } },
      'lines.each.map.colour: unknown field of an element "colour"',
    ],
  ])('is mapped in no other way: %j', (change, wanted) => {
    const problems: string[] = [];
    const here = locationIn((path, message) => void problems.push(`${path.join('.')}: ${message}`));
    compileMapping(specOf(change), itemFields, codec, here);
    expect(problems).toContain(wanted);
  });
});
