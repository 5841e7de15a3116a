import { manyRows, type Row, type RowSource } from './rows.ts';
import { type Dialect, notFound, whole } from './serve.ts';
import type { HttpReply } from '../upstream/scripted-upstream.ts';

const COUNT = 23;
const number = (value: unknown) =>
  value === null || value === undefined || value === '' ? undefined : Number(value);

/** Conditions such as `category eq 'x' and price ge 10m`. */
function odataFilter(rows: readonly Row[], filter: string | null): readonly Row[] {
  if (filter === null) return rows;
  return rows.filter((row) =>
    filter.split(' and ').every((condition) => {
      const [, column = '', op, text, digits] =
        /^(\w+) (eq|ge|le) (?:'((?:[^']|'')*)'|(-?[\d.]+)m?)$/.exec(condition) ?? [];
      if (op === 'eq') return row[column] === text?.replaceAll("''", "'");
      const own = number(row[column]);
      return own !== undefined && (op === 'ge' ? own >= Number(digits) : own <= Number(digits));
    }),
  );
}

function odataWindow(
  rows: readonly Row[],
  query: URLSearchParams,
  max: number,
): { found: readonly Row[]; window: readonly Row[] } {
  const filtered = odataFilter(rows, query.get('$filter'));
  const found = / desc$/.test(query.get('$orderby') ?? '') ? filtered.toReversed() : filtered;
  const skip = whole(query, '$skip', 0);
  return { found, window: found.slice(skip, skip + Math.min(whole(query, '$top', max), max)) };
}

/** Parameters that start with $ must be known. */
const strange = (query: URLSearchParams) =>
  [...query.keys()].find(
    (name) =>
      !/^\$(?:top|skip|count|orderby|filter|select|format|inlinecount)$|^sap-/.test(name) &&
      name.startsWith('$'),
  );

const odataV4Rows: RowSource = { example: 'odata-v4', resource: 'products', items: 'value', id: 'ID' };

/** OData v4, which gives at most 100 rows at once, and refuses options that it does not know. */
export function odataV4(): Dialect {
  const rows = manyRows(odataV4Rows, COUNT);
  const headers = { 'Content-Type': 'application/json;odata.metadata=minimal', 'OData-Version': '4.0' };
  return ({ path, query }) => {
    if (path !== '/odata/Products') return notFound;
    if (strange(query) !== undefined)
      return { status: 400, body: { error: { code: '400', message: 'unknown option' } } };
    const { found, window } = odataWindow(rows, query, 100);
    const count = query.get('$count') === 'true' ? { '@odata.count': found.length } : {};
    return { headers, body: { '@odata.context': '$metadata#Products', ...count, value: window } };
  };
}

const odataV2Rows: RowSource = {
  example: 'odata-v2-sap',
  resource: 'products',
  items: 'd.results',
  id: 'ProductID',
};

/** OData v2: Atom unless JSON is asked for. */
export function odataV2(): Dialect {
  const rows = manyRows(odataV2Rows, COUNT);
  const atom = `<?xml version="1.0" encoding="utf-8"?><feed xmlns="http://www.w3.org/2005/Atom"><title>ProductSet</title><entry><id>1</id></entry><entry><id>2</id></entry></feed>`;
  return ({ path, query }) => {
    if (path !== '/sap/opu/odata/IWBEP/GWSAMPLE_BASIC/ProductSet') return notFound;
    if (query.get('$format') !== 'json')
      return { headers: { 'Content-Type': 'application/atom+xml;type=feed' }, body: atom };
    const { found, window } = odataWindow(rows, query, 1000);
    const count = query.get('$inlinecount') === 'allpages' ? { __count: String(found.length) } : {};
    return { body: { d: { ...count, results: window } } };
  };
}

const springRows: RowSource = {
  example: 'spring-data-rest',
  resource: 'products',
  items: '_embedded.products',
  id: '_links.self.href',
};

/** Spring Data REST: ids stand in links; pages are counted from 0. */
export function spring(): Dialect {
  const rows = manyRows(springRows, COUNT);
  return ({ path, query }) => {
    const search = path === '/api/products/search/findByCategory';
    if (path !== '/api/products' && !search) return notFound;
    const size = Math.min(whole(query, 'size', 20), 1000);
    const page = whole(query, 'page', 0);
    const found = search ? rows.filter((row) => row['category'] === query.get('category')) : rows;
    const ordered = query.get('sort') === 'id,desc' ? found.toReversed() : found;
    const products = ordered.slice(page * size, (page + 1) * size);
    return {
      headers: { 'Content-Type': 'application/hal+json' },
      body: {
        ...(products.length > 0 && { _embedded: { products } }),
        _links: { self: { href: 'http://catalog.internal:8080/api/products' } },
        page: { size, totalElements: found.length, totalPages: Math.ceil(found.length / size), number: page },
      },
    };
  };
}

const postgrestRows: RowSource = { example: 'postgrest', resource: 'products', items: '', id: 'id' };
const postgrestUsers: RowSource = { example: 'postgrest', resource: 'users', items: '', id: 'id' };

