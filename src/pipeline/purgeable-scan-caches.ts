import type { ScanCaches } from './scan-cache/scan-caches.ts';
import type { Walker } from './reading/pages/walk-page.ts';
import { EVERYTHING, type Purges } from '../store/cache/purges.ts';
import type { CompiledResource } from '../source/compile-sources.ts';

/**
 * Makes the wrappers of scan caches and walkers that start again after a purge: of the resource, of one of its records, or
 * if the earlier purges are no longer known. To start again, the number of the last purge is part of each key.
 */
export function createPurgeable(
  { resource }: Pick<CompiledResource, 'resource'>,
  purges: Pick<Purges, 'current' | 'latest'>,
) {
  const isAbout = (tag: string) => tag === resource.name || tag.startsWith(`${resource.name}:`);

  function sincePurge<T extends { readonly key: string }>(plan: T): T {
    const number = purges.latest(isAbout);
    // The numbers start again in each epoch. Without its name in the key, rows of an earlier epoch could be served again.
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
    /** How many of these scan caches a purge of the tag would end. Those that an earlier purge has ended do not count. */
    reached(scanCaches: Pick<ScanCaches, 'keys'>, tag: string): number {
      if (tag !== EVERYTHING && !isAbout(tag)) return 0;
      const { key: ending } = sincePurge({ key: '' });
      return scanCaches.keys().filter((key) => key.endsWith(ending)).length;
    },
  };
}
