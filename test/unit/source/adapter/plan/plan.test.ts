import type { ListPlan } from '../../../../../src/source/adapter/plan/plan.ts';
import { adapterOf, compileText, productsText, queryOf } from '../../../../support/pipeline/source-text.ts';

const total = 'total: { at: hits }';
const order = 'order: id';
const category = (exactness: string) =>
  `filters: { category: { eq: { query: { cat: '{value}' }, exactness: ${exactness} } } }`;
const prices = (exactness: string) =>
  `filters: { price: { ge: { query: { min: '{value}' }, exactness: ${exactness} }, le: { query: { max: '{value}' }, exactness: ${exactness} } } }`;
const list = (...lines: string[]) => productsText(lines.join('\n      '));
const cents = 'price: { from: price, as: [cents] }';
const codes = 'category: { from: c, as: [{ enum: { A: Toys } }] }';

function planOf(text: string, rawQuery: string, off: readonly string[] = []): ListPlan {
  return adapterOf('products', text).list.plan(queryOf('products', rawQuery), new Set(off));
}

/** A plan in a line: its kind, what it asks for, what is left to do. */
function describePlan(plan: ListPlan): string {
  if (plan.kind === 'nothing') return 'nothing';
  const { target } = plan.request({ firstRow: 0, size: 40, variables: { offset: 0, limit: 40 } });
  const rest = plan.kind === 'page' ? [] : plan.residualFilters.map(({ field, op }) => `${field}.${op}`);
  return [plan.kind, target, ...rest].join(' ');
}

describe('the part of a query that is pushed to the source', () => {
  it.each<[string, string, string, string]>([
    ['everything', list(total, order), '', 'page /items?from=0&n=40'],
    ['no total', list(order), '', 'scan /items?from=0&n=40'],
    ['no order', list(total), '', 'scan /items?from=0&n=40'],
    ['an order of its own', list(total, 'order: source'), '', 'page /items?from=0&n=40'],
    [
      'an exact filter',
      list(total, order, category('exact')),
      'category=Toys',
      'page /items?from=0&n=40&cat=Toys',
    ],
    ['a filter that is not asked for', list(total, order, category('exact')), '', 'page /items?from=0&n=40'],
    [
      'too wide a filter',
      list(total, order, category('superset')),
      'category=Toys',
      'scan /items?from=0&n=40&cat=Toys category.eq',
    ],
    [
      'a useless filter',
      list(total, order, category('none')),
      'category=Toys',
      'scan /items?from=0&n=40 category.eq',
    ],
    ['no filter', list(total, order), 'category=Toys', 'scan /items?from=0&n=40 category.eq'],
    [
      'one of two filters',
      list(total, order, category('exact')),
      'category=Toys&min_price=1',
      'scan /items?from=0&n=40&cat=Toys price.ge',
    ],
    [
      'both bounds',
      list(total, order, prices('exact')),
      'max_price=9&min_price=1',
      'page /items?from=0&n=40&min=1&max=9',
    ],
    [
      'a bound with more digits than a double keeps apart',
      list(total, order, prices('exact')),
      'min_price=123456789.1234567&max_price=999999999',
      'scan /items?from=0&n=40&max=999999999 price.ge',
    ],
    [
      'a bound beyond the largest integers',
      list(total, order, prices('exact')),
      'max_price=10000000000000000000000',
      'scan /items?from=0&n=40 price.le',
    ],
    [
      'a text with white space around it, which sources lose',
      list(total, order, category('exact')),
      'category=+Toys',
      'scan /items?from=0&n=40 category.eq',
    ],
    [
      'a code of the file with white space around it',
      list(total, order, category('exact')).replace(
        'category: category',
        'category: { from: c, as: [{ enum: { "A  ": Toys } }] }',
      ),
      'category=Toys',
      'page /items?from=0&n=40&cat=A%20%20',
    ],
    [
      'a bound with zeros that say nothing',
      list(total, order, prices('exact')),
      'min_price=0007.0000000000000000&max_price=00123456789.1234500000000000',
      'page /items?from=0&n=40&min=7&max=123456789.12345',
    ],
    ['one bound', list(total, order, prices('exact')), 'max_price=9.50', 'page /items?from=0&n=40&max=9.50'],
  ])('%s', (_name, text, rawQuery, expected) => expect(describePlan(planOf(text, rawQuery))).toBe(expected));

  it('sends values as the source writes them', () => {
    const bounds = productsText(`${total}\n      ${order}\n      ${prices('exact')}`).replace(
      'price: price',
      cents,
    );
    expect(describePlan(planOf(bounds, 'min_price=1.999&max_price=10'))).toBe(
      'page /items?from=0&n=40&min=200&max=1000',
    );
  });

  it('makes no call if no record can match', () => {
    for (const exactness of ['exact', 'superset']) {
      const text = list(total, order, category(exactness)).replace('category: category', codes);
      expect(describePlan(planOf(text, 'category=Toys'))).toContain('cat=A');
      expect(describePlan(planOf(text, 'category=Nobody'))).toBe('nothing');
      expect(describePlan(planOf(text, 'category=A'))).toBe('nothing');
    }
  });

  it('scans a source that returns all rows at once, or whose rows may be left out', () => {
    const all = list(total, order)
      .replace(/window:.*/, 'window: { kind: none }')
      .replace(", query: { from: '{offset}', n: '{limit}' }", '');
    expect(describePlan(planOf(all, ''))).toBe('scan /items');
    const dropping = list(total, order).replace(
      'kind: number }',
      'kind: number }\n    onInvalidRecord: drop',
    );
    expect(planOf(dropping, '')).toMatchObject({ kind: 'scan', reason: expect.stringContaining('left out') });
  });
});

