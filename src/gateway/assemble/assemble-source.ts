// Assembles one resource of one source, and its cached handlers; reuses parts of the earlier configuration.

import { operations } from '../../contract/operations.ts';
import { createBackgroundTasks } from '../../kernel/background-tasks.ts';
import { createCacheStage } from '../../pipeline/stages/cache-stage.ts';
import type { Handler, SourceHandler } from '../../pipeline/stages/call.ts';
import type { Cache } from '../../store/cache/cache.ts';
import type { CompiledResource } from '../../source/compile-sources.ts';
import { createRuntime, type RuntimeDeps, type WatchedRuntime } from '../../pipeline/create-runtime.ts';
import { contentDigest } from '../../kernel/secret.ts';
import type { ComponentSet, MadeComponent } from '../../kernel/shared-components.ts';
import { createSourceReader, type SourceReader, type SourceReaderDeps } from './create-source-reader.ts';
import type { SourceClient } from '../../source/source-upstreams.ts';

/** The parts of the configuration that is being assembled. */
export type Parts = Pick<ComponentSet, 'acquire'>;

/** What a resource is assembled from. It outlives the configuration, so nothing of one configuration may be in it. */
export type AssembleSourceDeps = SourceReaderDeps &
  RuntimeDeps & {
    readonly cache: Cache;
    /** Changes when the cache is another one. */
    readonly cacheKey: string;
    /** Percent of its freshness by which an answer may end early. */
    readonly jitterPercent: number;
  };

/** The operations of a resource. */
export const operationsOf = ({ resource }: CompiledResource) =>
  operations.filter((operation) => operation.resource === resource);

/** One assembled resource of one source. */
export type ResourceSource = SourceReader & {
  readonly compiled: CompiledResource;
  readonly client: SourceClient;
  readonly watched: WatchedRuntime;
};

/** Assembles a resource of a source. Parts that an earlier configuration made from the same settings are reused. */
export function assembleSource(
  compiled: CompiledResource,
  client: SourceClient,
  parts: Parts,
  deps: AssembleSourceDeps,
): ResourceSource {
  const { resource, config, digest } = compiled;
  const watched = parts.acquire('runtime', contentDigest([resource.name, client.key]), () => {
    const value = createRuntime(compiled, client.upstream, deps);
    return { value, close: () => value.close() };
  });
  const { fresh } = config.cache;
  const readFrom = contentDigest([resource.name, client.key, fresh]);
  const reader = parts.acquire('reader', readFrom, () =>
    createSourceReader(compiled, watched, { digest, fresh }, deps),
  );
  return { ...reader, compiled, client, watched };
}

/** The handler of each operation of a resource, by its name: a cache in front of the source. */
export type CachedHandlers = ReadonlyMap<string, Handler>;

/** Creates the handlers of all operations. Their answers are cached under `digest`. */
export function createCachedHandlers(
  compiled: CompiledResource,
  digest: string,
  sourceOf: (operation: string) => SourceHandler,
  deps: AssembleSourceDeps,
): MadeComponent<CachedHandlers> {
  const { deadline: deadlineMs, cache: freshness } = compiled.config;
  const tasks = createBackgroundTasks();
  const cache = createCacheStage({ ...deps, tasks, digest, freshness, deadlineMs, random: Math.random });
  const value = new Map(operationsOf(compiled).map(({ name }) => [name, cache(sourceOf(name))]));
  return { value, close: () => tasks.close() };
}

/** Creates the handlers, or reuses those of an earlier configuration. `report` wraps the source of each operation. */
export function assembleCachedHandlers(
  { compiled, source, client }: ResourceSource,
  parts: Parts,
  deps: AssembleSourceDeps,
  report?: (operation: string, source: SourceHandler) => SourceHandler,
): CachedHandlers {
  const { deadline, cache } = compiled.config;
  const { jitterPercent, cacheKey } = deps;
  const isReported = report !== undefined;
  const { name } = compiled.resource;
  const madeFrom = [name, client.key, deadline, cache, jitterPercent, cacheKey, isReported];
  const sourceOf = (operation: string) => report?.(operation, source) ?? source;
  const create = () => createCachedHandlers(compiled, compiled.digest, sourceOf, deps);
  return parts.acquire('answers', contentDigest(madeFrom), create);
}
