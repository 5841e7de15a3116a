import { draftOf, listing, products, type Row, users, withGaps } from './listing.ts';
import { whole } from '../../../support/dialects/serve.ts';

describe('a service of no known kind', () => {
  it('has its filters found where they are an object of JSON in one parameter, and joined there', async () => {
    type Condition = Readonly<Record<string, string | Readonly<Partial<Record<'$gte' | '$lte', number>>>>>;
    const fits = (row: Row, condition: Condition) =>
      Object.entries(condition).every(([name, wanted]) =>
        typeof wanted === 'string'
          ? row[name] === wanted
          : Number(row[name]) >= (wanted.$gte ?? -1) && Number(row[name]) <= (wanted.$lte ?? 999),
      );
    const dialect = listing(withGaps, (rows, query) => {
      const { $and = [] } = JSON.parse(query.get('query') ?? '{}') as { $and?: readonly Condition[] };
      return rows.filter((row) => $and.every((condition) => fits(row, condition)));
    });
    const { list, report } = await draftOf(dialect, 'products');
    expect([list.request.query['query'], list.filterJoin]).toEqual(['{"$and":[{filter}]}', ',']);
    expect([list.filters['category']?.eq?.expr, list.filters['price']?.le?.expr]).toEqual([
      '{"category":{value}}',
      '{"price":{"$lte":{value}}}',
    ]);
    expect(report.trials.every(({ status }) => status === 200)).toBe(true);
  });

  it('has its total found in an object that a request of its own brings', async () => {
    const bare = listing(
      products,
      (rows) => rows,
      (items) => ({ body: { items } }),
    );
    const { list } = await draftOf(
      (request) => (request.path === '/list/count' ? { body: { count: products.length } } : bare(request)),
      'products',
    );
    expect([list.total?.at, list.total?.count?.path]).toEqual(['count', '/list/count']);
  });

  it('is sent back every parameter that a reply names for the next window', async () => {
    const { list, report } = await draftOf(({ query }) => {
      const from = query.get('continue') === '-||' ? whole(query, 'aufrom', 0) : 0;
      const rows = users.slice(from, from + whole(query, 'limit', 20));
      const next = from + rows.length;
      const more = next < users.length && { continue: { aufrom: String(next), continue: '-||' } };
      return { body: { batchcomplete: true, ...more, query: { users: rows } } };
    }, 'users');
    expect(list.window).toMatchObject({ kind: 'continue', next: 'continue' });
    expect(report.trials[0]).toMatchObject({ status: 200, total: users.length });
  });
});
