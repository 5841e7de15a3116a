import type { ScanCaches } from './scan-cache/scan-caches.ts';
import type { Walker } from './reading/pages/walk-page.ts';
import { EVERYTHING, type Purges } from '../store/cache/purges.ts';
import type { CompiledResource } from '../source/compile-sources.ts';

/**
 * Makes scan caches and cursor walks start again after a purge of their resource or of one of its records, or if the purges
 * so far are no longer known.
 */
export function createPurgeable(
  { resource }: Pick<CompiledResource, 'resource'>,
  purges: Pick<Purges, 'current' | 'latest'>,
) {
  const isAbout = (tag: string) => tag === resource.name || tag.startsWith(`${resource.name}:`);

  function sincePurge<T extends { readonly key: string }>(plan: T): T {
    const number = purges.latest(isAbout);
    // The numbers start again with each epoch: without its name, rows from before the last one would come back.
    const { epoch } = purges.current();
    return number === 0 && epoch === '' ? plan : { ...plan, key: `${plan.key}@${epoch}/${number}` };
  }

  return {
    scanCaches: (scanCaches: ScanCaches): ScanCaches => ({
      ...scanCaches,
      page: (plan, ...rest) => scanCaches.page(sincePurge(plan), ...rest),
      has: (plan) => scanCaches.has(sincePurge(plan)),
    }),
    walker:
      (walk: Walker): Walker =>
      (plan, ...rest) =>
        walk(sincePurge(plan), ...rest),
    /** How many of these scan caches a purge of the tag would end; those that an earlier purge has ended do not count. */
    reached(scanCaches: Pick<ScanCaches, 'keys'>, tag: string): number {
      if (tag !== EVERYTHING && !isAbout(tag)) return 0;
      const { key: ending } = sincePurge({ key: '' });
      return scanCaches.keys().filter((key) => key.endsWith(ending)).length;
    },
  };
}
