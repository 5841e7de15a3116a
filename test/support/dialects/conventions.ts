import type { HttpReply, UpstreamRequest } from '../upstream/scripted-upstream.ts';
import type { Row } from './rows.ts';
import { type Dialect, notFound, whole } from './serve.ts';

const COUNT = 47;
const NAMES = ['Ada Lovelace', 'Žofie Nová', 'ben', 'Åsa', 'Cleo', 'Zoe'];
const TOWNS = ['London', 'Brno', 'Kraków', 'Malmö', 'Paris'];
const CATEGORIES = ['Garden', 'Home & Kitchen', "Kid's", 'Tools'];

/** A person as a service keeps one, with what must never leave it. */
function person(n: number): Row {
  return {
    name: n % 11 === 10 ? null : NAMES[n % NAMES.length],
    email: n % 7 === 6 ? null : `person.${n}@example.com`,
    created_at: n % 9 === 8 ? null : `2021-0${1 + (n % 9)}-1${n % 10}T08:30:00Z`,
    bio: n % 3 === 0 ? null : `Writes about ${n}.`,
    location: TOWNS[n % TOWNS.length],
    avatar_url: `https://cdn.example.com/a/${n}.png`,
    password_hash: `pbkdf2_sha256$canary$${n}`,
  };
}

function product(n: number): Row {
  return {
    name: `Thing ${n % 13}`,
    description: n % 5 === 4 ? null : `A thing of kind ${n}.`,
    price: n % 8 === 7 ? null : Number(`${(n * 37) % 400}.${n % 10}9`),
    category: n % 10 === 9 ? null : CATEGORIES[n % CATEGORIES.length],
    purchase_price: n,
  };
}

type Tables = { readonly people: readonly Row[]; readonly products: readonly Row[] };

const tablesOf = (count: number): Tables => ({
  people: Array.from({ length: count }, (_, n) => ({ id: 3 + n, ...person(n) })),
  products: Array.from({ length: count }, (_, n) => ({ id: 101 + n, ...product(n) })),
});

/** A price is compared as a database does: nothing is neither above nor below. */
const within = (row: Row, op: 'gte' | 'lte', bound: string) =>
  typeof row['price'] === 'number' &&
  (op === 'gte' ? row['price'] >= Number(bound) : row['price'] <= Number(bound));

/** Rows by ascending or descending id, as a parameter says. */
const ordered = (rows: readonly Row[], by: string | null) => (by === '-id' ? rows.toReversed() : rows);

const VND = { 'Content-Type': 'application/vnd.api+json' };

/** JSON:API with pages by number; prices have no filter. */
export function jsonApi(count = COUNT): Dialect {
  const tables: Readonly<Record<string, readonly Row[]>> = tablesOf(count);
  const resource = (type: string, { id, ...attributes }: Row) => ({ type, id: String(id), attributes });
  return ({ path, query, origin }) => {
    const [, , type = '', id] = path.split('/');
    const rows = tables[type];
    const missing = { status: 404, headers: VND, body: { errors: [{ status: '404', title: 'Not found' }] } };
    if (rows === undefined) return missing;
    if (id !== undefined) {
      const row = rows.find((one) => String(one['id']) === id);
      return row === undefined ? missing : { headers: VND, body: { data: resource(type, row) } };
    }
    const category = query.get('filter[category]');
    const found = ordered(rows, query.get('sort')).filter(
      (row) => category === null || row['category'] === category,
    );
    const size = Math.min(whole(query, 'page[size]', 10), 50);
    const page = whole(query, 'page[number]', 1);
    const last = Math.ceil(found.length / size);
    const link = (to: number) => `${origin}${path}?page%5Bnumber%5D=${to}&page%5Bsize%5D=${size}`;
    return {
      headers: VND,
      body: {
        data: found.slice((page - 1) * size, page * size).map((row) => resource(type, row)),
        links: { self: link(page), next: page < last ? link(page + 1) : null },
        meta: { total: found.length },
        jsonapi: { version: '1.1' },
      },
    };
  };
}

/** What django-filter and OrderingFilter make of the parameters. */
function djangoRows(rows: readonly Row[], query: URLSearchParams): readonly Row[] {
  const category = query.get('category');
  const [low, high] = [query.get('price__gte'), query.get('price__lte')];
  return ordered(rows, query.get('ordering')).filter(
    (row) =>
      (category === null || row['category'] === category) &&
      (low === null || within(row, 'gte', low)) &&
      (high === null || within(row, 'lte', high)),
  );
}

type Paginate = (found: readonly Row[], request: UpstreamRequest) => HttpReply;

function django(count: number, paginate: Paginate): Dialect {
  const { people: users, products } = tablesOf(count);
  const tables: Readonly<Record<string, readonly Row[]>> = { users, products };
  return (request) => {
    const [, , name = '', id] = request.path.split('/');
    const rows = tables[name];
    if (rows === undefined || !request.path.endsWith('/')) return notFound;
    if (id !== '') {
      const row = rows.find((one) => String(one['id']) === id);
      return row === undefined ? { status: 404, body: { detail: 'Not found.' } } : { body: row };
    }
    return paginate(djangoRows(rows, request.query), request);
  };
}

/** The address of a page of the same selection. */
function pageAt({ origin, path, query }: UpstreamRequest, more: Readonly<Record<string, number | string>>) {
  const parameters = new URLSearchParams(query);
  for (const [name, value] of Object.entries(more)) parameters.set(name, String(value));
  return `${origin}${path}?${parameters.toString()}`;
}

