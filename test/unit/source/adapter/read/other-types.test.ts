import type { Adapter } from '../../../../../src/source/adapter/compile.ts';
import { UNOBSERVED } from '../../../../../src/source/adapter/map/reply-observer.ts';
import { adapterOf, compileText, replyOf } from '../../../../support/pipeline/source-text.ts';

const textOf = (price: string, filters: string) => `
resources:
  products:
    id: { kind: number }
    list:
      request: { path: /products, query: { offset: '{offset}', limit: '{limit}' } }
      window: { kind: offset, sizeMax: 10 }
      total: { at: total }
      items: items
      order: id
      filters: ${filters}
      map: { id: id, name: name, description: null, price: ${price}, category: category }
`;

const PRICE =
  '{ price: { ge: { query: { min: "{value}" }, types: [number], exactness: exact }, le: { query: { max: "{value}" }, exactness: exact } } }';
const CATEGORY = '{ category: { eq: { query: { c: "{value}" }, types: [string], exactness: exact } } }';

type Reader = (adapter: Adapter, items: string) => unknown;
const reply = (items: string) => replyOf(`{"total": 2, "items": ${items}}`);
/** Only the general reader tells all types. */
const TYPED = { ...UNOBSERVED, onType: () => undefined };

const readers: Readonly<Record<string, Reader>> = {
  written: ({ list }, items) => list.readWritten(reply(items), UNOBSERVED).otherTypes,
  projecting: ({ list }, items) => list.read(reply(items), UNOBSERVED).otherTypes,
  general: ({ list }, items) => list.read(reply(items), TYPED).otherTypes,
};

const rows = (field: string, value: string) =>
  `[{"id": 1, "name": "a", "price": 5, "category": "Toys"}, {"id": 2, "name": "b"${value === '' ? '' : `, "${field}": ${value}`}}]`;

describe.each(Object.entries(readers))('the %s reader of a list', (_name, read) => {
  const noted = (text: string, field: string, value: string) =>
    read(adapterOf('products', text), rows(field, value));
  const priceIs = (type: string) => [{ capability: 'filter.price.ge', field: 'price', type }];

  it.each([
    ['"17.5"', 'string'],
    ['"\\u0031"', 'string'],
    ['"n/a"', 'string'],
    ['true', 'boolean'],
    ['false', 'boolean'],
    ['{"amount": 5}', 'object'],
    ['[5]', 'array'],
  ])('notes a price that is %s', (value, type) => {
    expect(noted(textOf('price', PRICE), 'price', value)).toEqual(priceIs(type));
  });

  it.each(['17.5', '-3', '1e3', '12345678901234567890', '0.10', 'null', ''])(
    'notes no price that is %s',
    (value) => {
      expect(noted(textOf('price', PRICE), 'price', value)).toBeUndefined();
    },
  );

  it.each(['5', '{"blob": "VG95cw=="}', 'true'])('notes a category that is %s', (value) => {
    expect(noted(textOf('price', CATEGORY), 'category', value)).toMatchObject([
      { capability: 'filter.category.eq', field: 'category' },
    ]);
  });

  it('allows what the steps know to be no value', () => {
    const text = textOf('{ from: price, as: [{ nullIf: [n/a] }] }', PRICE);
    expect(noted(text, 'price', '"n/a"')).toBeUndefined();
    expect(noted(text, 'price', '"17.5"')).toEqual(priceIs('string'));
  });

  it('looks at the amount of money', () => {
    const text = textOf(
      '{ from: price, as: [{ money: { amount: amount, currency: currency, expect: [EUR] } }] }',
      PRICE.replaceAll('exactness: exact', 'exactness: superset'),
    );
    const money = (amount: string) =>
      `[{"id": 1, "name": "a", "category": "b", "price": {"amount": ${amount}, "currency": "EUR"}}]`;
    const adapter = adapterOf('products', text);
    expect(read(adapter, money('5'))).toBeUndefined();
    expect(read(adapter, money('"5"'))).toEqual(priceIs('string'));
    expect(read(adapter, money('6'))).toBeUndefined();
  });

  it('looks at nothing where no filter states its types', () => {
    const text = textOf('price', PRICE.replace('types: [number], ', ''));
    expect(noted(text, 'price', '"17.5"')).toBeUndefined();
  });
});

describe('types of a field that the rows do not have at one path', () => {
  it('are refused', () => {
    const { problems } = compileText('products', textOf('{ from: [price, cents] }', PRICE));
    expect(problems.join('\n')).toContain('the rows of the list do not have the field at one path');
  });
});
