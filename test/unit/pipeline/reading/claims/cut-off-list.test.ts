import { openSource } from '../../../../support/pipeline/scripted-source.ts';
import { codeOf, expectedBody, products, rowsReply, shopText } from '../shop.ts';

/** A shop that gives at most 50 of its rows, in one call. */
function shop(count: number, query: string, withTotal = false) {
  const text = shopText({ window: '{ kind: none }', query, total: withTotal ? '{ at: hits }' : '' });
  const rows = products(count);
  return openSource('products', text, () => rowsReply(rows.slice(0, 50), withTotal ? count : undefined));
}

describe('a list that comes in one call', () => {
  it.each([
    "{ limit: '50' }",
    "{ $top: '50' }",
    "{ 'page[size]': '50' }",
    "{ per_page: '50' }",
    "{ maxResults: '50' }",
    "{ sysparm_limit: '50' }",
    "{ query: '{ products(first: 50) { id } }' }",
    "{ q: 'SELECT Id FROM Product LIMIT 50' }",
  ])('and is exactly as long as a constant page size is refused: %s', async (query) => {
    const error: unknown = await shop(195, query)
      .list()
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'upstream_invalid_response', reason: 'window' });
    expect((error as { detail: string }).detail).toMatch(
      /^exactly as many rows came as the constant .+ \(50\)/,
    );
  });

  it.each([
    ['shorter', 49, "{ limit: '50' }"],
    ['as long as a number that is no page size', 50, "{ version: '50' }"],
    ['as long as a part of a number', 50, "{ limit: '500' }"],
  ])('and is %s is right', async (_, count, query) => {
    expect(await shop(count, query).list('limit=5')).toBe(
      expectedBody('products', products(count), 'limit=5'),
    );
  });

  it('and is as long as its total says is right, and refused where the total says more', async () => {
    const query = "{ limit: '50' }";
    expect(await shop(50, query, true).list()).toBe(expectedBody('products', products(50)));
    expect(await codeOf(shop(51, query, true).list())).toBe('upstream_invalid_response');
  });
});
