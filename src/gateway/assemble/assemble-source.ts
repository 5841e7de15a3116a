// Assembles one resource of one source, and its cached handlers. A reload reuses parts whose settings did not change.

import { createBackgroundTasks } from '../../kernel/background-tasks.ts';
import { createCacheStage } from '../../pipeline/stages/cache-stage.ts';
import type { Handler, SourceHandler } from '../../pipeline/stages/call.ts';
import type { Cache } from '../../store/cache/cache.ts';
import type { CompiledResource, DigestedSource } from '../../source/compile-sources.ts';
import { createRuntime, type RuntimeDeps, type WatchedRuntime } from '../../pipeline/create-runtime.ts';
import type { MadeComponent, ComponentSet } from '../../kernel/shared-components.ts';
import { createSourceReader, type SourceReaderDeps, type SourceReader } from './create-source-reader.ts';
import type { Upstream } from '../../source/client/client.ts';

/** Makes or reuses the parts of the configuration that is being assembled. */
export type Parts = Pick<ComponentSet, 'acquire'>;

/** What a resource is assembled from. All but the cache and the jitter outlives the configuration. */
export type AssembleSourceDeps = SourceReaderDeps &
  RuntimeDeps & {
    readonly cache: Cache;
    /** By how many percent of its freshness an answer may expire early. */
    readonly jitterPercent: number;
  };

/** One assembled resource of one source. */
export type ResourceSource = ReturnType<typeof assembleSource>;

function makeRuntime(
  { compiled, upstream }: { readonly compiled: DigestedSource; readonly upstream: Upstream },
  deps: RuntimeDeps,
): MadeComponent<WatchedRuntime> {
  const value = createRuntime(compiled, upstream, deps);
  return { value, close: () => value.close() };
}

/** Assembles a resource of a source. Parts that an earlier configuration made from the same settings are reused. */
export function assembleSource(
  compiled: CompiledResource,
  upstream: Upstream,
  parts: Parts,
  deps: AssembleSourceDeps,
) {
  const watched = parts.acquire(makeRuntime, { compiled, upstream }, deps);
  const { digest, config } = compiled;
  const { fresh } = config.cache;
  const reader = parts.acquire(createSourceReader, { compiled, watched, digest, fresh }, deps);
  return { compiled, watched, reader };
}

/** The handler of each operation of a resource, by its name: a cache in front of the source. */
export type CachedHandlers = ReadonlyMap<string, Handler>;

/** Wraps the source of an operation, so that its answers are watched. */
type SourceOf = (operation: string, source: SourceHandler) => SourceHandler;

/** The settings of cached handlers. */
export type HandlerSettings = {
  readonly compiled: DigestedSource;
  readonly reader: SourceReader;
  /** The digest of the source's file, which is a part of the cache key. */
  readonly digest: string;
  readonly deadlineMs: number;
  readonly freshness: CompiledResource['config']['cache'];
  readonly isReported: boolean;
  readonly cache: Cache;
  readonly jitterPercent: number;
};

/** Makes the handlers of all operations. `report` wraps the source of each operation; it outlives the configuration. */
export function makeCachedHandlers(
  { compiled, reader, ...settings }: HandlerSettings,
  {
    report = (_, source) => source,
    ...deps
  }: SourceReaderDeps & RuntimeDeps & { readonly report?: SourceOf | undefined },
): MadeComponent<CachedHandlers> {
  const tasks = createBackgroundTasks();
  const cached = createCacheStage({ ...deps, ...settings, tasks, random: Math.random });
  const value = new Map(
    compiled.resource.operations.map(({ name }) => [name, cached(report(name, reader.source))]),
  );
  return { value, close: () => tasks.close() };
}

/** Makes the handlers of a resource's operations, or reuses the handlers of an earlier configuration. */
export function assembleCachedHandlers(
  { compiled, reader }: ResourceSource,
  parts: Parts,
  deps: AssembleSourceDeps,
  report?: SourceOf,
): CachedHandlers {
  const { digest, config } = compiled;
  const { deadline: deadlineMs, cache: freshness } = config;
  const { cache, jitterPercent } = deps;
  const settings = { compiled, reader, digest, deadlineMs, freshness, cache, jitterPercent };
  return parts.acquire(
    makeCachedHandlers,
    { ...settings, isReported: report !== undefined },
    { ...deps, report },
  );
}
