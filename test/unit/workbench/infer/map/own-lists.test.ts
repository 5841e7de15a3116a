import type { JsonObject } from '../../../../../src/kernel/json/json.ts';
import { draftOf, type Fields } from './draft-of.ts';

const price = { kind: 'decimal', aliases: ['preis'] } as const;
const lines = { lines: { kind: 'list', of: { sku: { kind: 'text' }, price } } } as const;
const required = { sku: { kind: 'text', required: true }, price } as const;
const neededLines = { lines: { kind: 'list', of: required, required: true } } as const;
const buyers = { kind: 'list', of: { kind: 'reference', to: 'customers' } } as const;
const tags = { tags: { kind: 'list', of: { kind: 'text' } } } as const;

describe('a list that the code has never heard of is drafted without a question', () => {
  it.each<[string, Fields, readonly JsonObject[], unknown]>([
    ['a list of values', tags, [{ tags: ['a', 'b'] }, { tags: [] }, { tags: null }], 'tags'],
    [
      'a list of values that need steps',
      { counts: { kind: 'list', of: { kind: 'decimal' } } },
      [{ counts: ['1,50', '2,25'] }],
      { from: 'counts', each: { as: [{ number: { decimal: ',' } }] } },
    ],
    [
      'a list of objects, by what all records have in theirs',
      lines,
      [{ sku: 'x', lines: [{ sku: 'a' }] }, { lines: [{ sku: 'b', preis: '1,50' }] }, { lines: [] }],
      {
        from: 'lines',
        each: { map: { sku: 'sku', price: { from: 'preis', as: [{ number: { decimal: ',' } }] } } },
      },
    ],
    [
      'a list by its alias',
      { tags: { ...tags.tags, aliases: ['meta.labels'] } },
      [{ meta: { labels: ['a'] }, tags: 'a' }],
      'meta.labels',
    ],
  ])('%s', (_what, fields, rows, draft) => {
    expect(draftOf(fields, rows)).toEqual({ draft, edits: [] });
  });
});

describe('a list that the code has never heard of is a question', () => {
  it.each<[string, Fields, readonly JsonObject[], unknown, RegExp]>([
    [
      'for a list that has another name, with the lists that there are',
      tags,
      [{ labels: ['a'], meta: { words: ['b'] }, tags: 'a' }],
      null,
      /no list looks like tags: .*--map tags=<path>.*\(the records have labels, meta\.words\)/,
    ],
    ['for a list that is always empty', tags, [{ tags: [] }], null, /tags is empty in every record/],
    [
      'for a list of objects where values are promised',
      tags,
      [{ tags: [{ a: 1 }] }],
      null,
      /is it this list/,
    ],
    ['for a list of values where objects are promised', lines, [{ lines: ['a'] }], null, /is it this list/],
    ['for a list of other objects', lines, [{ lines: [{ at: 'x' }] }], null, /is it this list/],
    [
      'for a field of the elements that is not found',
      lines,
      [{ lines: [{ sku: 'a', sum: '4' }] }],
      { from: 'lines', each: { map: { sku: 'sku', price: null } } },
      /^no column looks like price: give its path, or leave it null \(/,
    ],
    [
      'for a list of values that is never null, under its own name',
      { tags: { ...tags.tags, required: true } },
      [{ labels: ['a'] }],
      'tags',
      /no list looks like tags: give its path, the contract requires it/,
    ],
    [
      'for a list of objects that is never null, and their fields that are never null',
      neededLines,
      [{ positions: [{ sku: 'a' }] }],
      { from: 'lines', each: { map: { sku: 'sku', price: null } } },
      /no list looks like lines: give its path, the contract requires it/,
    ],
    [
      'for a list that is never null and always empty, where it stands',
      neededLines,
      [{ order: { lines: [] }, at: 'x' }],
      { from: 'order.lines', each: { map: { sku: 'sku', price: null } } },
      /order\.lines is empty in every record/,
    ],
    [
      'for the list of another record',
      tags,
      [{ shop: { tags: ['a'] }, sum: 4, at: 'x' }],
      'shop.tags',
      /has its last name alone/,
    ],
  ])('%s', (_what, fields, rows, draft, edit) => {
    const found = draftOf(fields, rows);
    expect(found.draft).toEqual(draft);
    expect(found.edits.join('\n')).toMatch(edit);
  });

  it.each<[string, Fields, readonly JsonObject[]]>([
    ['a list of ids', { buyers }, [{ buyers: [5] }]],
    [
      'a list of objects that have one',
      { buyers: { kind: 'list', of: { customer: { ...buyers.of, required: true } } } },
      [{ buyers: [{ customer: 5 }] }],
    ],
  ])('for %s of records that the file does not describe', (_what, fields, rows) => {
    expect(draftOf(fields, rows, [])).toEqual({
      draft: null,
      edits: [expect.stringContaining('looks like the ids of customers')],
    });
  });

  it.each<[string, Fields]>([
    ['a list of ids', { buyers: { ...buyers, required: true } }],
    [
      'a list of objects that have one',
      { buyers: { kind: 'list', of: { customer: { ...buyers.of, required: true } }, required: true } },
    ],
  ])('unless it is %s that is never null: such a draft could not be read', (_what, fields) =>
    expect(() => draftOf(fields, [{ buyers: [] }], [])).toThrow(
      'is never null and refers to customers, which the draft does not describe',
    ),
  );
});
