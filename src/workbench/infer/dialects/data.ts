import type { RequestSpec } from '../../../config/schema/source.ts';
import { withValue } from '../requests/request-parameters.ts';
import { type PlainColumn, type Dialect, filtersOf, recordRequestAt, sortByQuery } from './dialect.ts';
import type { Json } from '../../../kernel/json/json.ts';
import { isList, isObject } from '../../../kernel/json/values.ts';

const odataFilters = (suffix: string) => (column: PlainColumn) =>
  filtersOf(column, (name, op) =>
    op === 'eq'
      ? { expr: `${name} eq {value}`, escape: 'odata' }
      : { expr: `${name} ${op} {value}${suffix}`, escape: 'number' },
  );

const odataV4: Dialect = {
  key: 'odata-v4',
  title: 'OData v4',
  matches: ({ document }) =>
    isObject(document) &&
    ('@odata.context' in document || '@context' in document) &&
    isList(document['value']),
  constants: () => ({ query: { $count: 'true' } }),
  paging: { kind: 'offset', size: '$top', start: '$skip', base: 0, sizeMax: 1000 },
  total: { at: '"@odata.count" | "@count"' },
  sort: (column) => sortByQuery({ $orderby: column }, { $orderby: `${column} desc` }),
  filters: odataFilters(''),
  filterQuery: { $filter: '{filter}' },
  record: (request, idIsNumber) =>
    recordRequestAt(request, `${request.path}(${idIsNumber ? '{id}' : "'{id}'"})`),
  pitfalls: ['$select= with the columns below keeps the others at home.'],
};

const odataV2: Dialect = {
  key: 'odata-v2',
  title: 'OData v2',
  matches: ({ document }) =>
    isObject(document) &&
    ('d' in document ||
      (isObject(document['feed']) && JSON.stringify(Object.keys(document['feed'])).includes('entry'))),
  constants: () => ({ query: { $format: 'json', $inlinecount: 'allpages' } }),
  paging: { kind: 'offset', size: '$top', start: '$skip', base: 0, sizeMax: 1000 },
  total: { at: 'd.__count' },
  sort: (column) => sortByQuery({ $orderby: column }, { $orderby: `${column} desc` }),
  filters: odataFilters('m'),
  filterQuery: { $filter: '{filter}' },
  record: (request, idIsNumber) =>
    recordRequestAt(request, `${request.path}(${idIsNumber ? '{id}' : "'{id}'"})`, { $format: 'json' }),
  pitfalls: [
    'An amount means nothing without its currency: where there are several, prices must not be compared.',
    'SAP: sap-client and sap-language in the query decide what is seen, and in which language.',
  ],
};

const spring: Dialect = {
  key: 'spring-data-rest',
  title: 'Spring Data REST (HAL)',
  matches: ({ document }) =>
    isObject(document) && isObject(document['page']) && 'totalElements' in document['page'],
  paging: { kind: 'page', size: 'size', start: 'page', base: 0, sizeMax: 1000 },
  total: { at: 'page.totalElements' },
  sort: (column) => sortByQuery({ sort: `${column},asc` }, { sort: `${column},desc` }),
  filters: () => [],
  itemsAbsent: 'empty',
  pitfalls: [
    'A repository filters only by the methods it declares, each at a path of its own: filters are computed here.',
  ],
};

const postgrest: Dialect = {
  key: 'postgrest',
  title: 'PostgREST',
  matches: ({ reply, document }) =>
    isList(document) && /^(?:\d+-\d+|\*)\/(?:\d+|\*)$/.test(reply.header('content-range') ?? ''),
  constants: () => ({ headers: { Prefer: 'count=exact' } }),
  paging: { kind: 'offset', size: 'limit', start: 'offset', base: 0, sizeMax: 1000 },
  total: { header: 'Content-Range', pattern: String.raw`/(\d+)$` },
  sort: (column) => sortByQuery({ order: `${column}.asc` }, { order: `${column}.desc` }),
  filters: (column) =>
    filtersOf(column, (name, op) => ({
      query: { [name]: `${{ eq: 'eq', ge: 'gte', le: 'lte' }[op]}.{value}` },
    })),
  record: (request) => recordRequestAt(request, request.path, { id: 'eq.{id}' }),
  outcomes: [
    { status: 416, on: 'list', at: 'code', equals: 'PGRST103', is: 'past_end' },
    { status: 400, on: 'get', at: 'code', equals: ['22003', '22P02'], is: 'not_found' },
  ],
  pitfalls: [
    'select= with the columns below keeps the others at home.',
    'Filters are exact on text and numeric columns; not on citext, real, double precision or money.',
  ],
};

