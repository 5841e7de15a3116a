// The question of a client: its raw query string, its form after `parse-query.ts` has checked it, with which cache, planner and
// readers work, and the keys by which equal questions find the same cached answer or rows.

import { Decimal } from '../kernel/decimal.ts';
import type { KnownValue } from './list-value.ts';
import { fault } from '../kernel/errors/fault.ts';

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

/** What stands before the name of a field in a query shape, by the operator of the filter. */
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

/** One decoded component of a query string; `+` is a space (form encoding). */
function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch (cause) {
    throw fault('bad_request', { detail: 'malformed percent-encoding in the query', cause });
  }
}

/**
 * Reads a raw query string: the decoded values of the parameters in `known`, in order of appearance. Names are compared
 * after decoding; unknown parameters are dropped.
 * @throws GatewayError `bad_request` if the percent-encoding is malformed, even in unknown parameters
 */
export function readQuery(raw: string, known: ReadonlySet<string>): ReadonlyMap<string, readonly string[]> {
  const values = new Map<string, string[]>();
  if (raw === '') return values;
  for (const part of raw.split('&')) {
    if (part === '') continue;
    const cut = part.indexOf('=');
    const name = decode(cut < 0 ? part : part.slice(0, cut));
    const value = cut < 0 ? '' : decode(part.slice(cut + 1));
    if (!known.has(name)) continue;
    const earlier = values.get(name);
    if (earlier === undefined) values.set(name, [value]);
    else earlier.push(value);
  }
  return values;
}

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
