import { stringify } from 'yaml';
import { SERVICE_KEY } from './start-service.ts';
import type { Traits } from './traits.ts';

type Tree = Record<string, unknown>;

const USER_MAP = {
  id: 'id',
  name: 'name',
  email: 'email',
  created_at: { from: 'created_at', as: ['iso8601'] },
};
const PRODUCT_MAP = {
  id: 'id',
  name: 'name',
  description: 'description',
  price: 'price',
  category: 'category',
};

/** The queries of a service that speaks GraphQL. */
export const GRAPHQL = {
  list: 'query Users($limit: Int, $offset: Int) { users(limit: $limit, offset: $offset) { total items { id name email created_at } } }',
  one: 'query User($id: ID!) { user(id: $id) { id name email created_at bio location avatar_url } }',
};

const inBody = (query: string, variables: Tree): Tree => ({
  ...{ method: 'POST', path: '/graphql' },
  body: { json: { query, variables } },
});

function windowQuery({ window }: Traits): Tree {
  switch (window) {
    case 'offset':
      return { offset: '{offset}', limit: '{limit}' };
    case 'page':
      return { page: '{page}', limit: '{limit}' };
    case 'cursor':
      return { limit: '{limit}', cursor: '{cursor}' };
    case 'keyset':
      return { limit: '{limit}', after: '{after}' };
    case 'continue':
    case 'link':
      return { limit: '{limit}' };
    case 'none':
      return {};
  }
}

function windowSpec({ window, base, sizeMax, pastEnd, echo, checkpoints, nextAddress }: Traits): Tree {
  const end = pastEnd === 'last' ? { pastEnd: 'other' } : {};
  const kept = checkpoints ? { checkpoints: true } : {};
  switch (window) {
    case 'offset':
      return {
        kind: 'offset',
        base,
        sizeMax,
        ...end,
        ...(echo && { echo: { offset: 'offset', size: 'limit' } }),
      };
    case 'page':
      return {
        ...{ kind: 'page', base, sizes: [10, sizeMax], ...end },
        ...(echo && { echo: { page: 'page', size: 'limit' } }),
      };
    case 'cursor':
      return { kind: 'cursor', sizeMax, next: 'next', ...kept };
    case 'continue':
      return { kind: 'continue', sizeMax, next: 'continue', ...kept };
    case 'link':
      return {
        kind: 'link',
        sizeMax,
        next: { header: nextAddress === undefined ? 'Link' : 'Next-Page' },
        ...kept,
      };
    case 'keyset':
      return { kind: 'keyset', sizeMax, key: 'id', ...kept };
    case 'none':
      return { kind: 'none' };
  }
}

function totalSpec({ total, counts, resource, graphql }: Traits): Tree {
  switch (total) {
    case 'body':
      return { total: { at: graphql === undefined ? 'total' : `data.${resource}.total`, counts } };
    case 'header':
      return { total: { header: 'X-Total-Count', counts } };
    case 'count':
      return { total: { at: 'count', counts, count: { path: `/${resource}/count` } } };
    case 'none':
      return {};
  }
}

function filtersSpec({ filters }: Traits): Tree {
  const filter = (name: string) => ({ query: { [name]: '{value}' }, exactness: 'exact' });
  const price = { ge: filter('min_price'), le: filter('max_price') };
  return filters ? { filters: { category: { eq: filter('category') }, price } } : {};
}

function sortSpec({ sort, resource }: Traits): Tree {
  if (!sort) return {};
  const columns = resource === 'users' ? ['id', 'name', 'email', 'created_at'] : ['id'];
  const named = Object.fromEntries(columns.map((column) => [column, { column }]));
  return { sort: { query: { sort: '{direction}{column}' }, ascending: '', descending: '-', columns: named } };
}

function getSpec({ resource, graphql }: Traits): Tree {
  if (resource === 'products') return {};
  const profile = Object.fromEntries(
    ['bio', 'location', 'avatar_url'].map((name) => [`profile.${name}`, name]),
  );
  const map = { ...USER_MAP, ...profile };
  if (graphql !== undefined)
    return { get: { request: inBody(GRAPHQL.one, { id: '{id}' }), item: 'data.user', map } };
  return { get: { request: { path: '/users/{id}' }, item: '', map } };
}

function rowsSpec({ resource, hydrate, marks }: Traits): Tree {
  const { description, ...others } = PRODUCT_MAP;
  const dropWhen = marks ? { dropWhen: [{ at: 'deleted', equals: true }] } : {};
  if (!hydrate) return { ...dropWhen, map: resource === 'users' ? USER_MAP : PRODUCT_MAP };
  return {
    ...dropWhen,
    map: others,
    hydrate: { request: { path: '/products/{id}' }, item: '', map: { id: 'id', description } },
  };
}

function outcomesSpec({ key, pastEnd, graphql }: Traits): readonly Tree[] {
  const ok = { status: 200, is: 'ok' };
  if (graphql !== undefined)
    return [
      // A record is absent where an error came, too.
      { at: graphql === 'an empty list' ? 'errors[0]' : 'errors', present: true, is: 'error' },
      { on: 'get', status: 200, at: 'data.user', present: false, is: 'not_found' },
      ok,
    ];
  return [
    ...(key ? [{ status: 401, is: 'unauthorized' }] : []),
    { on: 'get', status: 404, is: 'not_found' },
    ...(pastEnd === 404 ? [{ on: 'list', status: 404, is: 'past_end' }] : []),
    ok,
  ];
}

function requestSpec(traits: Traits): Tree {
  const query = windowQuery(traits);
  return traits.graphql === undefined ? { path: `/${traits.resource}`, query } : inBody(GRAPHQL.list, query);
}

/** The source file that says what the correct service does. */
export function sourceText(traits: Traits, baseUrl: string): string {
  const { resource, order, ids, key, graphql } = traits;
  return stringify({
    source: 1,
    name: 'draft',
    net: { baseUrl },
    ...(key && { auth: { kind: 'header', name: 'X-Key', value: SERVICE_KEY } }),
    outcomes: outcomesSpec(traits),
    resources: {
      [resource]: {
        id: { kind: ids },
        list: {
          request: requestSpec(traits),
          window: windowSpec(traits),
          ...totalSpec(traits),
          items: graphql === undefined ? 'items' : `data.${resource}.items`,
          order: order === 'own' ? 'source' : order,
          // A sort that the service has asks for the order by id; of others, it is documented.
          ...(order !== 'unknown' && !traits.sort && { orderIs: 'documented' }),
          ...sortSpec(traits),
          ...filtersSpec(traits),
          ...rowsSpec(traits),
        },
        ...getSpec(traits),
      },
    },
  });
}
