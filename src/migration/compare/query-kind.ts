import type { ListQuery, Query } from '../../contract/query.ts';
import { type Resource, resources } from '../../contract/resources.ts';

/**
 * What a source has to be able to do for a query, such as `sort=-name&category=…&page=…`: never a value. There are as many
 * as the contract has parameters to combine.
 */
export function queryKind(query: Query): string {
  return query.kind === 'get' ? 'id=…' : listKind(query);
}

function listKind({ resource, sort, filters, page }: ListQuery): string {
  const { filters: parameters }: Resource = resources[resource];
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
