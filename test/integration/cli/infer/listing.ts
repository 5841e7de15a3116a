import type { ResourceName } from '../../../support/reference.ts';
import { compileDraft, inferDraft } from '../../../support/dialects/infer-draft.ts';
import type { HttpReply, UpstreamRequest } from '../../../support/upstream/scripted-upstream.ts';
import { type Dialect, notFound, serve, whole } from '../../../support/dialects/serve.ts';
import { endAfterTest } from '../../../support/jest/lifetime.ts';

/** A row as a service writes it. */
export type Row = Readonly<Record<string, unknown>>;

const CATEGORIES = ['Tools', 'Garden', 'Toys'];

/** Sixty products in three categories. */
export const products: readonly Row[] = Array.from({ length: 60 }, (_, n) => ({
  id: n + 1,
  name: `Thing ${n}`,
  description: `Text ${n}`,
  price: (n * 37) % 50,
  category: CATEGORIES[n % 3],
}));

/** Sixty users, in another order by each column. */
export const users: readonly Row[] = Array.from({ length: 60 }, (_, n) => ({
  id: n + 1,
  name: `Zoe ${(n * 7) % 60}`,
  email: `u${(n * 11) % 60}@example.com`,
  created: new Date(Date.UTC(2015, 0, ((n * 13) % 60) + 1)).toISOString(),
}));

/** The products, some of them without a category. */
export const withGaps = products.map((row, n) => (n % 7 === 3 ? { ...row, category: null } : row));

/** A list by offsets in which `select` chooses and orders the rows. */
export function listing(
  rows: readonly Row[],
  select: (rows: readonly Row[], query: URLSearchParams) => readonly Row[],
  reply: (window: readonly Row[], found: number) => HttpReply = (items, total) => ({
    body: { items, total },
  }),
): Dialect {
  return ({ path, query }: UpstreamRequest) => {
    const id = /^\/list\/([^/]+)$/.exec(path)?.[1];
    if (id !== undefined) {
      const row = rows.find((one) => String(one['id']) === id);
      return row === undefined ? notFound : { body: row };
    }
    if (path !== '/list') return notFound;
    const found = select(rows, query);
    const offset = whole(query, 'offset', 0);
    return reply(found.slice(offset, offset + whole(query, 'limit', 20)), found.length);
  };
}

/** Has `portico infer` draft the source of a service that asks for no credential. */
export async function draftOf(
  dialect: Dialect,
  resource: ResourceName,
  path = '/list',
  ...options: readonly string[]
) {
  const { origin } = endAfterTest(await serve(dialect, { open: true }));
  const report = await inferDraft([origin + path, '--resource', resource, '--name', 'draft', ...options]);
  const { spec } = compileDraft(report.draft).source;
  const { list, get, id } = spec.resources[resource]!;
  const said = (place: string) => report.guesses.filter(({ path: at }) => at === place);
  const edits = report.guesses
    .filter(({ confidence }) => confidence === 'edit')
    .map(({ path: at, text }) => `${at}: ${text}`);
  return { report, spec, list, get, id, said, edits };
}
