import type { Decimal } from '../kernel/decimal.ts';
import type { KnownValue } from './list-value.ts';

/**
 * The operators of filters, in this order: equal, one of several values, at least, at most, above, below, whether there is
 * a value, and whether a list has an element.
 */
export type FilterOp = 'eq' | 'in' | 'ge' | 'le' | 'gt' | 'lt' | 'known' | 'has';

/** The operators of filters that a source file can describe. All others are filtered by the gateway or sent as these. */
export type PushableOp = 'eq' | 'in' | 'ge' | 'le';

/** A filter on canonical values. */
export type Filter = {
  readonly field: string;
} & (
  | { readonly op: 'eq'; readonly value: KnownValue }
  | { readonly op: 'has'; readonly value: KnownValue }
  | { readonly op: 'in'; readonly value: readonly KnownValue[] }
  | { readonly op: 'ge' | 'le' | 'gt' | 'lt'; readonly value: string | Decimal }
  | { readonly op: 'known'; readonly value: boolean }
);

/** The order a caller asked for. Ties are always broken by ascending id. */
export type Sort = { readonly field: string; readonly descending: boolean };

/** A request for one page of a list, with every parameter checked. */
export type ListQuery = {
  readonly kind: 'list';
  readonly resource: string;
  readonly page: number;
  readonly limit: number;
  /** `null`: no order is asked for, so the list has its default order. */
  readonly sort: Sort | null;
  readonly filters: readonly Filter[];
};

/** A request for one record by its v1 id. */
export type GetQuery = { readonly kind: 'get'; readonly resource: string; readonly id: string };

/** A request after its parameters are checked. It holds nothing about the caller, so equal queries can share an answer. */
export type Query = ListQuery | GetQuery;

const PREFIXES: Readonly<Record<FilterOp, string>> = {
  eq: '',
  in: 'one_of_',
  ge: 'min_',
  le: 'max_',
  gt: 'above_',
  lt: 'below_',
  known: 'known_',
  has: 'has_',
};

/**
 * The shape of a query, by which failures and comparisons are counted: its operation and the names of its parameters,
 * without values. `limit` is left out, because every list has one, and so is `page` for the first page.
 */
export function queryShape(query: Query): string {
  if (query.kind === 'get') return `${query.resource}.get`;
  const names = query.filters.map(({ field, op }) => PREFIXES[op] + field).sort();
  if (query.page > 1) names.push('page');
  if (query.sort !== null) names.push('sort');
  return [`${query.resource}.list`, ...names].join(' ');
}
