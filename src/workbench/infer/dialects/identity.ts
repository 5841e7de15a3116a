import type { Dialect } from './dialect.ts';
import { isList, isObject, scalarText } from '../../../kernel/json/values.ts';

const SCIM_LIST = 'urn:ietf:params:scim:api:messages:2.0:ListResponse';

const scim: Dialect = {
  key: 'scim',
  title: 'SCIM 2.0',
  matches({ document }) {
    const schemas = isObject(document) ? document['schemas'] : undefined;
    return isList(schemas) && schemas.includes(SCIM_LIST);
  },
  paging: { kind: 'offset', size: 'count', start: 'startIndex', base: 1, sizeMax: 100 },
  total: { at: 'totalResults' },
  itemsAbsent: 'empty',
  paths: {
    users: {
      id: 'id',
      name: 'displayName | name.formatted | userName',
      email: 'emails[?primary==true].value | emails[0].value',
      created_at: 'meta.created',
      'profile.location': 'addresses[?primary==true].locality | addresses[0].locality',
      'profile.avatar_url': 'photos[?type=="photo"].value | photos[0].value',
    },
  },
  pitfalls: [
    'sortBy is optional for servers, and ties have no order: every sort is computed here.',
    'Some servers return passwords and national ids; only what is named below leaves.',
  ],
};

const keycloak: Dialect = {
  key: 'keycloak',
  title: 'Keycloak',
  matches: ({ request, row }) =>
    /\/admin\/realms\/[^/]+\/users\/?$/.test(request.path) ||
    (row !== undefined && 'createdTimestamp' in row && 'disableableCredentialTypes' in row),
  // Some versions omit the attributes by default.
  constants: () => ({ query: { briefRepresentation: 'true' } }),
  paging: { kind: 'offset', size: 'max', start: 'first', base: 0, sizeMax: 100 },
  total: { count: '/count', at: '' },
  paths: {
    users: {
      'profile.bio': 'attributes.bio[0]',
      'profile.location': 'attributes.locality[0]',
      'profile.avatar_url': 'attributes.picture[0]',
    },
  },
  pitfalls: [
    'Users of a federated directory that were never imported are listed but not counted: remove total there.',
  ],
};

const okta: Dialect = {
  key: 'okta',
  title: 'Okta',
  matches: ({ request, row }) =>
    isObject(row?.['profile']) &&
    'login' in row['profile'] &&
    (/\/api\/v1\/users/.test(request.path) || 'statusChanged' in row),
  paging: { kind: 'link', next: { header: 'Link' }, size: 'limit', sizeMax: 200 },
  total: 'none',
  paths: {
    users: { id: 'id', email: 'profile.email', created_at: 'created', 'profile.location': 'profile.city' },
  },
  pitfalls: [
    'Deprovisioned users are hidden from the list, but found by their id.',
    'A user is found by login as well as by id: under id, form keeps to ids.',
  ],
};

const auth0: Dialect = {
  key: 'auth0',
  title: 'Auth0',
  matches: ({ row }) =>
    /^[^|]+\|./.test(scalarText(row?.['user_id']) ?? '') && row !== undefined && 'identities' in row,
  constants: () => ({ query: { include_totals: 'true', primary_order: 'true' } }),
  paging: { kind: 'page', size: 'per_page', start: 'page', base: 0, sizeMax: 100, depthMax: 1000 },
  total: { at: 'total' },
  paths: {
    users: {
      id: 'user_id',
      name: 'name',
      'profile.bio': 'user_metadata.bio',
      'profile.location': 'user_metadata.location',
      'profile.avatar_url': 'picture',
    },
  },
  pitfalls: [
    'No user beyond the first 1,000 can be reached. The list is an index that lags behind by seconds.',
  ],
};

const crest: Dialect = {
  key: 'ldap-crest',
  title: 'LDAP over HTTP (CREST)',
  matches({ document }) {
    if (!isObject(document)) return false;
    const asksFilter =
      'reason' in document && /_queryFilter|_queryId/.test(scalarText(document['message']) ?? '');
    return asksFilter || 'pagedResultsCookie' in document;
  },
  constants: ({ request }) => ('_queryFilter' in request.query ? {} : { query: { _queryFilter: 'true' } }),
  paging: {
    kind: 'cursor',
    size: '_pageSize',
    cursor: '_pagedResultsCookie',
    next: 'pagedResultsCookie',
    sizeMax: 500,
  },
  total: 'none',
  paths: { users: { id: '_id', name: 'displayName[0] | displayName | userName' } },
  pitfalls: [
    "The server's size limit wins over _pageSize without a word, and totalPagedResults may be an estimate.",
    'userPassword and the like come along wherever the mapping of the server names them.',
  ],
};

/** The dialects of user directories. */
export const identityDialects: readonly Dialect[] = [scim, keycloak, okta, auth0, crest];
