import type { RequestSpec } from '../../../config/schema/source.ts';
import type { Json } from '../../../kernel/json/json.ts';
import { isList, isObject, scalarText } from '../../../kernel/json/values.ts';
import {
  type PlainColumn,
  type Dialect,
  type DialectFilter,
  filtersOf,
  plainFilters,
  recordRequestAt,
  sortByQuery,
} from './dialect.ts';

const lastKey = (path: string) => path.split('.').at(-1) ?? '';

/** Filters of which a service may have any form. Each is tried, and the first that works is kept. */
function familiesOf(
  column: PlainColumn,
  forms: (name: string, op: DialectFilter['op']) => readonly Readonly<Record<string, string>>[],
): readonly DialectFilter[] {
  return plainFilters(column).flatMap(({ field, op, column: path }) =>
    forms(lastKey(path), op).map((query): DialectFilter => ({ field, op, query })),
  );
}

const MIN_MAX = { eq: '', ge: 'min', le: 'max' } as const;
const GTE_LTE = { eq: 'eq', ge: 'gte', le: 'lte' } as const;
const VALUE = '{value}';

/** Records of JSON:API have a type and their fields under `attributes` (https://jsonapi.org/format/1.1). */
const jsonApi: Dialect = {
  key: 'json-api',
  title: 'JSON:API',
  matches: ({ document, reply, row }) =>
    isObject(document) &&
    isList(document['data']) &&
    ((reply.header('content-type') ?? '').includes('vnd.api+json') ||
      (typeof row?.['type'] === 'string' && isObject(row['attributes']))),
  paging: { kind: 'page', size: 'page[size]', start: 'page[number]', base: 1, sizeMax: 100 },
  sort: (column) => sortByQuery({ sort: column }, { sort: `-${column}` }),
  filters: (column) =>
    familiesOf(column, (name, op) =>
      op === 'eq'
        ? [{ [`filter[${name}]`]: VALUE }, { [`filter[${name}][eq]`]: VALUE }, { [name]: VALUE }]
        : [
            { [`filter[${name}][${GTE_LTE[op]}]`]: VALUE },
            { [`filter[${name}][${op}]`]: VALUE },
            { [`filter[${name}_${GTE_LTE[op]}]`]: VALUE },
            { [`filter[${MIN_MAX[op]}_${name}]`]: VALUE },
            { [`filter[${name}]`]: `${op === 'ge' ? '>=' : '<='}${VALUE}` },
          ],
    ),
  pitfalls: [
    'Parameters for pages, filters and sorts are in families: page[…], filter[…]; which members a server has is its own.',
    'fields[type]= with the attributes below keeps the others at home.',
  ],
};

/** The members that each of the three paginators of Django REST framework has. */
const isDjangoPage = (document: Json | undefined) =>
  isObject(document) && isList(document['results']) && 'next' in document && 'previous' in document;

/** Whether the links of a page name a parameter. */
function linksName(document: Json | undefined, name: string): boolean {
  if (!isObject(document)) return false;
  const links = [document['next'], document['previous']].map((link) => scalarText(link) ?? '');
  return links.some((link) => new RegExp(`[?&]${name}=`).test(link));
}

const django = {
  // OrderingFilter, where the view has one.
  sort: (column: string) => sortByQuery({ ordering: column }, { ordering: `-${column}` }),
  // django-filter joins the names of related tables and the comparison with two underscores.
  filters: (column: PlainColumn) =>
    familiesOf(column, (name, op) =>
      op === 'eq'
        ? [{ [name]: VALUE }, { [`${name}__exact`]: VALUE }, { [`${name}__name`]: VALUE }]
        : [
            { [`${name}__${GTE_LTE[op]}`]: VALUE },
            { [`${name}_${MIN_MAX[op]}`]: VALUE },
            { [`${MIN_MAX[op]}_${name}`]: VALUE },
          ],
    ),
  pitfalls: [
    'A filter or an ordering that the view does not declare is ignored without a word.',
    'The address of a record ends with a slash like that of its list; without it comes a redirect.',
  ],
};

const djangoCursor: Dialect = {
  ...django,
  key: 'django-rest-cursor',
  title: 'Django REST framework (cursor)',
  matches: ({ document }) => isDjangoPage(document) && isObject(document) && !('count' in document),
  paging: { kind: 'link', next: { at: 'next' }, size: 'page_size', sizeMax: 100 },
  total: 'none',
};

const djangoOffset: Dialect = {
  ...django,
  key: 'django-rest-offset',
  title: 'Django REST framework (limit and offset)',
  matches: ({ document }) => isDjangoPage(document) && linksName(document, 'offset'),
  paging: { kind: 'offset', size: 'limit', start: 'offset', base: 0, sizeMax: 100 },
  total: { at: 'count' },
};

