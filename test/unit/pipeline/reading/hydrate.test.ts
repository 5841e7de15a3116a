import { openSource, type Serve } from '../../../support/pipeline/scripted-source.ts';
import { replyOf } from '../../../support/pipeline/source-text.ts';
import type { ModelRecord } from '../../../support/model/contract-model.ts';
import { codeOf, expectedBody, product, products, windowOf } from './shop.ts';

/** A shop whose list has ids and names; `change` replaces parts of its file. */
function idsText(change: Readonly<Record<string, string>> = {}): string {
  const parts = { budget: '{}', order: 'id', filters: '{}', ...change };
  return `
budget: ${parts.budget}
outcomes: [{ on: get, status: 404, is: not_found }, { status: 200, is: ok }, { status: 5xx, is: error }]
resources:
  products:
    id: { kind: number }
    list:
      request: { path: /items, query: { from: '{offset}', n: '{limit}' } }
      window: { kind: offset, sizeMax: 10 }
      total: { at: hits }
      items: rows
      order: ${parts.order}
      filters: ${parts.filters}
      map: { id: id, name: name }
      hydrate:
        request: { path: '/items/{id}' }
        item: one
        map: { id: id, description: description, price: price, category: category }
`;
}

const numberOf = (id: string) => Number(id.replace('prod_', ''));
const detailOf = ({ id, description, price, category }: ModelRecord, change = {}) =>
  replyOf({ one: { id: numberOf(id), description, price, category, ...change } });

/** The service: rows with ids and names, and each row by itself. */
function service(
  rows: () => readonly ModelRecord[],
  single: (found: ModelRecord) => ReturnType<Serve> = detailOf,
): Serve {
  return (asked) => {
    if (asked.path === '/items') {
      const { cat } = asked.parameters;
      const all = rows().filter(({ category }) => cat === undefined || category === cat);
      const window = windowOf(asked, all).map(({ id, name }) => ({ id: numberOf(id), name }));
      return replyOf({ hits: all.length, rows: window });
    }
    const found = rows().find(({ id }) => asked.path === `/items/${numberOf(id)}`);
    return found === undefined ? replyOf('', { status: 404 }) : single(found);
  };
}

const detailsAsked = (calls: readonly { readonly path: string }[]) =>
  calls.filter(({ path }) => path !== '/items').map(({ path }) => Number(path.replace('/items/', '')));

describe('a list whose rows lack fields', () => {
  const rows = products(35).map((one, index) => ({ ...one, price: `${index}.50`, description: `d${index}` }));

  it('is answered with the details of the rows of the page, and of no other', async () => {
    const source = openSource(
      'products',
      idsText(),
      service(() => rows),
    );
    expect(await source.list('page=2&limit=5')).toBe(expectedBody('products', rows, 'page=2&limit=5'));
    expect(detailsAsked(source.calls).sort((a, b) => a - b)).toEqual([6, 7, 8, 9, 10]);
  });

  it('is scanned without details where nothing of them is needed to find the page', async () => {
    const source = openSource(
      'products',
      idsText({ order: 'unknown' }),
      service(() => rows),
    );
    expect(await source.list('page=3&limit=4')).toBe(expectedBody('products', rows, 'page=3&limit=4'));
    expect(detailsAsked(source.calls)).toHaveLength(4);
    expect(await source.list('page=1&limit=3')).toBe(expectedBody('products', rows, 'page=1&limit=3'));
    // The second page is one of the same snapshot.
    expect(source.calls.filter(({ path }) => path === '/items')).toHaveLength(4);
    expect(detailsAsked(source.calls)).toHaveLength(7);
  });

  it('is scanned with all details where a filter needs them that the source does not do', async () => {
    const source = openSource(
      'products',
      idsText(),
      service(() => rows),
    );
    const query = 'min_price=10&max_price=20&limit=4';
    expect(await source.list(query)).toBe(expectedBody('products', rows, query));
    expect(new Set(detailsAsked(source.calls)).size).toBe(35);
    // The rows with their details are a snapshot of their own; those without are not taken for it.
    expect(await source.list('limit=2')).toBe(expectedBody('products', rows, 'limit=2'));
    expect(await source.list('min_price=30')).toBe(expectedBody('products', rows, 'min_price=30'));
    expect(detailsAsked(source.calls)).toHaveLength(37);
  });

  it('has a filter on the details checked in the details where the source claims to do it', async () => {
    const filters = "{ category: { eq: { query: { cat: '{value}' }, exactness: exact } } }";
    const mixed = rows.map((one, index) => ({ ...one, category: index % 2 === 0 ? 'Toys' : 'Tools' }));
    const source = openSource(
      'products',
      idsText({ filters }),
      service(() => mixed),
    );
    expect(await source.list('category=Tools&limit=5')).toBe(
      expectedBody('products', mixed, 'category=Tools&limit=5'),
    );
    expect(source.contradicted).toEqual([]);
    const lyingSource = openSource('products', idsText({ filters }), (asked) =>
      service(() => mixed)({ ...asked, parameters: { ...asked.parameters, cat: undefined as never } }),
    );
    expect(await lyingSource.list('category=Tools&limit=5')).toBe(
      expectedBody('products', mixed, 'category=Tools&limit=5'),
    );
    expect(lyingSource.contradicted).toEqual(['filter.category.eq']);
  });

  it('has few details under way at once', async () => {
    let under = 0;
    let most = 0;
    const source = openSource('products', idsText(), async (asked) => {
      under += 1;
      most = Math.max(most, under);
      await new Promise((resolve) => setImmediate(resolve));
      under -= 1;
      return service(() => rows)(asked);
    });
    await source.list('limit=35');
    expect(most).toBeLessThanOrEqual(8);
    expect(most).toBeGreaterThan(1);
  });
});

