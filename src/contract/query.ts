import type { Decimal } from '../kernel/decimal.ts';
import type { ResourceName } from './resources.ts';

/** A filter on canonical values. */
export type Filter =
  | { readonly field: string; readonly op: 'eq'; readonly value: string }
  | { readonly field: string; readonly op: 'ge' | 'le'; readonly value: Decimal };

/** The order a caller asked for. Ties are always broken by ascending id. */
export type Sort = { readonly field: string; readonly descending: boolean };

/** A page of a list, with every parameter checked. */
export type ListQuery = {
  readonly kind: 'list';
  readonly resource: ResourceName;
  readonly page: number;
  readonly limit: number;
  /** `null`: the default order. */
  readonly sort: Sort | null;
  readonly filters: readonly Filter[];
};

/** One record by its v1 id. */
export type GetQuery = { readonly kind: 'get'; readonly resource: ResourceName; readonly id: string };

/**
 * A request after its parameters are checked. Nothing of the caller is in it, so that equal queries can share an answer.
 */
export type Query = ListQuery | GetQuery;

const PREFIXES = { eq: '', ge: 'min_', le: 'max_' } as const;

/**
 * The shape of a question: its operation and the names of its parameters, without any value. A list is always asked with a
 * limit, and its first page without a page.
 */
export function queryShape(query: Query): string {
  if (query.kind === 'get') return `${query.resource}.get`;
  const names = query.filters.map(({ field, op }) => PREFIXES[op] + field).sort();
  if (query.page > 1) names.push('page');
  if (query.sort !== null) names.push('sort');
  return [`${query.resource}.list`, ...names].join(' ');
}
