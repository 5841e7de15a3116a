// Parses and checks the parameters of a request, so that everything behind it works with a valid query.

import { fault } from '../kernel/errors/fault.ts';
import type { Decimal } from '../kernel/decimal.ts';
import { compareBounds } from './order.ts';
import { compileFilterParser, invalidParameter } from './parse-filter.ts';
import { type Filter, type ListQuery, type Query, type Sort, readQuery } from './query.ts';
import type { Contract, Operation, Resource } from './resource.ts';

/**
 * The largest `page`; a larger one is 400 `invalid_parameter`. Multiplied by the largest `limit`, it is far below 2^53, so
 * every offset is exact.
 */
export const PAGE_MAX = 1_000_000_000;

/** The part of the contract that says how parameters are read. */
export type QueryRules = Pick<Contract, 'limitOverflow'>;

type Values = ReadonlyMap<string, readonly string[]>;

/** The single value of a parameter; `undefined` if it is absent. */
function single(values: Values, parameter: string): string | undefined {
  const given = values.get(parameter);
  if (given !== undefined && given.length > 1) {
    throw fault('invalid_parameter', { message: `The parameter "${parameter}" must be given only once.` });
  }
  return given?.[0];
}

function parseInteger(
  values: Values,
  parameter: string,
  fallback: number,
  maximum: number,
  clamp: boolean,
): number {
  const text = single(values, parameter);
  if (text === undefined) return fallback;
  const number = /^[0-9]+$/.test(text) ? Number(text) : NaN;
  if (clamp && number > maximum) return maximum;
  if (!(number >= 1 && number <= maximum))
    throw invalidParameter(parameter, `a whole number from 1 to ${maximum}`);
  return number;
}

/** The order that a client asked for; without the parameter `sort`, the default order of the resource. */
function parseSort(values: Values, { sorts, order }: Resource): Sort | null {
  const text = sorts.length === 0 ? undefined : single(values, 'sort');
  if (text === undefined) return order;
  const descending = text.startsWith('-');
  const field = descending ? text.slice(1) : text;
  if (!sorts.includes(field)) {
    throw invalidParameter('sort', `one of ${sorts.join(', ')}, with a leading "-" for descending order`);
  }
  return { field, descending };
}

const NO_FILTERS: readonly Filter[] = Object.freeze([]);

type FilterParser = {
  readonly name: string;
  /** Whether it sets one bound of its field (at least, at most, above or below). */
  readonly isBound: boolean;
  readonly parse: (text: string) => readonly Filter[];
};
type Bound = { readonly name: string; readonly filter: Filter & { readonly value: string | Decimal } };

const isLower = ({ op }: Pick<Filter, 'op'>) => op === 'ge' || op === 'gt';
const isUpper = ({ op }: Pick<Filter, 'op'>) => op === 'le' || op === 'lt';

/** Refuses a lower and an upper bound of one field if no value can satisfy both. */
function refuseContradiction(bounds: readonly Bound[]): void {
  for (const low of bounds) {
    if (!isLower(low.filter)) continue;
    for (const high of bounds) {
      if (!isUpper(high.filter) || high.filter.field !== low.filter.field) continue;
      const order = compareBounds(low.filter.value, high.filter.value);
      const isOpen = low.filter.op === 'gt' || high.filter.op === 'lt';
      if (order > 0 || (order === 0 && isOpen))
        throw invalidParameter(low.name, `not greater than "${high.name}"`);
    }
  }
}

function parseFilters(values: Values, parsers: readonly FilterParser[]): readonly Filter[] {
  if (values.size === 0) return NO_FILTERS;
  const filters: Filter[] = [];
  const bounds: Bound[] = [];
  for (const { name, isBound, parse } of parsers) {
    const text = single(values, name);
    if (text === undefined) continue;
    for (const filter of parse(text)) {
      filters.push(filter);
      if (isBound) bounds.push({ name, filter: filter as Bound['filter'] });
    }
  }
  if (bounds.length > 1) refuseContradiction(bounds);
  return filters;
}

/** The names of an operation's parameters; all others are ignored. */
function parametersOf(operation: Operation): readonly string[] {
  if (operation.kind === 'get') return [];
  const { sorts, filters } = operation.resource;
  return ['page', 'limit', ...(sorts.length > 0 ? ['sort'] : []), ...filters.map((filter) => filter.name)];
}

type ListRules = QueryRules & { readonly parsers: readonly FilterParser[] };

function parseList(resource: Resource, values: Values, { limitOverflow, parsers }: ListRules): ListQuery {
  const { pages } = resource;
  return {
    kind: 'list',
    resource: resource.name,
    page: parseInteger(values, 'page', 1, PAGE_MAX, false),
    limit: parseInteger(values, 'limit', pages.default, pages.max, limitOverflow === 'clamp'),
    sort: parseSort(values, resource),
    filters: parseFilters(values, parsers),
  };
}

/**
 * The id in a path segment, decoded once.
 * @throws GatewayError `bad_request` if the encoding is malformed, `not_found` if no record can have this id
 */
function parseId(rawId: string, { idPattern }: Resource): string {
  let id: string;
  try {
    id = decodeURIComponent(rawId);
  } catch (cause) {
    throw fault('bad_request', { detail: 'malformed percent-encoding in the path', cause });
  }
  if (id.length > 128 || !idPattern.test(id)) throw fault('not_found');
  return id;
}

/** Compiles the parser of an operation's id and query. The parser throws a `GatewayError` if one of them is wrong. */
export function compileParser(operation: Operation, rules: QueryRules) {
  const { resource } = operation;
  const known = new Set(parametersOf(operation));
  const parsers = resource.filters.map((one) => ({
    name: one.name,
    isBound: isLower(one) || isUpper(one),
    parse: compileFilterParser(one),
  }));
  const listRules = { ...rules, parsers };
  return function parseRequest(rawQuery: string, rawId: string | undefined): Query {
    const values = readQuery(rawQuery, known);
    if (operation.kind === 'list') return parseList(resource, values, listRules);
    return { kind: 'get', resource: resource.name, id: parseId(rawId ?? '', resource) };
  };
}
