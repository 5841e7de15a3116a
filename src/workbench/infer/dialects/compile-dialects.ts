// Makes the functions that `infer` calls, such as how a list is sorted, from the example file of a dialect.

import { loadSources } from '../../../config/load.ts';
import type { FileText } from '../../../config/yaml/yaml-file.ts';
import type {
  DialectSpec,
  ListSpec,
  RequestSpec,
  SourceResourceSpec,
  SourceSpec,
} from '../../../config/schema/source.ts';
import { ConfigError, type Problem } from '../../../config/yaml/problem.ts';
import { mapTexts } from '../../../kernel/json/json-tree.ts';
import { parameterName, requestParameters, withQuery } from '../requests/request-parameters.ts';
import { applyRules, compileSort, fill } from './change-request.ts';
import type { Dialect, DialectFilter, DialectPaging } from './dialect.ts';
import { compileSigns } from './recognise-dialect.ts';

/** The paging of the source. What the dialect says itself takes precedence. */
function pagingOf({ paging }: DialectSpec, { request, window }: ListSpec): DialectPaging | undefined {
  if (paging === 'none' || !(window.kind === 'cursor' || window.kind === 'link' || 'pastEnd' in window))
    return undefined;
  const parameters = requestParameters(request).filter(({ place }) => place.in !== 'path');
  const named = (...values: readonly string[]) => {
    const found = parameters.find(({ value }) => values.includes(String(value)));
    return found && parameterName(found.place);
  };
  const { kind } = window;
  const size = named('{limit}');
  return {
    kind,
    size,
    start: named('{offset}', '{page}'),
    cursor: named('{cursor}'),
    ...('base' in window && { base: window.base, depthMax: window.depthMax }),
    ...('next' in window && { next: window.next }),
    // If no parameter sets the page size, the service has a fixed one, which `infer` then looks for.
    sizeMax:
      'sizeMax' in window ? window.sizeMax : size === undefined ? undefined : Math.max(...window.sizes),
    ...paging,
  };
}

function totalOf({ total: own }: DialectSpec, { total }: ListSpec): Dialect['total'] {
  if (own !== undefined) return own === 'unknown' ? undefined : own;
  if (total === undefined) return 'none';
  const { counts: _counts, count, ...place } = total;
  return count === undefined ? place : { count };
}

/** Filters in the forms that the dialect says, or in those of the source, for other columns. */
function filtersOf({ filters }: DialectSpec, { filters: own, items, map }: ListSpec): Dialect['filters'] {
  const row = typeof items === 'string' ? '' : items.row;
  const formsOf = (op: DialectFilter['op']) => {
    if (filters !== undefined) return filters[op] ?? [];
    return Object.entries(own)
      .flatMap(([field, { [op]: form }]) => form && fill(form, String(map[field]?.from), '{column}'))
      .filter((form) => form !== undefined);
  };
  return (wanted) =>
    wanted.flatMap(({ field, op, column: path }) =>
      formsOf(op).map((form): DialectFilter => {
        const inRow = path.startsWith(`${row}.`) ? path.slice(row.length + 1) : path;
        const named = fill(fill(form, '{column}', inRow), '{name}', path.split('.').at(-1) ?? '');
        const { query, exactness, ...how } = named;
        const isQuery = how.expr === undefined && how.item === undefined;
        return { field, op, ...how, ...(isQuery && { query }), superset: exactness === 'superset' };
      }),
    );
}

/** The places of filter conditions in the list's request, if the dialect has filters. */
function filterPlaces({ filters }: DialectSpec, { request }: ListSpec) {
  const parameters =
    filters !== undefined && Object.keys(filters).length === 0 ? [] : requestParameters(request);
  const inQuery = parameters.filter(({ value, place }) => value === '{filter}' && place.in === 'query');
  const listed = parameters.find(({ value }) => value === '{filters}')?.place;
  return {
    filterQuery: Object.fromEntries(inQuery.map(({ name }) => [name, '{filter}'])),
    filterPlace: listed?.in === 'json' ? listed.path : undefined,
  };
}

/** The columns of the fields that every service has, from the maps of the source. */
function pathsOf(
  { fields, resource, columns }: DialectSpec,
  { list, get }: SourceResourceSpec,
): Dialect['paths'] {
  const map = { ...list.map, ...get?.map };
  const own = fields.flatMap((field) => {
    const from = map[field]?.from;
    return typeof from === 'string' ? [[field, from] as const] : [];
  });
  return { [resource]: Object.fromEntries(own), ...columns };
}

/** The request with the constants of the dialect that it does not have. */
function extended(request: RequestSpec, { query, headers, joined }: DialectSpec['constants']): RequestSpec {
  const constants = mapTexts(query, (value, name) => {
    const given = request.query[name];
    // A parameter that the request has stays as it is, unless the dialect says how to add the constant to it.
    const between = joined[name];
    return given === undefined ? value : between === undefined ? given : given + between + value;
  });
  return { ...withQuery(request, constants), headers: { ...request.headers, ...headers } };
}

function compileDialect(spec: DialectSpec, { name, outcomes, resources }: SourceSpec): Dialect {
  const example = resources[spec.resource];
  if (example === undefined) throw new Error(`${name} has no ${spec.resource} to show ${spec.key}`);
  const { id, list } = example;
  const success = outcomes.find(({ is, on, present }) => is === 'ok' && on !== 'get' && present === true);
  return {
    ...spec,
    matches: compileSigns(spec.matches),
    confirms: compileSigns([spec.confirms]),
    rewrite: ({ request, resource }) => applyRules(spec.rewrite, request, { resource })?.request ?? request,
    extend: (request) => extended(request, spec.constants),
    paging: pagingOf(spec, list),
    total: totalOf(spec, list),
    sort: spec.sort && compileSort(spec.sort),
    filters: filtersOf(spec, list),
    ...filterPlaces(spec, list),
    paths: pathsOf(spec, example),
    itemsAbsent: list.itemsAbsent,
    count: (request) => applyRules(spec.count, request, {}),
    record(request, idIsNumber) {
      const bare: RequestSpec = { method: 'GET', path: request.path, query: {}, headers: request.headers };
      return applyRules(spec.record, request, { ids: idIsNumber ? 'number' : 'text' }, bare)?.request;
    },
    idKind: spec.ids && id.kind === 'text' ? 'text' : undefined,
    idForm: () => (spec.ids ? id.form : undefined),
    dropWhen: list.dropWhen.length === 0 ? undefined : list.dropWhen,
    success: success?.at,
  };
}

/**
 * Compiles the dialects of example files, in the order in which they are tried.
 * @throws ConfigError if a file has problems
 */
export function compileDialects(files: readonly FileText[]): readonly Dialect[] {
  const problems: Problem[] = [];
  // No request is sent to the services of the examples, so any address is good enough.
  const environment = { variables: {}, readFile: () => '', placeholder: () => 'http://placeholder.invalid' };
  const sources = [...loadSources(files, environment, problems).values()];
  if (problems.length > 0) throw new ConfigError(problems);
  return sources
    .flatMap(({ spec }) => spec.dialects.map((dialect) => ({ dialect, spec })))
    .sort((a, b) => a.dialect.rank - b.dialect.rank)
    .map(({ dialect, spec }) => compileDialect(dialect, spec));
}
