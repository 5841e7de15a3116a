// Creates the reader of one resource of one source, which answers the queries for which the cache has no answer.

import { blameUpstream } from '../../kernel/errors/fault.ts';
import { createAnswer } from '../../pipeline/answer/answer-query.ts';
import { createScanCaches } from '../../pipeline/scan-cache/scan-caches.ts';
import { createWalker } from '../../pipeline/reading/pages/walk-page.ts';
import { createCursorCheckpoints } from '../../store/scan-cache/cursor-checkpoints.ts';
import { createRedisScanCaches } from '../../store/scan-cache/redis-scan-caches.ts';
import { compileRowCodec } from '../../store/scan-cache/row-codec.ts';
import type { Purges } from '../../store/cache/purges.ts';
import type { RedisKeys } from '../../store/redis/redis-keys.ts';
import type { RedisByRole } from '../../store/redis/redis-roles.ts';
import type { DigestedSource } from '../../source/compile-sources.ts';
import type { WatchedRuntime } from '../../pipeline/create-runtime.ts';
import { createPurgeable } from '../../pipeline/purgeable-scan-caches.ts';

/**
 * What a reader needs. Scan caches and walks that are older than a purge (`purges`) of their resource are no longer used.
 * `redis.cache` shares them with the fleet.
 */
export type SourceReaderDeps = {
  readonly purges: Pick<Purges, 'current' | 'latest'>;
  /** Where scan caches are shared; absent in the embedded mode. */
  readonly redis: Pick<RedisByRole, 'cache'>;
  readonly keys: RedisKeys;
  readonly metrics: {
    /** Shows the ages of scan caches, in seconds, as a metric until the returned function is called. */
    watchScanCaches(source: string, resource: string, ages: () => readonly number[]): () => void;
  };
};

/** Reads one resource from one source. */
export type SourceReader = ReturnType<typeof createSourceReader>['value'];

type SourceReaderSettings = {
  readonly compiled: DigestedSource;
  readonly watched: WatchedRuntime;
  /** The name under which the fleet shares scan caches and walks. */
  readonly digest: string;
  /** How long answers are fresh, in seconds. */
  readonly fresh: number;
};

/** Creates the reader of one resource of one source: request plans, scan caches and page walks. */
export function createSourceReader(
  { compiled, watched: { runtime, quality }, digest, fresh }: SourceReaderSettings,
  deps: SourceReaderDeps,
) {
  const { resource } = compiled;
  const { cache: redis } = deps.redis;
  const place = redis && { client: redis.client, keys: deps.keys, scope: `${resource.name}/${digest}` };
  const codec = compileRowCodec(resource.itemFields);
  const scanCaches = createScanCaches(runtime, place && createRedisScanCaches({ ...place, codec }));
  const walk = createWalker(runtime, createCursorCheckpoints({ redis: place }));
  const purgeable = createPurgeable(compiled, deps.purges);
  function failed(error: unknown): never {
    blameUpstream(error, compiled.source.spec.name);
    quality.failed(error);
    throw error;
  }
  const settings = { fresh, failed };
  const source = createAnswer(runtime, settings, purgeable.scanCaches(scanCaches), purgeable.walker(walk));
  const ages = () => scanCaches.storedTimes().map((at) => (runtime.clock.now() - at) / 1_000);
  const endWatch = deps.metrics.watchScanCaches(compiled.source.spec.name, resource.name, ages);
  return {
    value: {
      source,
      /** How many scan caches of this process a purge of the tag would make unusable. */
      countScanCaches: (tag: string) => purgeable.reached(scanCaches, tag),
    },
    close: (): Promise<void> => {
      endWatch();
      return scanCaches.close();
    },
  };
}
