// Names the kind of a query by its parameters, without their values, because comparisons count and sample by kinds.

import type { ListQuery, Query } from '../../contract/query.ts';
import type { Resource } from '../../contract/resource.ts';

/**
 * The kind of a query, such as `sort=-name&category=…&page=…`. It says what a source must be able to do to answer the query.
 * Unlike `queryShape`, it names the field of the sort. It has no values of parameters, so the contract limits the number of kinds.
 */
export function queryKind(query: Query, resource: Resource): string {
  return query.kind === 'get' ? 'id=…' : listKind(query, resource);
}

function listKind({ sort, filters, page }: ListQuery, { filters: parameters }: Resource): string {
  const named = parameters.filter(({ field, op }) =>
    filters.some((filter) => filter.field === field && filter.op === op),
  );
  const parts = [
    ...(sort === null ? [] : [`sort=${sort.descending ? '-' : ''}${sort.field}`]),
    ...named.map(({ name }) => `${name}=…`),
    ...(page === 1 ? [] : ['page=…']),
  ];
  return parts.length === 0 ? '(plain)' : parts.join('&');
}
