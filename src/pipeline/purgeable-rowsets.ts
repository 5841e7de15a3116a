import type { RowSets } from './rowset/rowsets.ts';
import type { Walker } from './reading/pages/walk-page.ts';
import { EVERYTHING, type Purges } from '../store/cache/purges.ts';
import type { CompiledResource } from '../source/compile-sources.ts';

/** Row sets and walks that begin anew with a purge of something of their resource. */
export type Purgeable = {
  rowSets(rowSets: RowSets): RowSets;
  walker(walk: Walker): Walker;
  /** How many of these row sets a purge of the tag would end: those that no earlier purge has ended. */
  reached(rowSets: Pick<RowSets, 'keys'>, tag: string): number;
};

/** Creates what ends row sets and checkpoints with a purge, or where what was purged is no longer known. */
export function createPurgeable(
  { resource }: Pick<CompiledResource, 'resource'>,
  purges: Pick<Purges, 'current' | 'latest'>,
): Purgeable {
  const isAbout = (tag: string) => tag === resource.name || tag.startsWith(`${resource.idPrefix}:`);

  function sincePurge<T extends { readonly key: string }>(plan: T): T {
    const number = purges.latest(isAbout);
    // The numbers start again with each epoch: without its name, rows from before the last one would come back.
    const { epoch } = purges.current();
    return number === 0 && epoch === '' ? plan : { ...plan, key: `${plan.key}@${epoch}/${number}` };
  }

  return {
    rowSets: (rowSets) => ({
      ...rowSets,
      page: (plan, ...rest) => rowSets.page(sincePurge(plan), ...rest),
      has: (plan) => rowSets.has(sincePurge(plan)),
    }),
    walker:
      (walk) =>
      (plan, ...rest) =>
        walk(sincePurge(plan), ...rest),
    reached(rowSets, tag) {
      if (tag !== EVERYTHING && !isAbout(tag)) return 0;
      const { key: ending } = sincePurge({ key: '' });
      return rowSets.keys().filter((key) => key.endsWith(ending)).length;
    },
  };
}
