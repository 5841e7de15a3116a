import { couchdb, djangoCursor, djangoOffset, djangoPage, hal, jsonApi } from './conventions.ts';
import type { DialectCase } from './dialect-case.ts';

/** Conventions that many products share: JSON:API, Django REST framework with each paginator, CouchDB, HAL. */
export const conventionCases: readonly DialectCase[] = [
  {
    example: 'json-api',
    resource: 'products',
    dialect: jsonApi,
    list: '/api/products',
    base: '/api',
    edits: 0,
    // Its ids are texts beside numbers, so the next one may be any text.
    differs: ['id'],
  },
  { example: 'json-api', resource: 'users', dialect: jsonApi, list: '/api/people', base: '/api', edits: 0 },
  {
    example: 'django-rest',
    resource: 'products',
    dialect: djangoPage,
    list: '/api/products/',
    base: '/api',
    edits: 0,
  },
  {
    example: 'django-rest',
    resource: 'users',
    dialect: djangoOffset,
    list: '/api/users/',
    base: '/api',
    edits: 0,
  },
  {
    example: 'django-rest-cursor',
    resource: 'products',
    dialect: djangoCursor,
    list: '/api/products/',
    base: '/api',
    edits: 0,
  },
  { example: 'couchdb', resource: 'users', dialect: couchdb, list: '/people', base: '', edits: 0 },
  { example: 'couchdb', resource: 'products', dialect: couchdb, list: '/things/_find', base: '', edits: 0 },
  {
    example: 'hal',
    resource: 'users',
    dialect: hal,
    list: '/api/people',
    base: '/api',
    edits: 1,
    differs: ['order'],
  },
];
