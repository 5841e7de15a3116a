// Creates what reads a resource from its source: request plans, row sets and page walks.

import { blameUpstream } from '../../kernel/errors/fault.ts';
import type { MadeComponent } from '../../kernel/shared-components.ts';
import type { SourceHandler } from '../../pipeline/stages/call.ts';
import { createAnswer } from '../../pipeline/answer/answer-query.ts';
import { createRowSets } from '../../pipeline/rowset/rowsets.ts';
import { createWalker } from '../../pipeline/reading/pages/walk-page.ts';
import { createCursorCheckpoints } from '../../store/rowset/cursor-checkpoints.ts';
import { createRedisRowSets } from '../../store/rowset/redis-rowsets.ts';
import { compileRowCodec } from '../../store/rowset/row-codec.ts';
import type { Purges } from '../../store/cache/purges.ts';
import type { RedisKeys } from '../../store/redis/redis-keys.ts';
import type { RedisByRole } from '../../store/redis/redis-roles.ts';
import type { DigestedSource } from '../../source/compile-sources.ts';
import type { WatchedRuntime } from '../../pipeline/create-runtime.ts';
import { createPurgeable } from '../../pipeline/purgeable-rowsets.ts';

/**
 * `purges` ends row sets and walks that are older than a purge of their resource. `redis.cache` shares them with the
 * fleet.
 */
export type SourceReaderDeps = {
  readonly purges: Pick<Purges, 'current' | 'latest'>;
  /** Where row sets are shared; absent in the embedded mode. */
  readonly redis: Pick<RedisByRole, 'cache'>;
  readonly keys: RedisKeys;
  readonly metrics: {
    /** Shows the ages of row sets, in seconds, until the returned function is called. */
    watchRowSets(source: string, resource: string, ages: () => readonly number[]): () => void;
  };
};

/** One resource, read from one source. */
export type SourceReader = {
  readonly source: SourceHandler;
  /** How many row sets of this process a purge of the tag would end. */
  countRowSets(tag: string): number;
};

/** What a reader is made from. */
type SourceReaderSettings = {
  readonly compiled: DigestedSource;
  readonly watched: WatchedRuntime;
  /** The name under which the fleet shares row sets and walks. */
  readonly digest: string;
  /** Seconds. */
  readonly fresh: number;
};

/** Puts together what reads a resource: plans, row sets and walks. */
export function createSourceReader(
  { compiled, watched: { runtime, quality }, digest, fresh }: SourceReaderSettings,
  deps: SourceReaderDeps,
): MadeComponent<SourceReader> {
  const { resource } = compiled;
  const { cache: redis } = deps.redis;
  const place = redis && { client: redis.client, keys: deps.keys, scope: `${resource.name}/${digest}` };
  const codec = compileRowCodec(resource.itemFields);
  const rowSets = createRowSets(runtime, place && createRedisRowSets({ ...place, codec }));
  const walk = createWalker(runtime, createCursorCheckpoints({ redis: place }));
  const purgeable = createPurgeable(compiled, deps.purges);
  const answer = createAnswer(runtime, { fresh }, purgeable.rowSets(rowSets), purgeable.walker(walk));
  async function source(call: Parameters<SourceHandler>[0]) {
    try {
      return await answer(call);
    } catch (error) {
      blameUpstream(error, compiled.source.spec.name);
      quality.failed(error);
      throw error;
    }
  }
  const ages = () => rowSets.storedTimes().map((at) => (runtime.clock.now() - at) / 1_000);
  const endWatch = deps.metrics.watchRowSets(compiled.source.spec.name, resource.name, ages);
  return {
    value: { source, countRowSets: (tag) => purgeable.reached(rowSets, tag) },
    close() {
      endWatch();
      return rowSets.close();
    },
  };
}
