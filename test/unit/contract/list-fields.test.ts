import { contractSchema } from '../../../src/contract/contract-schema.ts';
import { ListValue } from '../../../src/contract/list-value.ts';
import { isSameValue, matches } from '../../../src/contract/order.ts';
import { listBody } from '../../../src/contract/response-body.ts';
import { Decimal } from '../../../src/kernel/decimal.ts';
import { compileRowCodec } from '../../../src/store/scan-cache/row-codec.ts';
import { compiledContract, compiledResource } from '../../support/compiled-contract.ts';

const lines = {
  kind: 'list',
  of: { sku: { kind: 'text', required: true }, price: { kind: 'decimal' } },
} as const;
const things = compiledResource({
  singular: 'thing',
  id: { prefix: 'th' },
  fields: { tags: { kind: 'list', of: { kind: 'text' }, max: 3 }, box: { lines } },
  filters: { tag: { field: 'tags', is: 'has' } },
});
const fieldOf = (name: string) => {
  const field = things.itemFields.find((one) => one.name === name);
  if (field === undefined) throw new Error(name);
  return field;
};
const price = (text: string) => Decimal.parse(text) as Decimal;
const line = (sku: string | null, text: string | null) => ({
  sku,
  price: text === null ? null : price(text),
});

describe('a canonical list', () => {
  it('is written as JSON, with the digits of its numbers and the keys of its fields', () => {
    const record = {
      id: 'th_1',
      tags: new ListValue(['a"b', 'é']),
      'box.lines': new ListValue([line('A', '1.50'), line('B', null)]),
    };
    expect(listBody(things, [record], { total: 1, page: 1, limit: 1 })).toBe(
      String.raw`{"data":[{"id":"th_1","tags":["a\"b","é"],"box":{"lines":[{"sku":"A","price":1.50},{"sku":"B","price":null}]}}],"meta":{"total":1,"page":1,"limit":1}}`,
    );
  });

  it.each([
    ['tags', new ListValue([]), true],
    ['tags', null, true],
    ['tags', new ListValue(['a', 'b', 'c', 'd']), false],
    ['tags', new ListValue([price('1')]), false],
    ['tags', ['a'], false],
    ['box.lines', new ListValue([line('A', null)]), true],
    ['box.lines', new ListValue([line(null, '1')]), false],
    ['box.lines', new ListValue(['A']), false],
    ['box.lines', new ListValue([{ sku: 'A' }]), false],
  ])('never leaves with what its field does not have: %s %s', (name, value, wanted) => {
    expect(fieldOf(name).accepts(value)).toBe(wanted);
  });

  it('comes back from the values of a stored row as it was', () => {
    const codec = compileRowCodec(things.itemFields);
    const record = {
      id: 'th_1',
      tags: new ListValue(['a', 'b']),
      'box.lines': new ListValue([line('A', '1.50')]),
    };
    const stored: unknown = JSON.parse(JSON.stringify(codec.toValues(record)));
    expect(codec.fromValues(stored)).toEqual(record);
    expect(codec.fromValues(['th_1', null, [['A']]])).toBeUndefined();
    expect(codec.fromValues(['th_1', 'a', null])).toBeUndefined();
  });

  it('has an element by its value, and the same elements in the same order make the same list', () => {
    const has = (value: string | Decimal, ...elements: (string | Decimal)[]) =>
      matches(new ListValue(elements), { field: 'tags', op: 'has', value });
    expect([has('a', 'b', 'a'), has('A', 'a'), has(price('1.5'), price('1.50')), has('a')]).toEqual([
      true,
      false,
      true,
      false,
    ]);
    expect(matches(null, { field: 'tags', op: 'has', value: 'a' })).toBe(false);
    const same = (a: Decimal[], b: Decimal[]) => isSameValue(new ListValue(a), new ListValue(b));
    expect([
      same([price('1.5')], [price('1.50')]),
      same([price('1'), price('2')], [price('2'), price('1')]),
    ]).toEqual([true, false]);
  });

  it('is asked for an element that it may have: not for one below the least', () => {
    const { filters } = compiledResource({
      singular: 'thing',
      id: { prefix: 'th' },
      fields: { marks: { kind: 'list', of: { kind: 'integer', minimum: 1 } } },
      filters: { mark: { field: 'marks', is: 'has' } },
    });
    expect(filters[0]).toMatchObject({ op: 'has', kind: 'integer', minimum: 1, isSigned: false });
  });

  it('is a list or null in JSON Schema, and says how many elements it has at most', () => {
    expect(fieldOf('tags').schema).toEqual({
      type: ['array', 'null'],
      items: { type: 'string' },
      maxItems: 3,
    });
    expect(fieldOf('box.lines').schema).toMatchObject({
      maxItems: 1000,
      items: { required: ['sku', 'price'], additionalProperties: false },
    });
  });
});

describe('a contract with lists', () => {
  const problemsOf = (change: object) => {
    const base = {
      singular: 'thing',
      id: { prefix: 'th' },
      fields: { tags: { kind: 'list', of: { kind: 'text' } }, lines },
    };
    return compiledContract({ things: { ...base, ...change } }).problems;
  };

  it.each<[object, string]>([
    [{ sort: ['tags'] }, 'resources.things.sort.0: tags is a list, which has no order'],
    [{ order: ['-tags'] }, 'resources.things.order: tags is a list, which has no order'],
    [
      { filters: { sku: { field: 'lines', is: 'has' } } },
      'resources.things.filters.sku.is: a filter cannot ask for has of a list of objects',
    ],
    [
      { filters: { tag: { field: 'tags', is: 'equal' } } },
      'resources.things.filters.tag.is: a filter cannot ask for equal of a field of the kind list',
    ],
    [{ fields: { l: { kind: 'list', of: {} } } }, 'resources.things.fields.l.of: an object without fields'],
    [
      { fields: { l: { kind: 'list', of: { id: { kind: 'text' } } } } },
      'resources.things.fields.l.of.id: the name "id" is reserved',
    ],
    ...['toString', 'valueOf', 'hasOwnProperty', 'constructor'].map((name): [object, string] => [
      { fields: { [name]: { kind: 'text' } } },
      `resources.things.fields.${name}: the name "${name}" is reserved`,
    ]),
    [
      { fields: { l: { kind: 'list', of: { kind: 'reference', to: 'constructor' } } } },
      'resources.things.fields.l.of.to: the contract has no resource constructor',
    ],
    [
      { fields: { l: { kind: 'list', of: { kind: 'reference', to: 'nobody' } } } },
      'resources.things.fields.l.of.to: the contract has no resource nobody',
    ],
  ])('is refused where a list cannot keep it: %j', (change, wanted) => {
    expect(problemsOf(change)).toContain(wanted);
  });

  it('has no list in a list', () => {
    const inner = { kind: 'list', of: { kind: 'text' } };
    for (const element of [inner, { inner }])
      expect(
        contractSchema.safeParse({
          contract: 1,
          title: 'T',
          resources: {
            things: { singular: 'thing', id: { prefix: 'th' }, fields: { l: { kind: 'list', of: element } } },
          },
        }).success,
      ).toBe(false);
  });
});
