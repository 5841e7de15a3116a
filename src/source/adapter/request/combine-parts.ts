// Combines the parts that pushed filters and the pushed sort of a query add to the request of a list.

import type { ListSpec } from '../../../config/schema/source.ts';
import type { Variables } from './text-template.ts';

/** What a pushed filter or sort adds to a request: query parameters, an expression, a tree of a JSON body, or another path. */
export type RequestPart = {
  readonly query: readonly string[];
  readonly expr?: string | undefined;
  /** The tree of a filter. */
  readonly item?: unknown;
  /** The trees of the sort. */
  readonly items?: readonly unknown[] | undefined;
  readonly path?: string | undefined;
  /** Request variables that hold the value of a filter. */
  readonly named?: Readonly<Record<string, string | number | boolean>> | undefined;
};

/** What all pushed filters and the pushed sort together add to a request. */
export type Combined = {
  /** Replaces the list's own path. */
  readonly path: string | undefined;
  readonly query: readonly string[];
  readonly variables: Variables;
};

/** Compiles the combination of a query's parts with the conditions that are always sent. */
export function compileCombine({ filterAlways, filterJoin, filterNone, sort }: ListSpec) {
  const always = filterAlways.filter((one) => typeof one === 'string');
  const alwaysItems = filterAlways.flatMap((one) => (typeof one === 'string' ? [] : [one.item]));
  return function combine(filters: readonly RequestPart[], pushedSort: RequestPart | undefined): Combined {
    const conditions = [...always, ...filters.flatMap(({ expr }) => (expr === undefined ? [] : [expr]))];
    const items = [...alwaysItems, ...filters.flatMap(({ item }) => (item === undefined ? [] : [item]))];
    return {
      path: filters.find(({ path }) => path !== undefined)?.path,
      query: [...filters.flatMap(({ query }) => query), ...(pushedSort?.query ?? [])],
      variables: {
        ...Object.fromEntries(filters.flatMap(({ named = {} }) => Object.entries(named))),
        filter: conditions.length === 0 ? filterNone : conditions.join(filterJoin),
        filters: items.length === 0 ? undefined : items,
        sort: pushedSort?.expr ?? sort?.none,
        sorts: pushedSort?.items,
      },
    };
  };
}
