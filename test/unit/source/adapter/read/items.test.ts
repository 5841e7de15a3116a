import { locationIn } from '../../../../../src/source/adapter/spec/spec-location.ts';
import { compileItem, compileItems } from '../../../../../src/source/adapter/read/items.ts';
import { UNOBSERVED } from '../../../../../src/source/adapter/map/reply-observer.ts';
import { items, dropWhen } from '../../../../../src/config/schema/elements/rows.ts';
import { readJson } from '../../../../../src/kernel/json/json.ts';
import { refusal } from '../../../../support/pipeline/parse-as.ts';
import { adapterOf, productsText, replyOf } from '../../../../support/pipeline/source-text.ts';

const here = locationIn((path, message) => {
  throw new Error(`${path.join('.')}: ${message}`);
});

/** The rows of a document, as JSON. */
function rowsOf(spec: unknown, json: string, absent: 'invalid' | 'empty' = 'invalid'): unknown {
  const rows = compileItems(items.parse(spec), absent, here)(readJson(json));
  return rows === undefined ? undefined : JSON.parse(JSON.stringify(rows));
}

describe('a list of rows', () => {
  it.each<[unknown, string, unknown]>([
    ['', '[1]', [1]],
    ['a.b', '{"a":{"b":[]}}', []],
    [{ at: 'a' }, '{"a":[{"x":1}]}', [{ x: 1 }]],
    [{ at: 'edges', row: 'node' }, '{"edges":[{"node":{"id":1}},{"node":null},{}]}', [{ id: 1 }, null, null]],
    [{ row: '[1]' }, '[[1,"a"],[2,"b"]]', ['a', 'b']],
    ['a', '{"a":{}}', undefined],
    [{ at: 'a', row: 'x' }, '{"a":null}', undefined],
  ])('at %j of %s: %j', (spec, json, rows) => expect(rowsOf(spec, json)).toEqual(rows));
});

describe('a map of rows', () => {
  const map = { at: 'm', form: 'map' };

  it.each<[string, unknown]>([
    ['{"m":{}}', []],
    ['{"m":[]}', []],
    [
      '{"m":{"a":{"x":1},"b":{"x":2}}}',
      [
        { x: 1, $key: 'a' },
        { x: 2, $key: 'b' },
      ],
    ],
    ['{"m":{"a":{"$key":"forged"}}}', [{ $key: 'a' }]],
    [
      '{"m":{"a":"Ada","b":null,"c":[1]}}',
      [
        { $value: 'Ada', $key: 'a' },
        { $value: null, $key: 'b' },
        { $value: [1], $key: 'c' },
      ],
    ],
    ['{"m":[1]}', undefined],
    ['{"m":"x"}', undefined],
    ['{"m":1.5}', undefined],
    ['{}', undefined],
  ])('in %s: %j', (json, rows) => expect(rowsOf(map, json)).toEqual(rows));

  it('passes names on that mean something elsewhere', () => {
    const [row] = compileItems(
      items.parse(map),
      'invalid',
      here,
    )(readJson('{"m":{"__proto__":{"__proto__":{"x":1},"constructor":2}}}')) as Record<string, unknown>[];
    expect(Object.getPrototypeOf(row)).toBeNull();
    expect([row?.['$key'], row?.['constructor'], row?.['x']]).toEqual(['__proto__', 2, undefined]);
  });
});

describe('a table', () => {
  const named = { at: 'rows', form: 'table', columns: ['id', 'name'] };
  const table = { at: 'rows', form: 'table', columns: 'head' };
  const described = { ...table, columnName: 'n' };

  it.each<[unknown, string, unknown]>([
    [
      named,
      '{"rows":[[1,"a"],[2,null]]}',
      [
        { id: 1, name: 'a' },
        { id: 2, name: null },
      ],
    ],
    [named, '{"rows":[]}', []],
    [table, '{"head":["id","x"],"rows":[[1,"a"]]}', [{ id: 1, x: 'a' }]],
    [described, '{"head":[{"n":"id"},{"n":"x"}],"rows":[[1,"a"]]}', [{ id: 1, x: 'a' }]],
    [named, '{"rows":[[1]]}', undefined],
    [named, '{"rows":[[1,"a",3]]}', undefined],
    [named, '{"rows":[{"id":1,"name":"a"}]}', undefined],
    [table, '{"rows":[[1,"a"]]}', undefined],
    [table, '{"head":["id","id"],"rows":[[1,"a"]]}', undefined],
    [table, '{"head":["id",null],"rows":[[1,"a"]]}', undefined],
  ])('%j in %s: %j', (spec, json, rows) => expect(rowsOf(spec, json)).toEqual(rows));
});

describe('columns', () => {
  const columns = { at: 'c', form: 'columns' };

  it.each<[string, unknown]>([
    [
      '{"c":{"id":[1,2],"n":["a",null]}}',
      [
        { id: 1, n: 'a' },
        { id: 2, n: null },
      ],
    ],
    ['{"c":{"id":[]}}', []],
    ['{"c":{}}', []],
    ['{"c":{"id":[1,2],"n":["a"]}}', undefined],
    ['{"c":{"id":[1],"n":"a"}}', undefined],
    ['{"c":[]}', undefined],
  ])('in %s: %j', (json, rows) => expect(rowsOf(columns, json)).toEqual(rows));
});

describe('if a missing value means no rows', () => {
  it.each(['{}', '{"m":null}', '{"m":""}'])('%s has none, in every form', (json) => {
    for (const form of ['list', 'map', 'columns'])
      expect(rowsOf({ at: 'm', form }, json, 'empty')).toEqual([]);
    expect(rowsOf('m', json, 'empty')).toEqual([]);
    expect(rowsOf('m', '{"m":7}', 'empty')).toBeUndefined();
  });
});

describe('a single record in another form', () => {
  const item = compileItem(items.parse({ at: 'm', form: 'map' }), here);

  it('is the only row', () => {
    expect(item(readJson('{"m":{"7":{"x":1}}}'))).toEqual({ x: 1, $key: '7' });
    expect(item(readJson('{"m":{}}'))).toBeUndefined();
    expect(item(readJson('{"m":{"7":{},"8":{}}}'))).toBeUndefined();
  });
});

describe('rows that are no records', () => {
  const list = adapterOf(
    'products',
    productsText("dropWhen: [{ at: gone, equals: [true, 'Y'] }, { at: type, matches: '^(?!item$)' }]"),
  ).list;
  const read = (...rows: object[]) =>
    list.read(
      replyOf({
        rows: rows.map((row, id) => ({ id, name: '', description: '', price: 1, category: '', ...row })),
      }),
      UNOBSERVED,
    );

  it('are left out, and counted among the rows received', () => {
    const { records, received } = read(
      {},
      { gone: true },
      { gone: 'Y' },
      { gone: false },
      { type: 'item' },
      { type: 'x' },
    );
    expect([records.map(({ id }) => id), received]).toEqual([['prod_0', 'prod_3', 'prod_4'], 6]);
  });

  it('are reported by their ids if they have one', () => {
    expect(read({}, { gone: true }, { gone: true, id: 'x' }, { type: 'x' }).droppedIds).toEqual([
      'prod_1',
      'prod_3',
    ]);
  });

  it('need no id', () => {
    expect(read({ id: null, gone: true }).records).toEqual([]);
    expect(refusal(() => read({ id: null })).code).toBe('upstream_invalid_response');
  });

  it('are not asked about anything by default', () => expect(dropWhen.parse(undefined)).toEqual([]));
});