describe('details within the budget', () => {
  const rows = products(12);
  it.each([
    ['of a page', 'limit=12', 12],
    ['of a scan', 'min_price=0', 13],
  ])('%s are calls like others: over it, nothing is answered', async (_what, query, calls) => {
    const enough = openSource(
      'products',
      idsText({ budget: `{ calls: ${calls + 2} }` }),
      service(() => rows),
    );
    expect(await enough.list(query)).toBe(expectedBody('products', rows, query));
    const little = openSource(
      'products',
      idsText({ budget: `{ calls: ${calls - 1} }` }),
      service(() => rows),
    );
    expect(await codeOf(little.list(query))).toBe('scan_limit_exceeded');
  });
});

describe('a row that is gone when its details are asked for', () => {
  it.each(['id', 'unknown'])('has the list read again, once (order %s)', async (order) => {
    let rows = products(6);
    const source = openSource('products', idsText({ order }), (asked) => {
      const reply = service(() => rows)(asked);
      // Deleted right behind the first window.
      if (asked.number === 1) rows = rows.filter(({ id }) => id !== 'prod_3');
      return reply;
    });
    expect(await source.list()).toBe(expectedBody('products', rows));
  });

  it('has a snapshot replaced that still has it', async () => {
    let rows = products(6);
    const source = openSource('products', idsText({ order: 'unknown' }), (asked) =>
      service(() => rows)(asked),
    );
    await source.list();
    rows = rows.slice(1);
    expect(await source.list('limit=4')).toBe(expectedBody('products', rows, 'limit=4'));
    expect(await source.list('limit=2')).toBe(expectedBody('products', rows, 'limit=2'));
    // Two scans, each of one window that the total says is all.
    expect(source.calls.filter(({ path }) => path === '/items')).toHaveLength(2);
  });

  it('twice is a source that contradicts itself: no page is short, and no total wrong', async () => {
    const never: Serve = (asked) =>
      asked.path === '/items/2' ? replyOf('', { status: 404 }) : service(() => products(4))(asked);
    for (const order of ['id', 'unknown'])
      for (const query of ['', 'max_price=7'])
        expect(await codeOf(openSource('products', idsText({ order }), never).list(query))).toBe(
          'upstream_invalid_response',
        );
  });
});

describe('details that fail', () => {
  const one = [product(1), product(2)];
  it.each<[string, (found: ModelRecord) => ReturnType<Serve>, string]>([
    ['with another record', (found) => detailOf(found, { id: 9 }), 'upstream_invalid_response'],
    ['with a record without an id', (found) => detailOf(found, { id: null }), 'upstream_invalid_response'],
    ['without a record', () => replyOf({}), 'upstream_invalid_response'],
    ['with what is no JSON', () => replyOf('<html>'), 'upstream_invalid_response'],
    ['with 500', () => replyOf('', { status: 500 }), 'upstream_error'],
  ])('%s fail the answer', async (_how, single, code) => {
    for (const query of ['', 'min_price=0'])
      expect(
        await codeOf(
          openSource(
            'products',
            idsText(),
            service(() => one, single),
          ).list(query),
        ),
      ).toBe(code);
  });

  it('end those under way with the first failure, and with the caller', async () => {
    const hang: Serve = (asked) => {
      if (asked.path === '/items/1') return replyOf('', { status: 500 });
      if (asked.path === '/items') return service(() => one)(asked);
      return new Promise((_resolve, reject) =>
        asked.signal.addEventListener('abort', () => reject(asked.signal.reason as Error)),
      );
    };
    const source = openSource('products', idsText(), hang);
    expect(await codeOf(source.list())).toBe('upstream_error');
    for (const { path, signal } of source.calls) if (path === '/items/2') expect(signal.aborted).toBe(true);
  });

  it('have their unreadable values told like those of a row', async () => {
    const source = openSource(
      'products',
      idsText(),
      service(
        () => one,
        (found) => detailOf(found, { price: 'dear' }),
      ),
    );
    await source.list();
    expect(source.missingValues).toEqual(['price unreadable', 'price unreadable']);
  });
});