/** PostgREST: counted only on demand; filters carry their operator in the value. */
export function postgrest(): Dialect {
  const tables: Readonly<Record<string, readonly Row[]>> = {
    '/products': manyRows(postgrestRows, COUNT),
    '/users': manyRows(postgrestUsers, COUNT),
  };
  return ({ path, query, headers }) => {
    const rows = tables[path];
    if (rows === undefined) return { status: 404, body: { code: 'PGRST205' } };
    const filters = [...query].filter(([name]) => !['select', 'order', 'offset', 'limit'].includes(name));
    if (filters.some(([name, value]) => !(name in (rows[0] ?? {})) || !/^(?:eq|gte|lte)\./.test(value)))
      return { status: 400, body: { code: 'PGRST100' } };
    const found = rows.filter((row) =>
      filters.every(([name, text]) => {
        const [op, value] = [text.split('.')[0], text.slice(text.indexOf('.') + 1)];
        const own = row[name];
        if (op === 'eq') return (own !== null && own === value) || own === Number(value);
        return own !== null && (op === 'gte' ? Number(own) >= Number(value) : Number(own) <= Number(value));
      }),
    );
    const ordered = query.get('order')?.endsWith('.desc') === true ? found.toReversed() : found;
    const first = whole(query, 'offset', 0);
    const window = ordered.slice(first, first + whole(query, 'limit', 1000));
    const total = headers['prefer'] === 'count=exact' ? String(found.length) : '*';
    if (total !== '*' && first > 0 && first >= found.length)
      return { status: 416, body: { code: 'PGRST103', message: 'Requested range not satisfiable' } };
    const range = window.length === 0 ? '*' : `${first}-${first + window.length - 1}`;
    const status = total !== '*' && window.length < found.length ? 206 : 200;
    return { status, body: window, headers: { 'Content-Range': `${range}/${total}` } };
  };
}

const directusRows: RowSource = { example: 'directus', resource: 'products', items: 'data', id: 'id' };

/** Directus: a total where it is asked for; a missing item is forbidden. */
export function directus(): Dialect {
  const rows = manyRows(directusRows, COUNT);
  return ({ path, query }): HttpReply => {
    if (path !== '/items/products')
      return { status: 403, body: { errors: [{ extensions: { code: 'FORBIDDEN' } }] } };
    const found = rows.filter((row) =>
      [...query].every(([name, value]) => {
        const [, column = '', op] = /^filter\[(\w+)\]\[(_eq|_gte|_lte)\]$/.exec(name) ?? [];
        if (op === undefined) return true;
        const own = number(row[column]);
        if (op === '_eq') return row[column] === value;
        return own !== undefined && (op === '_gte' ? own >= Number(value) : own <= Number(value));
      }),
    );
    const ordered = query.get('sort')?.startsWith('-') === true ? found.toReversed() : found;
    const first = whole(query, 'offset', 0);
    const meta = query.get('meta') === 'filter_count' ? { meta: { filter_count: found.length } } : {};
    return { body: { data: ordered.slice(first, first + whole(query, 'limit', 100)), ...meta } };
  };
}

const laravelRows: RowSource = { example: 'laravel', resource: 'users', items: 'data', id: 'id' };

/** Laravel: pages of a fixed size. */
export function laravel(): Dialect {
  const rows = manyRows(laravelRows, 37);
  return ({ path, query }) => {
    if (/^\/api\/users\/\d+$/.test(path)) {
      const data = rows.find((row) => String(row['id']) === path.split('/').at(-1));
      return data === undefined
        ? { status: 404, body: { message: 'No query results for model [User].' } }
        : { body: { data } };
    }
    if (path !== '/api/users') return notFound;
    const page = whole(query, 'page', 1);
    const data = rows.slice((page - 1) * 15, page * 15);
    return {
      body: {
        data,
        links: { first: '/?page=1' },
        meta: { current_page: page, last_page: 3, per_page: 15, total: rows.length },
      },
    };
  };
}

const elasticRows: RowSource = {
  example: 'elasticsearch',
  resource: 'products',
  items: 'hits.hits',
  id: '_source.id',
};

type Search = {
  from?: number;
  size?: number;
  sort?: Record<string, string>[];
  query?: {
    bool?: { filter?: { term?: Record<string, string>; range?: Record<string, Record<string, string>> }[] };
  };
};

/** Elasticsearch: everything is in the body. */
export function elasticsearch(): Dialect {
  const rows = manyRows(elasticRows, COUNT);
  return ({ path, body }) => {
    if (path !== '/products/_search')
      return path === '/products'
        ? {
            body: { products: { aliases: {}, mappings: {} } },
            headers: { 'X-Elastic-Product': 'Elasticsearch' },
          }
        : notFound;
    const search = (body === '' ? {} : JSON.parse(body)) as Search;
    const source = (row: Row) => row['_source'] as Row;
    const found = rows.filter((row) =>
      (search.query?.bool?.filter ?? []).every(({ term = {}, range = {} }) => {
        const same = Object.entries(term).every(
          ([name, value]) => source(row)[name.replace('.keyword', '')] === value,
        );
        const within = Object.entries(range).every(([name, bounds]) => {
          const own = number(source(row)[name]);
          return (
            own !== undefined &&
            own >= Number(bounds['gte'] ?? -Infinity) &&
            own <= Number(bounds['lte'] ?? Infinity)
          );
        });
        return same && within;
      }),
    );
    const ordered = search.sort?.[0]?.['id'] === 'desc' ? found.toReversed() : found;
    const first = search.from ?? 0;
    const hits = ordered.slice(first, first + (search.size ?? 10));
    return {
      headers: { 'X-Elastic-Product': 'Elasticsearch' },
      body: {
        took: 4,
        timed_out: false,
        hits: { total: { value: found.length, relation: 'eq' }, max_score: null, hits },
      },
    };
  };
}
