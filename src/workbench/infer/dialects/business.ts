import type { RequestSpec } from '../../../config/schema/source.ts';
import type { ResourceName } from '../../../contract/resources.ts';
import { withValue } from '../requests/request-parameters.ts';
import { type Dialect, recordRequestAt } from './dialect.ts';
import { isList, isObject } from '../../../kernel/json/values.ts';

/** What holds a resource in Salesforce, and the fields that are asked for. */
const SALESFORCE_OBJECTS: Partial<
  Readonly<Record<ResourceName, { readonly object: string; readonly fields: string }>>
> = {
  users: { object: 'User', fields: 'Id, Name, Email, CreatedDate' },
  products: { object: 'Product2', fields: 'Id, Name, Description, Family' },
};

const salesforce: Dialect = {
  key: 'salesforce',
  title: 'Salesforce',
  matches: ({ request, document }) =>
    /\/services\/data\/v[\d.]+\//.test(request.path) ||
    (isObject(document) && 'totalSize' in document && 'done' in document && isList(document['records'])),
  rewrite({ request, resource }) {
    const [, root = ''] = /^(.*\/services\/data\/v[\d.]+)/.exec(request.path) ?? [];
    if ('q' in request.query || root === '') return request;
    const { object: usual, fields } = SALESFORCE_OBJECTS[resource] ?? {};
    const object = /\/sobjects\/(\w+)$/.exec(request.path)?.[1] ?? usual;
    if (object === undefined || fields === undefined) return request;
    return { ...request, path: `${root}/query`, query: { q: `SELECT ${fields} FROM ${object} ORDER BY Id` } };
  },
  paging: { kind: 'link', next: { at: 'nextRecordsUrl' }, sizeMax: 2000 },
  total: { at: 'totalSize' },
  filters: () => [],
  paths: {
    users: {
      id: 'Id',
      name: 'Name',
      email: 'Email',
      created_at: 'CreatedDate',
      'profile.bio': 'AboutMe',
      'profile.location': 'City',
      'profile.avatar_url': 'MediumPhotoUrl',
    },
    products: { id: 'Id', name: 'Name', description: 'Description', category: 'Family' },
  },
  record(request) {
    const object = /\bFROM\s+(\w+)/i.exec(request.query['q'] ?? '')?.[1];
    const root = request.path.replace(/\/query\/?$/, '');
    return object === undefined ? undefined : recordRequestAt(request, `${root}/sobjects/${object}/{id}`);
  },
  outcomes: [{ status: 403, at: '[0].errorCode', equals: 'REQUEST_LIMIT_EXCEEDED', is: 'rate_limited' }],
  pitfalls: [
    "Without a condition in q (IsActive = true AND UserType = 'Standard') machine accounts and guests come along.",
    'Records answer to 15 and to 18 characters, with the long id: under id, form keeps to the long ones.',
  ],
};

const servicenow: Dialect = {
  key: 'servicenow',
  title: 'ServiceNow',
  matches: ({ request }) => /\/api\/now\/(?:v\d\/)?table\//.test(request.path),
  constants: ({ request }) => ({
    query: {
      sysparm_query: [request.query['sysparm_query'], 'ORDERBYsys_id']
        .filter((part) => part !== undefined)
        .join('^'),
      sysparm_display_value: 'false',
      sysparm_exclude_reference_link: 'true',
    },
  }),
  paging: { kind: 'link', next: { header: 'Link' }, size: 'sysparm_limit', sizeMax: 1000 },
  // Access rules drop rows after paging, and the header counts the dropped ones.
  total: 'none',
  filters: () => [],
  paths: { users: { id: 'sys_id', created_at: 'sys_created_on', 'profile.location': 'city' } },
  zone: 'UTC',
  record: (request) =>
    recordRequestAt(request, `${request.path}/{id}`, {
      sysparm_display_value: 'false',
      sysparm_exclude_reference_link: 'true',
    }),
  outcomes: [
    { status: 200, at: 'error', present: true, is: 'error' },
    { status: 404, on: 'list', at: 'error.message', equals: 'No Record found', is: 'past_end' },
  ],
  pitfalls: [
    'A condition that sysparm_query does not understand is ignored without a word, and more rows come.',
    'Access rules hide rows after paging, so neither a short window nor X-Total-Count is believed.',
  ],
};

