import type { ScanPlan } from '../adapter/plan/plan.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Handler } from '../policy/call.ts';
import { createCached, type Fill } from '../policy/cache-stage.ts';
import type { Cache } from '../store/cache/cache.ts';
import type { Purges } from '../store/purges.ts';
import type { CompiledResource } from './compile-sources.ts';
import type { BackgroundTasks } from '../kernel/background-tasks.ts';
import type { RowSets } from '../reading/rowsets.ts';

export type CacheAnswersDeps = {
  readonly cache: Cache;
  readonly clock: Clock;
  readonly purges: Pick<Purges, 'current'>;
  /** Percent of its freshness by which an answer may end early. */
  readonly jitter: number;
  readonly tasks: Pick<BackgroundTasks, 'run'>;
};

/** Puts the cache in front of a resource's answers. */
export function cacheAnswers(
  { digest, config }: Pick<CompiledResource, 'digest' | 'config'>,
  { cache, clock, purges, jitter, tasks }: CacheAnswersDeps,
  answer: Fill,
): Handler {
  const deps = {
    cache,
    clock,
    digest,
    freshness: config.cache,
    generation: () => purges.current(),
    jitter: () => (Math.random() * jitter) / 100,
    background: (work: (signal: AbortSignal) => Promise<unknown>) =>
      tasks.run((signal) => work(AbortSignal.any([signal, AbortSignal.timeout(config.deadline)]))),
  };
  return createCached(deps, answer);
}

/** Row sets that end where something of their resource is purged, or it is not known any more what was. */
export function purgeable(
  rowSets: RowSets,
  { resource }: Pick<CompiledResource, 'resource'>,
  purges: Pick<Purges, 'current' | 'latest'>,
): RowSets {
  const isAbout = (tag: string) => tag === resource.name || tag.startsWith(`${resource.idPrefix}:`);

  function sincePurge(plan: ScanPlan): ScanPlan {
    const number = purges.latest(isAbout);
    // Numbers begin anew with each epoch: without its name, rows from before the last one would come back.
    const { epoch } = purges.current();
    return number === 0 && epoch === '' ? plan : { ...plan, key: `${plan.key}@${epoch}/${number}` };
  }

  return {
    ...rowSets,
    page: (plan, ...rest) => rowSets.page(sincePurge(plan), ...rest),
    has: (plan) => rowSets.has(sincePurge(plan)),
  };
}
