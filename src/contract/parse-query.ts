import { fault, type GatewayError } from '../kernel/errors/fault.ts';
import { Decimal } from '../kernel/decimal.ts';
import type { Operation } from './operations.ts';
import type { Filter, ListQuery, Query, Sort } from './query.ts';
import { readQuery } from './raw-query.ts';
import type { FilterParameter } from './define-resource.ts';
import type { Resource } from './resources.ts';

/**
 * The largest `page`; one beyond it is 400 `invalid_parameter`. Times `LIMIT_MAX` it is far below 2^53, so every offset
 * is exact.
 */
export const PAGE_MAX = 1_000_000_000;

/**
 * The most records of a page. A larger `limit` is 400 `invalid_parameter`, or means this one where
 * `contract.limitOverflow` is `clamp`.
 */
export const LIMIT_MAX = 100;

/** The records of a page where the request has no `limit`. */
export const LIMIT_DEFAULT = 50;

/** The operator's settings for reading parameters. */
export type QueryRules = { readonly limitOverflow: 'reject' | 'clamp' };

type Values = ReadonlyMap<string, readonly string[]>;

function invalid(parameter: string, allowed: string): GatewayError {
  return fault('invalid_parameter', { message: `The parameter "${parameter}" must be ${allowed}.` });
}

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
  if (!(number >= 1 && number <= maximum)) throw invalid(parameter, `a whole number from 1 to ${maximum}`);
  return number;
}

function parseSort(values: Values, resource: Resource): Sort | null {
  const text = resource.sorts.length === 0 ? undefined : single(values, 'sort');
  if (text === undefined) return null;
  const descending = text.startsWith('-');
  const field = descending ? text.slice(1) : text;
  if (!resource.sorts.includes(field)) {
    throw invalid('sort', `one of ${resource.sorts.join(', ')}, with a leading "-" for descending order`);
  }
  return { field, descending };
}

function parseFilter(parameter: FilterParameter, text: string): Filter {
  const { name, field, op } = parameter;
  if (op === 'eq') {
    if (text === '') throw invalid(name, 'a text that is not empty');
    return { field, op, value: text };
  }
  const value = text.startsWith('-') ? undefined : Decimal.parse(text);
  if (value === undefined) throw invalid(name, 'a plain decimal number such as 10 or 9.99');
  return { field, op, value };
}

const NO_FILTERS: readonly Filter[] = Object.freeze([]);

function parseFilters(values: Values, resource: Resource): readonly Filter[] {
  if (values.size === 0) return NO_FILTERS;
  const filters = resource.filters.flatMap((parameter) => {
    const text = single(values, parameter.name);
    return text === undefined ? [] : [parseFilter(parameter, text)];
  });
  for (const low of filters) {
    const high = filters.find((other) => other.op === 'le' && other.field === low.field);
    if (low.op === 'ge' && high?.op === 'le' && low.value.compare(high.value) > 0) {
      throw invalid(`min_${low.field}`, `not greater than "max_${low.field}"`);
    }
  }
  return filters;
}

/** The parameters an operation knows; all others are ignored. */
function parametersOf(operation: Operation): readonly string[] {
  if (operation.kind === 'get') return [];
  const { sorts, filters } = operation.resource;
  return ['page', 'limit', ...(sorts.length > 0 ? ['sort'] : []), ...filters.map((filter) => filter.name)];
}

function parseList(operation: Operation, values: Values, rules: QueryRules): ListQuery {
  return {
    kind: 'list',
    resource: operation.resource.name,
    page: parseInteger(values, 'page', 1, PAGE_MAX, false),
    limit: parseInteger(values, 'limit', LIMIT_DEFAULT, LIMIT_MAX, rules.limitOverflow === 'clamp'),
    sort: parseSort(values, operation.resource),
    filters: parseFilters(values, operation.resource),
  };
}

/**
 * The id in a path segment, decoded once.
 * @throws GatewayError `bad_request` if the encoding is malformed, `not_found` if no record can have this id
 */
function parseId(rawId: string, resource: Resource): string {
  let id: string;
  try {
    id = decodeURIComponent(rawId);
  } catch (cause) {
    throw fault('bad_request', { detail: 'malformed percent-encoding in the path', cause });
  }
  if (id.length > 128 || !resource.id.safeParse(id).success) throw fault('not_found');
  return id;
}

/** Compiles the parser of an operation's path and query. It throws a `GatewayError` for a wrong parameter. */
export function compileParser(operation: Operation, rules: QueryRules) {
  const known = new Set(parametersOf(operation));
  return function parseRequest(rawQuery: string, rawId: string | undefined): Query {
    const values = readQuery(rawQuery, known);
    if (operation.kind === 'list') return parseList(operation, values, rules);
    return { kind: 'get', resource: operation.resource.name, id: parseId(rawId ?? '', operation.resource) };
  };
}
