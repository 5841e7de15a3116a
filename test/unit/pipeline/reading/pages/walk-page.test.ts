import fc from 'fast-check';
import { openSource, type Serve } from '../../../../support/pipeline/scripted-source.ts';
import { replyOf } from '../../../../support/pipeline/source-text.ts';
import { codeOf, expectedBody, filtersOf, matching, products, rowsReply, shopText } from '../shop.ts';

const SIZE = 10;
const rows = products(95).map((one, i) => ({ ...one, category: i % 2 === 0 ? 'Toys' : 'Books' }));

const walkable = (change: Readonly<Record<string, string>> = {}) =>
  shopText({
    window: `{ kind: cursor, sizeMax: ${SIZE}, next: cursor, checkpoints: true }`,
    query: "{ after: '{cursor}', n: '{limit}' }",
    filters: filtersOf('exact'),
    ...change,
  });

/** A shop that names the next window by a token; `forgets` says which tokens it no longer knows. */
function shop(
  now: () => typeof rows,
  forgets: (token: string) => boolean = () => false,
  hits = (count: number) => count,
): Serve {
  return ({ parameters }) => {
    const token = parameters['after'];
    if (token !== undefined && forgets(token)) return replyOf({ error: 'unknown cursor' }, { status: 500 });
    const found = matching(parameters, now());
    const from = token === undefined ? 0 : Number(token.replace('at-', ''));
    const some = found.slice(from, from + SIZE);
    const text = rowsReply(some, hits(found.length)).body.toString();
    const next = from + SIZE < found.length ? `"at-${from + SIZE}"` : 'null';
    return replyOf(text.replace('{', `{"cursor":${next},`));
  };
}

const expected = (raw: string, all = rows) => expectedBody('products', all, raw);

describe('a list that can only be walked', () => {
  it('is read page after page at one call each, from where the last page ended', async () => {
    const source = openSource(
      'products',
      walkable(),
      shop(() => rows),
    );
    for (let page = 1; page <= 10; page += 1) {
      expect(await source.list(`limit=10&page=${page}`)).toBe(expected(`limit=10&page=${page}`));
      expect(source.calls).toHaveLength(page);
    }
    expect(await source.list('limit=10&page=11')).toBe(expected('limit=10&page=11'));
  });

  it('is walked for each thing that it is filtered by, and for pages of any size', async () => {
    const source = openSource(
      'products',
      walkable(),
      shop(() => rows),
    );
    for (const raw of [
      'limit=7',
      'limit=7&page=2',
      'category=Toys&limit=15',
      'category=Toys&limit=15&page=2',
      'limit=33',
    ])
      expect(await source.list(raw)).toBe(expected(raw));
    // 1, 1 of 2 from the place behind the first, 2 and a category that nothing has, 2 from there, and 4.
    expect(source.calls.length).toBeLessThanOrEqual(12);
  });

  it('is scanned for a page that is far from every place that is known', async () => {
    const source = openSource(
      'products',
      walkable(),
      shop(() => rows),
    );
    expect(await source.list('limit=10&page=9')).toBe(expected('limit=10&page=9'));
    expect(source.calls).toHaveLength(10);
    expect(await source.list('limit=10&page=3')).toBe(expected('limit=10&page=3'));
    expect(source.calls).toHaveLength(10);
  });

  it('is walked from its start where the source no longer knows the place', async () => {
    let forgets = (_token: string) => false;
    const source = openSource(
      'products',
      walkable(),
      shop(
        () => rows,
        (token) => forgets(token),
      ),
    );
    await source.list('limit=10');
    const forgotten = source.calls.length;
    forgets = (token) => token === 'at-10' && source.calls.length === forgotten + 1;
    expect(await source.list('limit=10&page=2')).toBe(expected('limit=10&page=2'));
  });

  it('is walked anew where it is another by now', async () => {
    let now = rows;
    const source = openSource(
      'products',
      walkable(),
      shop(() => now),
    );
    await source.list('limit=10');
    now = rows.slice(3);
    expect(await source.list('limit=10&page=2')).toBe(expected('limit=10&page=2', now));
  });

  it('is only as fresh as the place that a page was walked from', async () => {
    const source = openSource(
      'products',
      walkable({ budget: '{ snapshot: 30s }' }),
      shop(() => rows),
    );
    await source.list('limit=10');
    source.clock.advance(29_000);
    await source.list('limit=10&page=2');
    expect(source.calls).toHaveLength(2);
    source.clock.advance(1_000);
    // Every place that is known came of the first walk, and is as old.
    await source.list('limit=10&page=3');
    expect(source.calls).toHaveLength(2 + 3);
  });

  /** A source that has been walked through in nine pages, and tells a total that is wrong by so many rows. */
  async function walkedWithTotalOff(error: number) {
    const serve = shop(
      () => rows,
      undefined,
      (count) => count + error,
    );
    const source = openSource('products', walkable(), serve);
    for (let page = 1; page <= 9; page += 1) await source.list(`limit=10&page=${page}`);
    expect(source.calls).toHaveLength(9);
    return source;
  }

  it('is never one whose total is too large, wherever the end comes into view', async () => {
    const source = await walkedWithTotalOff(1);
    expect(await codeOf(source.list('limit=10&page=10'))).toBe('upstream_invalid_response');
    for (const raw of ['limit=100', 'limit=10'])
      expect(await codeOf(source.list(raw))).toBe('upstream_invalid_response');
    expect(source.contradicted).toContain('total');
  });

  it('has its rows counted where more of them come than the total says', async () => {
    const source = await walkedWithTotalOff(-1);
    for (const raw of ['limit=10&page=10', 'limit=100'])
      expect(await source.list(raw)).toBe(expectedBody('products', rows, raw));
    expect(source.contradicted).toContain('total');
  });

  it('is none where the source starts anew with a cursor that it forgot', async () => {
    let forgets = false;
    const honest = shop(() => rows);
    const source = openSource('products', walkable(), (asked) =>
      honest(forgets ? { ...asked, parameters: {} } : asked),
    );
    for (let page = 1; page <= 4; page += 1) await source.list(`limit=10&page=${page}`);
    forgets = true;
    expect(await codeOf(source.list('limit=10&page=5'))).toBe('upstream_invalid_response');
    expect(await codeOf(source.list('limit=10&page=2'))).toBe('upstream_invalid_response');
  });

  it('becomes the page of the contract, whatever is asked in whatever order', async () => {
    const ask = fc.record({ page: fc.integer({ min: 1, max: 14 }), limit: fc.integer({ min: 1, max: 40 }) });
    const count = fc.integer({ min: 0, max: 95 });
    await fc.assert(
      fc.asyncProperty(count, fc.array(ask, { minLength: 1, maxLength: 12 }), async (many, asks) => {
        const some = rows.slice(0, many);
        const source = openSource(
          'products',
          walkable(),
          shop(() => some),
        );
        for (const { page, limit } of asks) {
          const raw = `page=${page}&limit=${limit}`;
          expect(await source.list(raw)).toBe(expected(raw, some));
        }
      }),
    );
  });
});
