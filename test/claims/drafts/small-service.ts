import type { ResourceName } from '../../support/reference.ts';
import { notFound, whole } from '../../support/dialects/serve.ts';
import type { HttpReply, UpstreamRequest } from '../../support/upstream/scripted-upstream.ts';

/** A row as a service keeps it. */
export type SmallRow = Readonly<Record<string, unknown>>;

/** A correct service with a list by offsets and records by id, and what it does in its own way. */
export type SmallService = {
  readonly resource: ResourceName;
  readonly rows: readonly SmallRow[];
  /** The body of a list; by default `{ total, items }`. */
  readonly page?: (rows: readonly SmallRow[], total: number) => HttpReply;
  /** The body of one record; by default the row. */
  readonly one?: (row: SmallRow) => HttpReply;
  /** Its own answer to a request, in place of the usual one. */
  readonly before?: (request: UpstreamRequest) => HttpReply | undefined;
};

/** Answers a request as the service does. It filters products by category and sorts nothing. */
export function answerSmall(service: SmallService, request: UpstreamRequest): HttpReply {
  const { resource, rows, page, one, before } = service;
  const own = before?.(request);
  if (own !== undefined) return own;
  const [, name, id] = request.path.split('/').map(decodeURIComponent);
  if (name !== resource) return notFound;
  if (id !== undefined) {
    const row = rows.find((other) => String(other['id']) === id);
    if (row === undefined) return notFound;
    return one?.(row) ?? { body: row };
  }
  const category = request.query.get('category');
  const found = category === null ? rows : rows.filter((row) => row['category'] === category);
  const first = whole(request.query, 'offset', 0);
  const shown = found.slice(first, first + Math.min(25, whole(request.query, 'limit', 10)));
  return page?.(shown, found.length) ?? { body: { total: found.length, items: shown } };
}

const DAY = '2021-03-04T05:06:07Z';

/** So many users, each with what is its own. */
export function someUsers(count: number, own: (n: number) => SmallRow = () => ({})): readonly SmallRow[] {
  return Array.from({ length: count }, (_, n) => ({
    ...{ id: n + 1, name: `Ada ${n}`, email: `u${n}@mail.example`, created_at: DAY },
    ...own(n),
  }));
}

/** So many products, each with what is its own. */
export function someProducts(count: number, own: (n: number) => SmallRow = () => ({})): readonly SmallRow[] {
  return Array.from({ length: count }, (_, n) => ({
    ...{ id: n + 1, name: `Thing ${n}`, description: `Text ${n}`, price: n + 0.5 },
    ...{ category: ['Tools', 'Toys', 'Home and Garden'][n % 3], ...own(n) },
  }));
}