describe('what a plan depends on', () => {
  const full = list(total, order, category('exact'));

  it('is named, so that a reply can be checked against it', () => {
    const plan = planOf(full, 'category=Toys');
    expect(plan).toMatchObject({
      kind: 'page',
      dependsOn: ['filter.category.eq', 'order'],
      sort: { field: 'id', descending: false },
      filters: [{ field: 'category', op: 'eq', value: 'Toys' }],
    });
  });

  it('is not used any more once it is switched off', () => {
    expect(describePlan(planOf(full, 'category=Toys', ['filter.category.eq']))).toBe(
      'scan /items?from=0&n=40 category.eq',
    );
    expect(describePlan(planOf(full, 'category=Toys', ['order']))).toBe('scan /items?from=0&n=40&cat=Toys');
    expect(describePlan(planOf(full, '', ['filter.category.eq']))).toBe('page /items?from=0&n=40');
  });

  it('of a scan is what was pushed exactly; the rest is checked row by row', () => {
    expect(planOf(list(total, order, category('superset')), 'category=Toys')).toMatchObject({
      pushedFilters: [],
    });
    expect(planOf(full, 'category=Toys&min_price=1')).toMatchObject({
      pushedFilters: [{ field: 'category' }],
      residualFilters: [{ field: 'price', op: 'ge' }],
    });
  });

  it('names the rows of a scan: questions that differ only in what is done here share them', () => {
    const key = (rawQuery: string) => (planOf(full, rawQuery) as { key: string }).key;
    expect(key('min_price=1')).toBe(key('max_price=5&page=9'));
    expect(key('min_price=1')).not.toBe(key('min_price=1&category=Toys'));
    expect(key('min_price=1&category=Toys')).not.toBe(key('min_price=1&category=Books'));
  });
});

describe('what is the same in all records', () => {
  const constant = list(total, order, prices('exact')).replace(
    'category: category',
    'category: { value: Toys }',
  );
  const unknown = constant.replace('{ value: Toys }', 'null');
  const free = constant.replace('price: price', "price: { value: '0.00' }");

  it.each<[string, string, string, string]>([
    ['the constant asked for', constant, 'category=Toys', 'page /items?from=0&n=40'],
    ['another than the constant', constant, 'category=toys', 'nothing'],
    ['something else besides', constant, 'category=Toys&min_price=1', 'page /items?from=0&n=40&min=1'],
    ['a field that is always unknown', unknown, 'category=Toys', 'nothing'],
    ['no such field', unknown, '', 'page /items?from=0&n=40'],
    ['a bound within', free, 'max_price=0', 'page /items?from=0&n=40'],
    ['a bound without', free, 'min_price=0.01', 'nothing'],
  ])('is not asked of the source: %s', (_name, text, rawQuery, plan) =>
    expect(describePlan(planOf(text, rawQuery))).toBe(plan),
  );

  it('orders nothing: ids do, ascending in both directions', () => {
    const users = `
resources:
  users:
    id: { kind: number }
    list:
      request: { path: /u, query: { from: '{offset}' } }
      window: { kind: offset, sizeMax: 40 }
      total: { at: hits }
      items: rows
      order: id
      map: { id: id, name: { value: Staff }, email: null, created_at: at }
    get: { request: { path: '/u/{id}' }, item: '', map: {} }
`;
    const { adapter } = compileText('users', users);
    for (const sort of ['name', '-name', 'email', '-email']) {
      const plan = adapter.list.plan(queryOf('users', `sort=${sort}`), new Set());
      expect(plan).toMatchObject({ kind: 'page', sort: { field: 'id', descending: false } });
    }
  });
});

describe('rows that are no records', () => {
  it('leave pages and totals to a scan that counts', () => {
    const plan = planOf(list(total, order, 'dropWhen: [{ at: deleted, equals: true }]'), '');
    expect(plan).toMatchObject({ kind: 'scan', totalCounts: false });
  });
});

describe('a condition that is too long for an address', () => {
  it('is not asked for', () => {
    const text = list(total, order, category('exact'));
    const long = 'x'.repeat(1_990);
    expect(planOf(text, `category=${long}`)).toMatchObject({ kind: 'page' });
    expect(planOf(text, `category=${long}xxxxxxxxxx`)).toMatchObject({ kind: 'scan', pushedFilters: [] });
  });
});
