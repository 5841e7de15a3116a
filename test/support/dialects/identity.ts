import { idOf, manyRows, type Row, type RowSource } from './rows.ts';
import { type Dialect, notFound, whole } from './serve.ts';
import type { HttpReply } from '../upstream/scripted-upstream.ts';

const COUNT = 23;

function one(rows: readonly Row[], source: RowSource, path: string, missing: HttpReply): HttpReply {
  const id = decodeURIComponent(path.split('/').at(-1) ?? '');
  const row = rows.find((candidate) => idOf(candidate, source) === id);
  return row === undefined ? missing : { body: row };
}

const scimRows: RowSource = { example: 'scim', resource: 'users', items: 'Resources', id: 'id' };

/** SCIM: rows are counted from 1. */
export function scim(): Dialect {
  const rows = manyRows(scimRows, COUNT);
  const headers = { 'Content-Type': 'application/scim+json;charset=utf-8' };
  return ({ path, query }) => {
    if (path.startsWith('/scim/v2/Users/')) {
      const missing = {
        status: 404,
        body: { schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'], status: '404' },
      };
      return { headers, ...one(rows, scimRows, path, missing) };
    }
    if (path !== '/scim/v2/Users') return notFound;
    const startIndex = Math.max(1, whole(query, 'startIndex', 1));
    const found = rows.slice(startIndex - 1, startIndex - 1 + Math.min(whole(query, 'count', 20), 100));
    const body = {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'],
      totalResults: rows.length,
      startIndex,
      itemsPerPage: found.length,
      ...(found.length > 0 && { Resources: found }),
    };
    return { headers, body };
  };
}

const keycloakRows: RowSource = { example: 'keycloak', resource: 'users', items: '', id: 'id' };

/** Keycloak: the number of users is a request of its own. */
export function keycloak(): Dialect {
  const rows = manyRows(keycloakRows, COUNT);
  return ({ path, query }) => {
    if (path === '/admin/realms/main/users/count') return { body: String(rows.length) };
    if (path.startsWith('/admin/realms/main/users/'))
      return one(rows, keycloakRows, path, { status: 404, body: { error: 'User not found' } });
    if (path !== '/admin/realms/main/users') return notFound;
    const first = whole(query, 'first', 0);
    return { body: rows.slice(first, first + whole(query, 'max', 100)) };
  };
}

const oktaRows: RowSource = { example: 'okta', resource: 'users', items: '', id: 'id' };

/** Okta: each window names the next in a header. */
export function okta(): Dialect {
  const rows = manyRows(oktaRows, COUNT);
  return ({ path, query }) => {
    if (path.startsWith('/api/v1/users/'))
      return one(rows, oktaRows, path, { status: 404, body: { errorCode: 'E0000007' } });
    if (path !== '/api/v1/users') return notFound;
    const limit = Math.min(whole(query, 'limit', 200), 200);
    const after = query.get('after');
    const first = after === null ? 0 : rows.findIndex((row) => row['id'] === after) + 1;
    const found = rows.slice(first, first + limit);
    const self = `https://example.okta.com/api/v1/users?limit=${limit}`;
    const next =
      first + limit < rows.length ? `, <${self}&after=${idOf(found.at(-1)!, oktaRows)}>; rel="next"` : '';
    return { body: found, headers: { Link: `<${self}>; rel="self"${next}` } };
  };
}

const auth0Rows: RowSource = { example: 'auth0', resource: 'users', items: 'users', id: 'user_id' };

/** Auth0: an array, or an object with the total. */
export function auth0(): Dialect {
  const rows = manyRows(auth0Rows, COUNT);
  return ({ path, query }) => {
    if (path.startsWith('/api/v2/users/'))
      return one(rows, auth0Rows, path, {
        status: 404,
        body: { statusCode: 404, errorCode: 'inexistent_user' },
      });
    if (path !== '/api/v2/users') return notFound;
    const limit = whole(query, 'per_page', 50);
    if (limit > 100) return { status: 400, body: { statusCode: 400, errorCode: 'invalid_query_string' } };
    const start = whole(query, 'page', 0) * limit;
    const users = rows.slice(start, start + limit);
    if (query.get('include_totals') !== 'true') return { body: users };
    return { body: { start, limit, length: users.length, total: rows.length, users } };
  };
}

const crestRows: RowSource = { example: 'ldap-crest', resource: 'users', items: 'result', id: '_id' };

/** CREST: no list without a filter, and windows that only follow each other. */
export function crest(): Dialect {
  const rows = manyRows(crestRows, COUNT);
  return ({ path, query }) => {
    if (path.startsWith('/api/users/'))
      return one(rows, crestRows, path, {
        status: 404,
        body: { code: 404, reason: 'Not Found', message: 'No entry' },
      });
    if (path !== '/api/users') return notFound;
    if (query.get('_queryFilter') === null)
      return {
        status: 400,
        body: { code: 400, reason: 'Bad Request', message: 'A _queryFilter or _queryId is needed' },
      };
    const first = Number(query.get('_pagedResultsCookie') ?? '0');
    const size = Math.min(whole(query, '_pageSize', 500), 10);
    const end = first + size;
    const result = rows.slice(first, end);
    const pagedResultsCookie = end < rows.length ? String(end) : null;
    return {
      body: {
        result,
        resultCount: result.length,
        pagedResultsCookie,
        totalPagedResultsPolicy: 'NONE',
        totalPagedResults: -1,
      },
    };
  };
}
