import type { ListSpec } from '../../config/schema/source.ts';
import type { Part } from '../plan/push-down.ts';
import type { Variables } from './template.ts';

/** What pushed filters and a pushed sort make of a request. */
export type Combined = {
  /** In place of the list's own path. */
  readonly path: string | undefined;
  readonly query: readonly string[];
  readonly variables: Variables;
};

/** Compiles how the parts of a question are put together, with the conditions that always stand. */
export function compileCombine({ filterAlways, filterJoin, filterNone, sort }: ListSpec) {
  const always = filterAlways.filter((one) => typeof one === 'string');
  const alwaysItems = filterAlways.flatMap((one) => (typeof one === 'string' ? [] : [one.item]));
  return function combine(filters: readonly Part[], pushedSort: Part | undefined): Combined {
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
