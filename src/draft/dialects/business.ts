import type { ResourceName } from '../../contract/resources.ts';
import { type Dialect, recordAt } from './dialect.ts';
import { isList, isObject } from '../json-values.ts';
import type { Recipe } from '../ask/request-template.ts';

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
  fits: ({ recipe, document }) =>
    /\/services\/data\/v[\d.]+\//.test(recipe.path) ||
    (isObject(document) && 'totalSize' in document && 'done' in document && isList(document['records'])),
  rewrite({ recipe, resource }) {
    const [, root = ''] = /^(.*\/services\/data\/v[\d.]+)/.exec(recipe.path) ?? [];
    if ('q' in recipe.query || root === '') return recipe;
    const { object: usual, fields } = SALESFORCE_OBJECTS[resource] ?? {};
    const object = /\/sobjects\/(\w+)$/.exec(recipe.path)?.[1] ?? usual;
    if (object === undefined || fields === undefined) return recipe;
    return { ...recipe, path: `${root}/query`, query: { q: `SELECT ${fields} FROM ${object} ORDER BY Id` } };
  },
  paging: { kind: 'link', sizeMax: 2000 },
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
  record(recipe) {
    const object = /\bFROM\s+(\w+)/i.exec(recipe.query['q'] ?? '')?.[1];
    const root = recipe.path.replace(/\/query\/?$/, '');
    return object === undefined ? undefined : recordAt(recipe, `${root}/sobjects/${object}/{id}`);
  },
  outcomes: [{ status: 403, at: '[0].errorCode', equals: 'REQUEST_LIMIT_EXCEEDED', is: 'rate_limited' }],
  traps: [
    "Without a condition in q (IsActive = true AND UserType = 'Standard') machine accounts and guests come along.",
    'Records answer to 15 and to 18 characters, with the long id: under id, form keeps to the long ones.',
  ],
};

const servicenow: Dialect = {
  key: 'servicenow',
  title: 'ServiceNow',
  fits: ({ recipe }) => /\/api\/now\/(?:v\d\/)?table\//.test(recipe.path),
  constants: ({ recipe }) => ({
    query: {
      sysparm_query: [recipe.query['sysparm_query'], 'ORDERBYsys_id']
        .filter((part) => part !== undefined)
        .join('^'),
      sysparm_display_value: 'false',
      sysparm_exclude_reference_link: 'true',
    },
  }),
  paging: { kind: 'link', size: 'sysparm_limit', sizeMax: 1000 },
  // Access rules drop rows after paging, and the header counts the dropped ones.
  total: 'none',
  filters: () => [],
  paths: { users: { id: 'sys_id', created_at: 'sys_created_on', 'profile.location': 'city' } },
  zone: 'UTC',
  record: (recipe) =>
    recordAt(recipe, `${recipe.path}/{id}`, {
      sysparm_display_value: 'false',
      sysparm_exclude_reference_link: 'true',
    }),
  outcomes: [
    { status: 200, at: 'error', present: true, is: 'error' },
    { status: 404, on: 'list', at: 'error.message', equals: 'No Record found', is: 'past_end' },
  ],
  traps: [
    'A condition that sysparm_query does not understand is ignored without a word, and more rows come.',
    'Access rules hide rows after paging, so neither a short window nor X-Total-Count is believed.',
  ],
};

const graphql: Dialect = {
  key: 'graphql',
  title: 'GraphQL',
  fits: ({ document, recipe }) =>
    recipe.body !== undefined &&
    'json' in recipe.body &&
    JSON.stringify(recipe.body.json).includes('"query":') &&
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
  traps: [
    'Errors come under status 200, and beside them half of the data: an answer with errors is never used.',
    'What a filter argument means, with regard to case or not, is up to the resolver: at best a superset.',
  ],
};

/** Odoo counts by another method of the same model, with the same domain. */
function odooCount(recipe: Recipe): { recipe: Recipe; at: string } | undefined {
  const json = recipe.body !== undefined && 'json' in recipe.body ? recipe.body.json : undefined;
  const call = json as
    { params?: { method?: string; kwargs?: { domain?: unknown }; args?: unknown[] } } | undefined;
  if (call?.params?.method !== 'search_read') return undefined;
  const domain = call.params.kwargs?.domain ?? call.params.args?.[0] ?? [];
  const params = { ...call.params, method: 'search_count', args: [domain], kwargs: {} };
  const body = { json: { ...call, params } } as unknown as NonNullable<Recipe['body']>;
  return {
    recipe: { ...recipe, path: recipe.path.replace(/search_read$/, 'search_count'), body },
    at: 'result',
  };
}

const jsonRpc: Dialect = {
  key: 'json-rpc',
  title: 'JSON-RPC',
  fits: ({ document }) => isObject(document) && 'jsonrpc' in document,
  success: 'result',
  paging: { kind: 'offset', size: 'limit', start: 'offset', base: 0, sizeMax: 500 },
  count: odooCount,
  filters: () => [],
  zone: 'UTC',
  outcomes: [
    { status: 200, at: 'error.code', equals: 100, is: 'unauthorized' },
    { status: 200, at: 'error', present: true, is: 'error' },
  ],
  traps: [
    'Odoo: false stands for nothing in every type but the boolean; a session that has run out is error code 100.',
    'Odoo: a category is a full name, in the language of the user.',
  ],
};

const soap: Dialect = {
  key: 'soap',
  title: 'SOAP',
  fits: ({ document }) => isObject(document) && isObject(document['Envelope']),
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
  traps: [
    'Faults come with status 500, and from some servers with 200; what they mean is in their code.',
    'Paths are written without namespace prefixes, which a server may change.',
  ],
};

/** Business systems, and the protocols that they speak. */
export const businessDialects: readonly Dialect[] = [servicenow, salesforce, jsonRpc, graphql, soap];