/** Django REST framework with page numbers: behind the last page comes a 404. */
export function djangoPage(count = COUNT): Dialect {
  return django(count, (found, request) => {
    const size = Math.min(whole(request.query, 'page_size', 10), 100);
    const page = whole(request.query, 'page', 1);
    const last = Math.max(1, Math.ceil(found.length / size));
    if (page < 1 || page > last) return { status: 404, body: { detail: 'Invalid page.' } };
    return {
      body: {
        count: found.length,
        next: page < last ? pageAt(request, { page: page + 1 }) : null,
        previous: page > 1 ? pageAt(request, { page: page - 1 }) : null,
        results: found.slice((page - 1) * size, page * size),
      },
    };
  });
}

/** Django REST framework with limit and offset. */
export function djangoOffset(count = COUNT): Dialect {
  return django(count, (found, request) => {
    const limit = Math.min(whole(request.query, 'limit', 10), 100);
    const offset = whole(request.query, 'offset', 0);
    const next = offset + limit;
    return {
      body: {
        count: found.length,
        next: next < found.length ? pageAt(request, { limit, offset: next }) : null,
        previous: offset > 0 ? pageAt(request, { limit, offset: Math.max(0, offset - limit) }) : null,
        results: found.slice(offset, next),
      },
    };
  });
}

/** Django REST framework with cursors: no number of rows, and the order is the view's. */
export function djangoCursor(count = COUNT): Dialect {
  return django(count, (found, request) => {
    const size = Math.min(whole(request.query, 'page_size', 10), 100);
    const start = Number(Buffer.from(request.query.get('cursor') ?? 'MA', 'base64url').toString());
    const cursor = (to: number) => Buffer.from(String(to)).toString('base64url');
    return {
      body: {
        next: start + size < found.length ? pageAt(request, { cursor: cursor(start + size) }) : null,
        previous: start > 0 ? pageAt(request, { cursor: cursor(Math.max(0, start - size)) }) : null,
        results: found.slice(start, start + size),
      },
    };
  });
}

type Condition = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** A Mango selector. null sorts before every number, and what is not there matches nothing. */
function mango(row: Row, { $and = [], ...others }: Readonly<Record<string, unknown>>): boolean {
  if (!($and as readonly Condition[]).every((one) => mango(row, one))) return false;
  return Object.entries(others as Condition).every(([key, comparison]) =>
    Object.entries(comparison).every(([op, value]) => {
      const own = row[key];
      if (op === '$gt') return true;
      if (op === '$eq') return own === value;
      if (own === null || own === undefined) return op === '$lte' && own === null;
      return op === '$gte' ? Number(own) >= Number(value) : Number(own) <= Number(value);
    }),
  );
}

/** CouchDB: all documents by their ids, design documents among them, and queries by POST. */
export function couchdb(count = COUNT): Dialect {
  const { people, products: things } = tablesOf(count);
  const tables: Readonly<Record<string, readonly Row[]>> = { people, things };
  const docsOf = (name: string) =>
    tables[name]?.map(({ id, ...doc }) => ({ _id: `k${String(id)}`, _rev: '1-0a', ...doc }));
  const missing = { status: 404, body: { error: 'not_found', reason: 'missing' } };
  return ({ path, query, method, body }) => {
    const [, database = '', id] = path.split('/');
    const docs = docsOf(database);
    if (docs === undefined) return missing;
    if (id === undefined || id === '') return { body: { db_name: database, doc_count: docs.length + 1 } };
    if (id === '_find') {
      if (method !== 'POST') return { status: 405, body: { error: 'method_not_allowed' } };
      const asked = JSON.parse(body) as { selector: Row; limit?: number; skip?: number };
      const found = docs.filter((doc) => mango(doc, asked.selector));
      const { limit = 25, skip = 0 } = asked;
      return { body: { docs: found.slice(skip, skip + limit), bookmark: 'nil' } };
    }
    if (id !== '_all_docs') {
      const doc = docs.find(({ _id }) => _id === decodeURIComponent(id));
      return doc === undefined ? missing : { body: doc };
    }
    const design = { _id: '_design/by', _rev: '2-0b', views: { name: { map: 'function (doc) {}' } } };
    const all = [design, ...docs].sort((a, b) => (a._id < b._id ? -1 : 1));
    const skip = whole(query, 'skip', 0);
    const rows = all.slice(skip, skip + whole(query, 'limit', all.length)).map((doc) => ({
      ...{ id: doc._id, key: doc._id, value: { rev: doc._rev } },
      ...(query.get('include_docs') === 'true' && { doc }),
    }));
    return { body: { total_rows: all.length, offset: skip, rows } };
  };
}

/** HAL: records and links as it says, pages and their numbers in the service's own way. */
export function hal(count = COUNT): Dialect {
  const { people } = tablesOf(count);
  const headers = { 'Content-Type': 'application/hal+json' };
  const linked = (row: Row) => ({ ...row, _links: { self: { href: `/api/people/${String(row['id'])}` } } });
  return ({ path, query }) => {
    const id = /^\/api\/people\/([^/]+)$/.exec(path)?.[1];
    if (id !== undefined) {
      const row = people.find((one) => String(one['id']) === id);
      return row === undefined
        ? { status: 404, headers, body: { message: 'no such person' } }
        : { headers, body: linked(row) };
    }
    if (path !== '/api/people') return { status: 404, headers, body: { message: 'no such resource' } };
    const limit = Math.min(whole(query, 'limit', 10), 40);
    const page = whole(query, 'page', 1);
    const found = people.slice((page - 1) * limit, page * limit).map(linked);
    const href = (to: number) => `/api/people?page=${to}&limit=${limit}`;
    const next = page * limit < people.length ? { next: { href: href(page + 1) } } : {};
    return {
      headers,
      body: {
        _links: { self: { href: href(page) }, ...next },
        count: found.length,
        total: people.length,
        ...(found.length > 0 && { _embedded: { people: found } }),
      },
    };
  };
}
