import { adapterOf, compileText, productsText, queryOf } from '../../../../support/pipeline/source-text.ts';

const price = (ge: string, le: string) =>
  productsText(`order: id
      total: { at: total }
      filters: { price: { ge: { ${ge}, exactness: exact }, le: { ${le}, exactness: exact } } }`);

const problemsOf = (text: string) => compileText('products', text).problems;

describe('two pushed parts that write one parameter', () => {
  const hours = ["query: { p: '>={value}' }", "query: { p: '<={value}' }"] as const;

  it('are an error of the file', () => {
    expect(problemsOf(price(...hours))).toEqual([
      'resources.products.list.filters.price.le.query.p: filters.price.ge.query writes the parameter "p", too: of two values, most sources keep one',
    ]);
  });

  it('are none where the source takes it twice, and are then sent together', () => {
    const text = price(`repeats: true, ${hours[0]}`, `repeats: true, ${hours[1]}`);
    expect(problemsOf(text)).toEqual([]);
    const plan = adapterOf('products', text).list.plan(
      queryOf('products', 'min_price=1&max_price=2'),
      new Set(),
    );
    expect(plan).toMatchObject({ kind: 'page', dependsOn: ['filter.price.ge', 'filter.price.le', 'order'] });
  });

  it('are an error where only one of them says so', () => {
    expect(problemsOf(price(`repeats: true, ${hours[0]}`, hours[1]))).toHaveLength(1);
  });

  it('are none where one of them is not sent', () => {
    const text = productsText(`filters:
        price: { ge: { ${hours[0]}, exactness: exact }, le: { ${hours[1]}, exactness: none } }`);
    expect(problemsOf(text)).toEqual([]);
  });

  it.each([
    ['the window', "query: { from: '{value}' }"],
    ['a constant', "query: { n: '{value}' }"],
  ])('are an error where one is %s of the list', (_what, ge) => {
    expect(problemsOf(price(ge, "query: { max: '{value}' }"))).toEqual([
      expect.stringContaining('request.query has the parameter'),
    ]);
  });

  it('are an error where one is the sort', () => {
    const text = productsText(`sort: { query: { by: '{column}' }, columns: { id: { column: id } } }
      filters: { price: { ge: { query: { by: '{value}' }, exactness: exact } } }`);
    expect(problemsOf(text)).toEqual([expect.stringContaining('sort.query has the parameter "by" already')]);
  });

  it('never go out together, even in a file with that error: the gateway does the later one', () => {
    const { adapter } = compileText('products', price(...hours));
    const plan = adapter.list.plan(queryOf('products', 'min_price=1&max_price=2'), new Set());
    expect(plan).toMatchObject({
      kind: 'scan',
      dependsOn: ['filter.price.ge'],
      residualFilters: [{ field: 'price', op: 'le' }],
    });
  });
});

describe('a bound of a field that was contradicted', () => {
  const adapter = adapterOf('products', price("query: { min: '{value}' }", "query: { max: '{value}' }"));
  const plan = (query: string, off: readonly string[]) =>
    adapter.list.plan(queryOf('products', query), new Set(off));

  it('takes the other one with it, because both rest on how the source compares', () => {
    const found = plan('min_price=20', ['filter.price.le']);
    expect(found).toMatchObject({ kind: 'scan', residualFilters: [{ op: 'ge' }] });
  });

  it('leaves it alone where another filter was contradicted', () => {
    expect(plan('min_price=20', ['filter.category.eq'])).toMatchObject({
      dependsOn: ['filter.price.ge', 'order'],
    });
  });
});
