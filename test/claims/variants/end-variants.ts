import type { HttpReply, UpstreamRequest } from '../../support/upstream/scripted-upstream.ts';
import { type Row, single, slice, userOf, usersFile, usersOf } from './parts.ts';
import type { Variant, VariantService } from './variant-row.ts';

type Rows = readonly Row[];
const SIZE = 25;
const KEY = 'a-key-of-the-variants';
const all = usersOf(120);
const asks = ['limit=50', 'limit=20&page=4', 'limit=100&page=2', 'sort=-name&limit=30'];

/** Pages of a fixed size, and how the next one is named. */
function paged(name: (start: number | undefined) => Omit<HttpReply, 'status'>) {
  return (): VariantService => ({
    records: () => all.map(userOf),
    reply: (request) => {
      const start = Number(request.query.get('start') ?? 0);
      const next = start + SIZE < all.length ? start + SIZE : undefined;
      const { headers = {}, body = {} } = name(next);
      const shown = all.slice(start, start + SIZE);
      return single(all, request) ?? { headers, body: { items: shown, ...(body as object) } };
    },
  });
}

const LINK = (next: string) =>
  usersFile({ query: '', list: `window: { kind: link, sizeMax: ${SIZE}, next: { ${next} } }` });

/** Replies to a key that dies, as `dies` says; a visitor sees other rows. */
function keyed(
  dies: (calls: number, request: UpstreamRequest) => boolean,
  visitor: { list: (rows: Rows) => Rows; one: (row: object) => object },
) {
  return (): VariantService => {
    let calls: number | undefined;
    return {
      records: () => all.map(userOf),
      change: () => void (calls = 0),
      reply(request) {
        if (calls !== undefined) calls += 1;
        const isKnown = request.headers['x-key'] === KEY && (calls === undefined || !dies(calls, request));
        const viewer = isKnown ? 'reports' : null;
        const one = single(all, request);
        if (one !== undefined && one.status === undefined)
          return { body: { viewer, user: isKnown ? one.body : visitor.one(one.body as object) } };
        if (one !== undefined) return { ...one, body: { viewer } };
        const rows = isKnown ? all : visitor.list(all);
        const first = Number(request.query.get('cursor') ?? 0);
        const next = first + SIZE < rows.length ? String(first + SIZE) : null;
        return { body: { viewer, next, items: rows.slice(first, first + SIZE) } };
      },
    };
  };
}
const KEYED = usersFile({
  head: `auth: { kind: header, name: X-Key, value: ${KEY}, proof: { at: viewer, equals: reports } }`,
  query: "limit: '{limit}', cursor: '{cursor}'",
  list: `window: { kind: cursor, sizeMax: ${SIZE}, next: next }`,
  item: 'user',
});
const hidden = {
  list: (rows: Rows) => rows.filter(({ id }) => id % 2 === 0),
  one: (row: object) => ({ ...row, email: null }),
};
const viewAsks = [...asks, '/user_5', '/user_77'];

/** Tombstones of a service, in the place of some rows. */
function ghosts(isGhost: (row: Row) => boolean, write: (rows: Rows) => object, rows = all) {
  return (): VariantService => ({
    records: () => rows.filter((row) => !isGhost(row)).map(userOf),
    reply: (request) =>
      single(
        rows.filter((row) => !isGhost(row)),
        request,
      ) ?? { body: { total: rows.length, ...write(slice(rows, request)) } },
  });
}
const OFFSET = 'window: { kind: offset, sizeMax: 100 }, total: { at: total }, order: id, orderIs: documented';
const everyNinth = ({ id }: Row) => id % 9 === 4;
const asNodes = (isGhost: (row: Row) => boolean) => (rows: Rows) => ({
  edges: rows.map((row) => ({ node: isGhost(row) ? { id: row.id, gone: true } : row })),
});
const nobody = () => false;
const byNumber = (rows: Rows) => ({
  items: Object.fromEntries(
    rows.map(({ id, ...row }) => [`${id}`, everyNinth({ id }) ? { gone: true } : row]),
  ),
});
const withNulls = usersOf(120, (n) => (n % 9 === 3 ? { name: null, email: null, created_at: null } : {}));
const ghostAsks = ['limit=10&page=3', 'limit=20&page=2', 'limit=100', 'sort=-id&limit=50'];

const base = { resource: 'users', asks } as const;

/** Next links, credentials and tombstones. */
export const endVariants: readonly Variant[] = [
  {
    ...{ ...base, name: 'variant of next: the link is an object', file: LINK('at: next') },
    start: paged((start) => ({ body: { next: start && { href: `/users?start=${start}`, type: 'get' } } })),
  },
  {
    ...{ ...base, name: 'variant of next: bare parameters in a header, a draft' },
    start: paged((start) => ({ headers: start ? { 'X-Continuation': `start=${start}` } : {} })),
  },
  {
    ...{ ...base, name: 'variant of next: a query in a header, correct', file: LINK('header: X-Next') },
    start: paged((start) => ({ headers: { 'X-Next': start ? `?start=${start}` : ' ' } })),
  },
  {
    ...{ ...base, name: 'variant of credentials: dead in the single view alone', asks: viewAsks },
    ...{ start: keyed((_, { path }) => /\d$/.test(path), hidden), file: KEYED },
  },
  {
    ...{ ...base, name: 'variant of credentials: dead within a scan', asks: viewAsks },
    ...{ start: keyed((calls) => calls > 3, hidden), file: KEYED },
  },
  {
    ...{ ...base, name: 'variant of credentials: a key that lives, correct', asks: viewAsks },
    ...{ start: keyed(() => false, hidden), file: KEYED },
  },
  {
    ...{
      ...base,
      name: 'variant of ghosts: nodes of edges',
      asks: ghostAsks,
      start: ghosts(everyNinth, asNodes(everyNinth)),
    },
    file: usersFile({ list: OFFSET, items: '{ at: edges, row: node }' }),
  },
  {
    ...{ ...base, name: 'variant of ghosts: records by their number', asks: ghostAsks },
    start: ghosts(everyNinth, byNumber),
    file: usersFile({
      ...{ list: OFFSET, items: '{ at: items, form: map }' },
      map: 'id: $key, name: name, email: email, created_at: { from: created_at, as: [iso8601] }',
    }),
  },
  {
    ...{ ...base, name: 'variant of ghosts: nodes with a null, correct', asks: ghostAsks },
    start: ghosts(nobody, asNodes(nobody), withNulls),
    file: usersFile({ list: OFFSET, items: '{ at: edges, row: node }' }),
  },
];
