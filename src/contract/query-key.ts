// The keys by which equal queries find the same cached answer or rows.

import { Decimal } from '../kernel/decimal.ts';
import type { KnownValue } from './list-value.ts';
import type { Filter, Query } from './query.ts';

/** A value as text. Equal decimals give equal text: 10, 10.0 and 010 are one value. */
function valueKey(value: KnownValue | readonly KnownValue[]): string {
  if (typeof value === 'string') return `t${value}`;
  if (typeof value === 'boolean') return `b${value}`;
  // The values of `in` are sorted by their keys, and duplicates count once.
  if (!(value instanceof Decimal)) return `l${JSON.stringify([...new Set(value.map(valueKey))].sort())}`;
  return `d${value.shortest()}`;
}

/** The key of a set of filters; the same filters in another order have the same key. */
export function filtersKey(filters: readonly Filter[]): string {
  if (filters.length === 0) return '[]';
  return JSON.stringify(filters.map(({ field, op, value }) => [field, op, valueKey(value)]).sort());
}

/** The canonical text of a query: equal queries have equal keys, whatever the spelling and order of parameters. */
export function queryKey(query: Query): string {
  if (query.kind === 'get') return query.id;
  const sort = query.sort === null ? '' : `${query.sort.descending ? '-' : ''}${query.sort.field}`;
  return `${query.page}/${query.limit}/${sort}/${filtersKey(query.filters)}`;
}
