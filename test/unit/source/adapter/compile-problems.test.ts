import { compileText, productsText } from '../../../support/pipeline/source-text.ts';

const problemsOf = (text: string) => compileText('products', text).problems;
const mapLine = (field: string, as: string) =>
  productsText().replace(new RegExp(`${field}: ${field}`), `${field}: ${as}`);

describe('an untranslatable source file is reported with place and reason', () => {
  it('or has nothing to tell', () => expect(problemsOf(productsText())).toEqual([]));

  it.each<[string, string, string, string]>([
    [
      'records without an id',
      productsText().replace('id: id', ''),
      'list.map',
      `the contract's field "id" has no source`,
    ],
    [
      'a field nobody knows',
      mapLine('price', 'price\n        prize: p'),
      'list.map.prize',
      'unknown field of the contract "prize"',
    ],
    ['a path that is none', mapLine('name', '"a..b"'), 'list.map.name.from', '"a..b" is not a path'],
    [
      'rows at a path that is none',
      productsText().replace('items: rows', 'items: ".rows"'),
      'list.items',
      '".rows" is not a path',
    ],
    [
      'a total at a path that is none',
      productsText('total: { at: "a b" }'),
      'list.total.at',
      '"a b" is not a path',
    ],
    [
      'a table without the names of its columns',
      productsText().replace('items: rows', 'items: { at: rows, form: table }'),
      'list.items',
      '`form: table` and `columns` belong together',
    ],
    [
      'columns of what is no table',
      productsText().replace('items: rows', 'items: { at: rows, columns: [a] }'),
      'list.items',
      '`form: table` and `columns` belong together',
    ],
    [
      'a path within a row that is none',
      productsText().replace('items: rows', 'items: { at: rows, row: "a..b" }'),
      'list.items.row',
      '"a..b" is not a path',
    ],
    [
      'half a condition for rows that are no records',
      productsText('dropWhen: [{ at: deleted }]'),
      'list.dropWhen[0]',
      '`at` and one of `equals`, `matches` and `present` belong together',
    ],
    [
      'steps for the id',
      mapLine('id', '{ from: id, as: [trim] }'),
      'list.map.id.as',
      'the id takes no steps',
    ],
    [
      'a text for a price',
      mapLine('price', '{ from: price, as: [trim] }'),
      'list.map.price.as',
      'yields text, but price is decimal',
    ],
    [
      'a price for a text',
      mapLine('name', '{ from: name, as: [cents] }'),
      'list.map.name.as',
      'yields decimal, but name is text',
    ],
    [
      'a date for a text',
      mapLine('name', '{ from: name, as: [iso8601] }'),
      'list.map.name.as',
      'yields instant, but name is text',
    ],
    [
      'several paths without a join',
      mapLine('name', '{ from: [a, b] }'),
      'list.map.name',
      'several paths need one `join`, as the first step',
    ],
    [
      'a join too late',
      mapLine('name', '{ from: [a, b], as: [trim, { join: " " }] }'),
      'list.map.name',
      'several paths need one `join`',
    ],
    [
      'two joins',
      mapLine('name', '{ from: [a, b], as: [{ join: " " }, { join: "-" }] }'),
      'list.map.name',
      'several paths need one `join`',
    ],
    [
      'a variable nobody fills in',
      productsText().replace("'{offset}'", "'{page}'"),
      'list.request.query.from',
      'unknown variable {page}',
    ],
    [
      'a filter the contract lacks',
      productsText("filters: { name: { eq: { query: { n: '{value}' }, exactness: exact } } }"),
      'list.filters.name.eq',
      'the contract has no filter eq on name',
    ],
    [
      'an operator the contract lacks',
      productsText("filters: { price: { eq: { query: { n: '{value}' }, exactness: exact } } }"),
      'list.filters.price.eq',
      'the contract has no filter eq on price',
    ],
    [
      'a filter with a wrong variable',
      productsText("filters: { category: { eq: { query: { n: '{label}' }, exactness: exact } } }"),
      'list.filters.category.eq.query.n',
      'unknown variable {label}',
    ],
    [
      'a sort the contract lacks',
      productsText("sort: { query: { s: '{column}' }, columns: { price: { column: P } } }"),
      'list.sort.columns.price',
      'the contract cannot sort by price',
    ],
    [
      'a sort with a wrong variable',
      productsText("sort: { query: { s: '{columns}' }, columns: {} }"),
      'list.sort.query.s',
      'unknown variable {columns}',
    ],
    [
      'a single view the contract lacks',
      `${productsText()}    get: { request: { path: /x }, item: '', map: {} }\n`,
      'get',
      'the contract has no single-record view of products',
    ],
  ])('%s', (_name, text, path, message) => {
    const [first, ...others] = problemsOf(text);
    expect(others).toEqual([]);
    expect(first).toContain(`resources.products.${path}: ${message}`);
  });

  it('a filter whose steps cannot be inverted', () => {
    const text = productsText("filters: { category: { eq: { query: { c: '{value}' }, exactness: exact } } }");
    const twins = text.replace(
      'category: category',
      'category: { from: c, as: [{ enum: { A: Toys, B: Toys } }] }',
    );
    expect(problemsOf(twins)).toEqual([
      expect.stringContaining('filters.category.eq: the steps that read category cannot be inverted'),
    ]);
    expect(problemsOf(twins.replace('exactness: exact', 'exactness: none'))).toEqual([]);
  });

  it('a filter whose steps leave out what the source finds', () => {
    const text = productsText(
      "filters: { price: { ge: { query: { low: '{value}' }, exactness: exact } } }",
    ).replace(
      'price: price',
      'price: { from: "", as: [{ money: { amount: p, currency: c, expect: EUR } }, { number: {} }] }',
    );
    expect(problemsOf(text)).toEqual([
      expect.stringContaining('filters.price.ge.exactness: the steps that read price reject values'),
    ]);
    expect(problemsOf(text.replace('exactness: exact', 'exactness: superset'))).toEqual([]);
  });

  it('an outcome rule without a complete condition', () => {
    const text = `${productsText()}outcomes: [{ status: 200, is: ok }, { at: rc, is: error }]\n`;
    expect(problemsOf(text)).toEqual([
      'outcomes[1]: `at` and one of `equals`, `matches` and `present` belong together',
    ]);
  });

  it('invalid date formats and zones', () => {
    const users = `
resources:
  users:
    id: { kind: number }
    list:
      request: { path: /users }
      window: { kind: none }
      items: ''
      map: { id: id, name: n, email: m, created_at: { from: at, as: [{ date: { format: 'HH:mm', zone: Mars } }] } }
`;
    expect(compileText('users', users).problems).toEqual([
      expect.stringContaining(
        'resources.users: the contract reads a single user, but the source has no `get`',
      ),
      'resources.users.list.map.created_at.as: unknown zone "Mars"',
      'resources.users.list.map.created_at.as: the format "HH:mm" does not name a whole date',
    ]);
  });

  it('all of it at once', () => {
    const text = productsText('total: { at: "a b" }')
      .replace('id: id', 'prize: p')
      .replace('items: rows', 'items: "r."');
    expect(problemsOf(text)).toHaveLength(4);
  });
});
