import { stringify } from 'yaml';
import type { Leaf } from '../oracle/model.ts';
import type { Tree } from './contract.ts';
import type { SourceResource } from './resource.ts';

/** The parameter by which the source is asked for a filter. */
export const parameterOf = (field: string, op: string) => `${field}..${op}`;

function mapOf({ codings, places }: SourceResource, leaves: readonly Leaf[]): Tree {
  const fields = leaves.map(({ name, kind }) => {
    if (kind === 'id') return [name, 'key'];
    const { as, each } = codings.get(name)!;
    const from = places.get(name)!;
    return [name, as.length === 0 && each === undefined ? from : { from, as, each }];
  });
  return Object.fromEntries(fields) as Tree;
}

function windowOf({ window, size, base }: SourceResource): { window: Tree; query: Tree } {
  switch (window) {
    case 'none':
      return { window: { kind: 'none' }, query: {} };
    case 'offset':
      return {
        window: { kind: 'offset', base, sizeMax: size },
        query: { offset: '{offset}', limit: '{limit}' },
      };
    case 'page':
      return {
        window: { kind: 'page', base, sizes: [size, size * 2] },
        query: { page: '{page}', limit: '{limit}' },
      };
  }
}

function filtersOf({ pushes }: SourceResource): Tree {
  const filters: Record<string, Tree> = {};
  for (const { leaf, op, exactness, separator } of pushes)
    (filters[leaf.name] ??= {})[op] = {
      query: {
        [parameterOf(leaf.name, op)]: op === 'in' && separator !== undefined ? '{values}' : '{value}',
      },
      exactness,
      ...(op === 'in' && separator === '|' && { separator }),
      // No time of the pools is finer.
      ...(leaf.kind === 'datetime' && op !== 'ge' && { wholeMs: true }),
    };
  return filters;
}

function resourceOf(resource: SourceResource): Tree {
  const { model, idKind, drops, hasTotal, order, sorts } = resource;
  const { window, query } = windowOf(resource);
  const path = `/${model.name}`;
  return {
    id: { kind: idKind },
    ...(drops && { onInvalidRecord: 'drop' }),
    ...(model.hasList && {
      list: {
        request: { path, query },
        window,
        ...(hasTotal && { total: { at: 'total' } }),
        items: 'rows',
        ...(order === 'id' && { order, orderIs: 'documented' }),
        ...(sorts.length > 0 && {
          sort: {
            query: { by: '{column}', way: '{direction}' },
            columns: Object.fromEntries(sorts.map((name) => [name, name])),
          },
        }),
        filters: filtersOf(resource),
        map: mapOf(resource, model.item),
      },
    }),
    ...(model.single !== undefined && {
      get: { request: { path: `${path}/{id}` }, item: '', map: mapOf(resource, model.single) },
    }),
  };
}

/** The source file that says what these resources have and can do. */
export function sourceText(resources: Iterable<SourceResource>, baseUrl: string): string {
  const entries = [...resources].map((resource) => [resource.model.name, resourceOf(resource)]);
  return stringify({
    source: 1,
    name: 'random',
    net: { baseUrl },
    outcomes: [
      { on: 'get', status: 404, is: 'not_found' },
      { status: 200, is: 'ok' },
    ],
    resources: Object.fromEntries(entries) as Tree,
  });
}