const directus: Dialect = {
  key: 'directus',
  title: 'Directus',
  matches: ({ document, request }) =>
    isObject(document) &&
    isList(document['data']) &&
    Object.keys(document).every((key) => key === 'data' || key === 'meta') &&
    (/\/items\//.test(request.path) || /\/users\/?$/.test(request.path)),
  constants: () => ({ query: { meta: 'filter_count' } }),
  confirms: (document) =>
    isObject(document) && isObject(document['meta']) && 'filter_count' in document['meta'],
  paging: { kind: 'offset', size: 'limit', start: 'offset', base: 0, sizeMax: 100 },
  total: { at: 'meta.filter_count' },
  sort: (column) => sortByQuery({ sort: column }, { sort: `-${column}` }),
  filters: (column) =>
    filtersOf(column, (name, op) => ({
      query: { [`filter[${name}][${{ eq: '_eq', ge: '_gte', le: '_lte' }[op]}]`]: '{value}' },
    })),
  outcomes: [
    { status: 403, at: 'errors[0].extensions.code', equals: 'FORBIDDEN', on: 'get', is: 'not_found' },
  ],
  pitfalls: [
    'A record that does not exist is a 403, and so is a role that may not read the collection.',
    'fields= with the columns below keeps the others at home.',
  ],
};

/** Whether a reply is a page of json-server 1. Its `items` is the total. */
const isJsonServerPage = (document: Json | undefined) =>
  isObject(document) &&
  ['first', 'prev', 'next', 'last', 'pages', 'items', 'data'].every((key) => key in document);

const jsonServer1: Dialect = {
  key: 'json-server-1',
  title: 'json-server 1',
  matches: ({ document, reply }) =>
    isJsonServerPage(document) || (isList(document) && reply.header('x-powered-by') === 'tinyhttp'),
  constants: () => ({ query: { _page: '1' } }),
  confirms: isJsonServerPage,
  paging: { kind: 'page', size: '_per_page', start: '_page', base: 1, sizeMax: 100 },
  total: { at: 'items' },
  sort: (column) => sortByQuery({ _sort: column }, { _sort: `-${column}` }),
  // JavaScript takes null for 0 in a comparison.
  filters: (column) =>
    filtersOf(column, (name, op) => ({
      query: { [{ eq: name, ge: `${name}_gte`, le: `${name}_lte` }[op]]: '{value}' },
      superset: op !== 'eq',
    })),
  // New records get four hex digits.
  idKind: 'text',
  pitfalls: ['A page behind the end is the last one again.'],
};

const laravel: Dialect = {
  key: 'laravel',
  title: 'Laravel paginator',
  matches: ({ document }) =>
    isObject(document) &&
    isList(document['data']) &&
    ((isObject(document['meta']) && 'current_page' in document['meta'] && 'last_page' in document['meta']) ||
      ('current_page' in document && 'last_page' in document)),
  paging: { kind: 'page', size: 'per_page', start: 'page', base: 1 },
  total: { at: 'meta.total | total' },
  pitfalls: [
    'Without Accept: application/json errors are HTML; Portico sends it, and takes no HTML for an answer.',
  ],
};

const elasticsearch: Dialect = {
  key: 'elasticsearch',
  title: 'Elasticsearch',
  matches: ({ document, request, reply }) =>
    (isObject(document) && isObject(document['hits']) && isList(document['hits']['hits'])) ||
    reply.header('x-elastic-product') !== undefined ||
    /\/_search$/.test(request.path),
  rewrite: ({ request }) => ({
    method: 'POST',
    path: /\/_search$/.test(request.path) ? request.path : `${request.path.replace(/\/$/, '')}/_search`,
    query: { allow_partial_search_results: 'false' },
    headers: request.headers,
    body: request.body ?? {
      json: { from: 0, size: 20, track_total_hits: true, query: { bool: { filter: [] } } },
    },
  }),
  paging: { kind: 'offset', size: 'size', start: 'from', base: 0, sizeMax: 1000, depthMax: 10_000 },
  sort(column) {
    const sorted = (direction: string) => (request: RequestSpec) =>
      withValue(request, { in: 'json', path: ['sort'] }, [{ [column]: direction }]);
    return { by: 'sort in the body', ascending: sorted('asc'), descending: sorted('desc') };
  },
  filterPlace: ['query', 'bool', 'filter'],
  total: { at: 'hits.total.value', unless: { at: 'hits.total.relation', equals: 'gte' } },
  outcomes: [{ status: 200, at: 'timed_out', equals: true, is: 'unavailable' }],
  filters: (column) =>
    filtersOf(column, (name, op) =>
      op === 'eq'
        ? { item: { term: { [`${name.replace('_source.', '')}.keyword`]: '{value}' } } }
        : {
            item: {
              range: { [name.replace('_source.', '')]: { [op === 'ge' ? 'gte' : 'lte']: '{value}' } },
            },
            superset: true,
          },
    ),
  pitfalls: [
    'from + size ends at 10,000 (index.max_result_window): deeper questions are refused.',
    'A keyword field must have no normalizer, and by default does not hold texts above 256 characters.',
  ],
};

/** The dialects of interfaces over tables and documents. */
export const dataDialects: readonly Dialect[] = [
  odataV4,
  odataV2,
  spring,
  elasticsearch,
  postgrest,
  jsonServer1,
  laravel,
  directus,
];