const djangoPage: Dialect = {
  ...django,
  key: 'django-rest-page',
  title: 'Django REST framework (page numbers)',
  matches: ({ document }) => isDjangoPage(document),
  paging: { kind: 'page', size: 'page_size', start: 'page', base: 1, sizeMax: 100 },
  total: { at: 'count' },
  outcomes: [{ status: 404, on: 'list', at: 'detail', equals: 'Invalid page.', is: 'past_end' }],
  pitfalls: [
    ...django.pitfalls,
    'The page size is the server’s, unless page_size_query_param names a parameter.',
  ],
};

const IN_COUCHDB = /^(.*)\/_(?:all_docs|find)$/;

/** The path of a database, from the path of a view of it. */
const databaseOf = ({ path }: RequestSpec) => IN_COUCHDB.exec(path)?.[1] ?? path.replace(/\/$/, '');

const couchdb = {
  // Ids that look like numbers are texts: the next record may have a UUID.
  idKind: 'text',
  // Design documents, indexes and queries have names that begin with an underscore. They are no records.
  idForm: () => '[^_].*',
  record: (request: RequestSpec) => recordRequestAt(request, `${databaseOf(request)}/{id}`),
} as const;

const couchdbFind: Dialect = {
  ...couchdb,
  key: 'couchdb-find',
  title: 'CouchDB (_find)',
  matches: ({ request }) => /\/_find$/.test(request.path),
  rewrite: ({ request }) =>
    request.body !== undefined
      ? request
      : {
          ...{ method: 'POST', path: request.path, query: {}, headers: request.headers },
          body: { json: { selector: { _id: { $gt: null } }, limit: 25, skip: 0 } },
        },
  paging: { kind: 'offset', size: 'limit', start: 'skip', base: 0, sizeMax: 1000 },
  total: 'none',
  filterPlace: ['selector', '$and'],
  // null sorts before every number and a text behind (CouchDB, Views collation), so a bound finds them, too.
  filters: (column) =>
    filtersOf(column, (name, op) =>
      op === 'eq'
        ? { item: { [name]: { $eq: VALUE } } }
        : { item: { [name]: { [`$${GTE_LTE[op]}`]: VALUE } }, escape: 'number', superset: true },
    ),
  pitfalls: [
    '_find knows no total, so lists are scanned. Without an index it reads every document each time.',
  ],
};

const couchdbAll: Dialect = {
  ...couchdb,
  key: 'couchdb',
  title: 'CouchDB (_all_docs)',
  matches: ({ document, request }) =>
    isObject(document) &&
    (('db_name' in document && 'doc_count' in document) ||
      (/\/_all_docs$/.test(request.path) && isList(document['rows']))),
  rewrite: ({ request }) => ({ ...request, path: `${databaseOf(request)}/_all_docs` }),
  constants: () => ({ query: { include_docs: 'true' } }),
  paging: { kind: 'offset', size: 'limit', start: 'skip', base: 0, sizeMax: 1000 },
  total: { at: 'total_rows' },
  filters: () => [],
  dropWhen: [{ at: 'id', matches: '^_' }],
  pitfalls: [
    'Design documents stand among the others and are counted with them, so they are left out here, and lists are scanned.',
    '_all_docs has no filters; a source at <database>/_find has, but knows no total.',
  ],
};

/** Feathers: {total, limit, skip, data}, and operators in brackets. */
const feathers: Dialect = {
  key: 'feathers',
  title: 'Feathers',
  matches: ({ document }) =>
    isObject(document) && ['total', 'limit', 'skip', 'data'].every((key) => key in document),
  paging: { kind: 'offset', size: '$limit', start: '$skip', base: 0, sizeMax: 100 },
  total: { at: 'total' },
  sort: (column) => sortByQuery({ [`$sort[${column}]`]: '1' }, { [`$sort[${column}]`]: '-1' }),
  filters: (column) =>
    filtersOf(column, (name, op) => ({
      query: { [op === 'eq' ? name : `${name}[$${GTE_LTE[op]}]`]: VALUE },
    })),
  pitfalls: ['paginate.max of the service wins over $limit without a word.'],
};

const hal: Dialect = {
  key: 'hal',
  title: 'HAL',
  matches: ({ document, reply }) =>
    isObject(document) &&
    (isObject(document['_embedded']) || (reply.header('content-type') ?? '').includes('hal+json')) &&
    !(isObject(document['page']) && 'totalElements' in document['page']),
  itemsAbsent: 'empty',
  pitfalls: ['HAL says how records and links are written, not how pages are asked for, filtered or sorted.'],
};

/** The dialects of conventions that many products share. */
export const conventionDialects: readonly Dialect[] = [
  jsonApi,
  djangoCursor,
  djangoOffset,
  djangoPage,
  couchdbFind,
  couchdbAll,
  feathers,
  hal,
];
