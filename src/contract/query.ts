import type { Decimal } from '../kernel/decimal.ts';
import type { KnownValue } from './list-value.ts';

/**
 * What a filter asks of a field: equal, one of several values, at least, at most, above, below, whether it has a value,
 * and of a list, whether it has an element.
 */
export type FilterOp = 'eq' | 'in' | 'ge' | 'le' | 'gt' | 'lt' | 'known' | 'has';

/** The operators that a source file can say how to send. */
export type PushableOp = 'eq' | 'ge' | 'le';

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

/** A page of a list, with every parameter checked. */
export type ListQuery = {
  readonly kind: 'list';
  readonly resource: string;
  readonly page: number;
  readonly limit: number;
  /** `null`: the default order. */
  readonly sort: Sort | null;
  readonly filters: readonly Filter[];
};

/** One record by its v1 id. */
export type GetQuery = { readonly kind: 'get'; readonly resource: string; readonly id: string };

/** A request after its parameters are checked. Nothing of the caller is in it, so that equal queries can share an answer. */
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
