import type { ScanPlan } from '../adapter/plan/plan.ts';
import type { RowSets } from '../reading/rowsets/rowsets.ts';
import type { Purges } from '../store/purges.ts';
import type { CompiledResource } from './compile-sources.ts';

/** Row sets that end with a purge of something of their resource, or where what was purged is no longer known. */
export function purgeableRowSets(
  rowSets: RowSets,
  { resource }: Pick<CompiledResource, 'resource'>,
  purges: Pick<Purges, 'current' | 'latest'>,
): RowSets {
  const isAbout = (tag: string) => tag === resource.name || tag.startsWith(`${resource.idPrefix}:`);

  function sincePurge(plan: ScanPlan): ScanPlan {
    const number = purges.latest(isAbout);
    // The numbers start again with each epoch: without its name, rows from before the last one would come back.
    const { epoch } = purges.current();
    return number === 0 && epoch === '' ? plan : { ...plan, key: `${plan.key}@${epoch}/${number}` };
  }

  return {
    ...rowSets,
    page: (plan, ...rest) => rowSets.page(sincePurge(plan), ...rest),
    has: (plan) => rowSets.has(sincePurge(plan)),
  };
}
