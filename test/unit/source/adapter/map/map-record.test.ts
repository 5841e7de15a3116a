import { CHECKED, locationIn } from '../../../../../src/source/adapter/spec/spec-location.ts';
import fc from 'fast-check';
import { compileMapping } from '../../../../../src/source/adapter/map/map-record.ts';
import { compileIdCodec } from '../../../../../src/source/adapter/map/native-id.ts';
import type { MappingSpec } from '../../../../../src/config/schema/source.ts';
import { resources } from '../../../../support/reference.ts';
import { Decimal } from '../../../../../src/kernel/decimal.ts';
import { readJson } from '../../../../../src/kernel/json/json.ts';

const { products, users } = resources;
const from = (path: string, ...as: MappingSpec[string]['as']) => ({ from: path, as });
const plain: MappingSpec = {
  id: from('id'),
  name: from('name'),
  description: from('text'),
  price: from('price'),
  category: from('cat'),
};

const numberIds = (prefix: string) => compileIdCodec({ kind: 'number' }, prefix, CHECKED);

/** A record, made by a mapping, and the missing values that were told on the way. */
function mapped(json: string, change: Partial<MappingSpec> = {}) {
  const missingValues: string[] = [];
  const map = compileMapping(
    { ...plain, ...change } as MappingSpec,
    products.itemFields,
    numberIds('prod'),
    locationIn((path, message) => {
      throw new Error(`${path.join('.')}: ${message}`);
    }),
  );
  const record = map(readJson(json), (field, reason) => missingValues.push(`${field} ${reason}`));
  return { record, missingValues };
}

describe('a record', () => {
  it('is built from the named fields, and from nothing else', () => {
    const { record, missingValues } = mapped(
      '{"id":1,"name":"Lamp","text":"","price":9.90,"cat":"Home","cost":3,"password":"canary","__proto__":{"x":"canary"}}',
    );
    expect(missingValues).toEqual([]);
    expect(Object.keys(record!)).toEqual(['id', 'name', 'description', 'price', 'category']);
    expect(record).toMatchObject({ id: 'prod_1', name: 'Lamp', description: '', category: 'Home' });
    expect(String(record!['price'])).toBe('9.90');
  });

  it('carries nothing over that is not mapped, whatever the row holds', () => {
    const map = compileMapping(plain, products.itemFields, numberIds('prod'), CHECKED);
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (row) => {
        const record = map(readJson(JSON.stringify({ ...row, id: 1 })), () => undefined)!;
        expect(Object.keys(record)).toEqual(['id', 'name', 'description', 'price', 'category']);
        for (const [field, value] of Object.entries(record)) {
          const sound =
            value === null || (field === 'price' ? value instanceof Decimal : typeof value === 'string');
          expect(sound).toBe(true);
        }
      }),
    );
  });

  it('has null for a missing field, and reports the missing value', () => {
    const { record, missingValues } = mapped('{"id":1,"name":null,"price":null}');
    expect(record).toEqual({ id: 'prod_1', name: null, description: null, price: null, category: null });
    expect(missingValues).toEqual(['description missing', 'category missing']);
  });

  it.each(['{}', '[]', '["a"]', 'true', '0.5', '7', '"\\ud800"'])(
    'has null where a name is %s, and tells it',
    (json) => {
      const { record, missingValues } = mapped(`{"id":1,"name":${json},"text":"","price":1,"cat":""}`);
      expect(record!['name']).toBeNull();
      expect(missingValues).toEqual(['name unreadable']);
    },
  );

  it.each(['"n/a"', '"9,90"', '{}', '[1]', 'true', '""', '1e400'])(
    'has null where a price is %s, and tells it',
    (json) => {
      const { record, missingValues } = mapped(`{"id":1,"name":"","text":"","price":${json},"cat":""}`);
      expect(record!['price']).toBeNull();
      expect(missingValues).toEqual(['price unreadable']);
    },
  );

  it('stops at the first step that cannot read a value', () => {
    const { record, missingValues } = mapped('{"id":1,"name":"","text":"","price":"x","cat":""}', {
      price: from('price', 'cents', { nullIf: ['x'] }),
    });
    expect([record!['price'], missingValues]).toEqual([null, ['price unreadable']]);
  });

  it('reports no missing value for values that mean "unknown"', () => {
    const { record, missingValues } = mapped('{"id":1,"name":"","text":"-","price":"n/a","cat":""}', {
      description: from('text', { nullIf: ['-'] }),
      price: from('price', { nullIf: ['n/a'] }, 'cents'),
    });
    expect([record!['description'], record!['price'], missingValues]).toEqual([null, null, []]);
  });

  it.each(['{}', '{"id":null}', '{"id":"a"}', '{"id":{}}', '{"id":[1]}', '[]', '"text"', 'null', '7'])(
    'is none where it has no usable id: %s',
    (json) => expect(mapped(json).record).toBeUndefined(),
  );
});

describe('a name in two parts', () => {
  const spec: MappingSpec = {
    id: from('id'),
    name: { from: ['a', 'b'], as: [{ join: ' ' }] },
    email: from('mail'),
    created_at: from('at', 'epochSeconds'),
  };
  const map = compileMapping(spec, users.itemFields, numberIds('user'), CHECKED);
  const nameOf = (json: string) => {
    const missingValues: string[] = [];
    const record = map(readJson(json), (field, reason) => missingValues.push(`${field} ${reason}`))!;
    return [record['name'], missingValues.filter((gap) => gap.startsWith('name'))];
  };

  it.each([
    ['{"id":1,"a":"Ada","b":"Lovelace"}', 'Ada Lovelace', []],
    ['{"id":1,"b":"Lovelace"}', 'Lovelace', ['name absent']],
    ['{"id":1,"a":null,"b":null}', null, []],
    ['{"id":1}', null, ['name missing']],
    ['{"id":1,"a":{},"b":"Lovelace"}', null, ['name unreadable']],
  ])('%s is %j', (json, name, missingValues) => expect(nameOf(json)).toEqual([name, missingValues]));
});

describe('a field that the source does not have', () => {
  it('is null, and no missing value', () => {
    const { record, missingValues } = mapped('{"id":1,"name":"a","text":"b","price":2,"cat":"c"}', {
      description: { from: [], as: [] },
    });
    expect(record?.['description']).toBeNull();
    expect(missingValues).toEqual([]);
  });
});

describe('a constant', () => {
  it('is in every record, and no missing value', () => {
    const { record, missingValues } = mapped('{"id":1,"name":"a","text":"b"}', {
      category: { from: [], as: [], value: 'Toys' },
      price: { from: [], as: [], value: '19.90' },
    });
    expect([record?.['category'], String(record?.['price'])]).toEqual(['Toys', '19.90']);
    expect(missingValues).toEqual([]);
  });
});

describe('a default', () => {
  it('replaces missing and unknown values, and only reports that a key is absent; unreadable ones stay null', () => {
    const category = from('cat', { nullIf: ['-'] }, 'text', { default: 'Other' });
    const of = (cat: string) => mapped(`{"id":1,"name":"a","text":"b","price":1${cat}}`, { category });
    for (const [cat, value, missingValues] of [
      ['', 'Other', ['category absent']],
      [',"cat":null', 'Other', []],
      [',"cat":"-"', 'Other', []],
      [',"cat":"Toys"', 'Toys', []],
      [',"cat":{}', null, ['category unreadable']],
    ] as const) {
      expect([of(cat).record?.['category'], of(cat).missingValues]).toEqual([value, missingValues]);
    }
  });
});