/** GraphQL as every server speaks it. What a particular one offers comes from introspection. */
export const graphql: Dialect = {
  key: 'graphql',
  title: 'GraphQL',
  matches: ({ document, request }) =>
    request.body !== undefined &&
    'json' in request.body &&
    JSON.stringify(request.body.json).includes('"query":') &&
    isObject(document) &&
    ('data' in document || 'errors' in document),
  success: 'data',
  paging: { kind: 'cursor', size: 'variables.first', cursor: 'variables.after', sizeMax: 100 },
  filters: () => [],
  outcomes: [
    { at: 'errors[0].extensions.code', equals: ['UNAUTHENTICATED', 'FORBIDDEN'], is: 'unauthorized' },
    { at: 'errors[0].extensions.code', equals: ['RATE_LIMITED', 'THROTTLED'], is: 'rate_limited' },
    { at: 'errors[0].extensions.code', equals: 'NOT_FOUND', on: 'get', is: 'not_found' },
    { at: 'errors', present: true, is: 'error' },
  ],
  pitfalls: [
    'Errors come under status 200, and beside them half of the data: an answer with errors is never used.',
    'What a filter argument means, with regard to case or not, is up to the resolver: at best a superset.',
  ],
};

/** Odoo counts with another method of the same model and the same domain. */
function odooCount(request: RequestSpec): { request: RequestSpec; at: string } | undefined {
  const json = request.body !== undefined && 'json' in request.body ? request.body.json : undefined;
  const call = json as
    { params?: { method?: string; kwargs?: { domain?: unknown }; args?: unknown[] } } | undefined;
  if (call?.params?.method !== 'search_read') return undefined;
  const domain = call.params.kwargs?.domain ?? call.params.args?.[0] ?? [];
  const params = { ...call.params, method: 'search_count', args: [domain], kwargs: {} };
  const body = { json: { ...call, params } } as unknown as NonNullable<RequestSpec['body']>;
  return {
    request: { ...request, path: request.path.replace(/search_read$/, 'search_count'), body },
    at: 'result',
  };
}

const jsonRpc: Dialect = {
  key: 'json-rpc',
  title: 'JSON-RPC',
  matches: ({ document }) => isObject(document) && 'jsonrpc' in document,
  success: 'result',
  paging: { kind: 'offset', size: 'limit', start: 'offset', base: 0, sizeMax: 500 },
  // Odoo, whose methods take their options by name.
  sort(column) {
    const sorted = (direction: string) => (request: RequestSpec) =>
      withValue(request, { in: 'json', path: ['params', 'kwargs', 'order'] }, `${column} ${direction}`);
    return { by: 'order of kwargs', ascending: sorted('asc'), descending: sorted('desc') };
  },
  count: odooCount,
  filters: () => [],
  zone: 'UTC',
  outcomes: [
    { status: 200, at: 'error.code', equals: 100, is: 'unauthorized' },
    { status: 200, at: 'error', present: true, is: 'error' },
  ],
  pitfalls: [
    'Odoo: false stands for nothing in every type but the boolean; a session that has run out is error code 100.',
    'Odoo: a category is a full name, in the language of the user.',
  ],
};

const soap: Dialect = {
  key: 'soap',
  title: 'SOAP',
  matches: ({ document }) => isObject(document) && isObject(document['Envelope']),
  itemsAbsent: 'empty',
  success: 'Envelope.Body',
  filters: () => [],
  outcomes: [
    {
      at: 'Envelope.Body.Fault.faultcode',
      matches: String.raw`(^|:)FailedAuthentication$`,
      is: 'unauthorized',
    },
    {
      at: 'Envelope.Body.Fault.faultcode',
      matches: String.raw`(^|:)(Client|Sender)(\.|$)`,
      is: 'client_bug',
    },
    { at: 'Envelope.Body.Fault', present: true, is: 'error' },
  ],
  pitfalls: [
    'Faults come with status 500, and from some servers with 200; what they mean is in their code.',
    'Paths are written without namespace prefixes, which a server may change.',
  ],
};

/** The dialects of business systems and of their protocols. */
export const businessDialects: readonly Dialect[] = [servicenow, salesforce, jsonRpc, graphql, soap];
