import { compileText, productsText } from '../../../../support/pipeline/source-text.ts';

const mapLine = (field: string, as: string) =>
  productsText().replace(new RegExp(`${field}: ${field}`), `${field}: ${as}`);

describe('an invalid step is reported with its place and reason', () => {
  it.each<[string, string, string, string]>([
    [
      'a default that is no price',
      mapLine('price', '{ from: price, as: [{ default: n/a }] }'),
      'list.map.price.as[0].default',
      'makes no value of price, which is decimal',
    ],
    [
      'a default that later steps cannot read',
      mapLine('price', '{ from: price, as: [{ default: "1.5" }, cents] }'),
      'list.map.price.as[0].default',
      'makes no value of price, which is decimal',
    ],
    [
      'a constant that is no price',
      mapLine('price', '{ value: cheap }'),
      'list.map.price.value',
      'is not a value of price, which is decimal',
    ],
    ['a constant id', mapLine('id', '{ value: 7 }'), 'list.map.id', 'every record has an id of its own'],
    [
      'an expression without a group',
      mapLine('name', '{ from: a, as: [{ match: "^x" }] }'),
      'list.map.name.as[0].match',
      '"^x" has no group',
    ],
    [
      'an expression that is none',
      mapLine('name', '{ from: a, as: [{ match: "(" }] }'),
      'list.map.name.as[0].match',
      '"(" is not a regular expression',
    ],
    [
      'a path into JSON that is none',
      mapLine('name', '{ from: a, as: [{ parseJson: "a..b" }] }'),
      'list.map.name.as[0].parseJson',
      '"a..b" is not a path',
    ],
    [
      'a currency at a path that is none',
      mapLine('price', '{ from: p, as: [{ money: { amount: a, currency: "c c", expect: EUR } }] }'),
      'list.map.price.as[0].money.currency',
      '"c c" is not a path',
    ],
    [
      'a piece of text for a price',
      mapLine('price', '{ from: price, as: [{ split: { by: " ", at: 0 } }] }'),
      'list.map.price.as',
      'yields text, but price is decimal',
    ],
  ])('%s', (_name, text, path, message) => {
    const [first, ...others] = compileText('products', text).problems;
    expect(others).toEqual([]);
    expect(first).toContain(`resources.products.${path}: ${message}`);
  });
});

describe('a time that there is not', () => {
  it.each([
    ['{ value: "2020-02-31T25:61:61Z" }', 'value: is not a value of created_at, which is datetime'],
    [
      '{ from: created_at, as: [{ default: "2020-02-31T25:61:61Z" }] }',
      'as[0].default: makes no value of created_at, which is datetime',
    ],
  ])('is refused where a source file states it: %s', (mapping, message) => {
    const text = `
resources:
  users:
    id: { kind: number }
    list:
      request: { path: /u, query: { from: '{offset}', n: '{limit}' } }
      window: { kind: offset, sizeMax: 40 }
      items: items
      map: { id: id, name: name, email: email, created_at: ${mapping} }
`;
    expect(compileText('users', text).problems.join('\n')).toContain(`list.map.created_at.${message}`);
  });
});
