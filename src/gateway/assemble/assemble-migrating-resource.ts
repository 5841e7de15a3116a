// Assembles a resource that moves to a new source: both sources, a cache for each, and the stage that chooses between them.

import type {
  MigratingResource,
  Migrations,
  ResourceMigration,
  ServedMigration,
} from '../../migration/migrations.ts';
import {
  createNewSourceGenerations,
  type NewSourceGenerations,
} from '../../migration/routing/new-source-generations.ts';
import type { Origin } from '../../kernel/migration-origin.ts';
import { type BeginPrewarm, createCachePrewarm } from '../../pipeline/stages/cache-prewarm.ts';
import type { SourceHandler } from '../../pipeline/stages/call.ts';
import { createUncachedHandler } from '../../pipeline/stages/cache-stage.ts';
import type { RuntimeDeps, WatchedRuntime } from '../../pipeline/create-runtime.ts';
import type { CompiledMigration, CompiledResource } from '../../source/compile-sources.ts';
import type { MadeComponent } from '../../kernel/shared-components.ts';
import { createSourceReader, type SourceReader, type SourceReaderDeps } from './create-source-reader.ts';
import {
  assembleCachedHandlers,
  assembleSource,
  type AssembleSourceDeps,
  type CachedHandlers,
  makeCachedHandlers,
  type Parts,
  type HandlerSettings,
} from './assemble-source.ts';
import type { SourceUpstreams } from '../../source/source-upstreams.ts';

/** What the assembly needs. `migrations` outlives a reload, so that failures of the new source before it still count. */
export type AssembleMigratingResourceDeps = AssembleSourceDeps & {
  readonly migrations: Pick<Migrations, 'of'>;
};

/** The parts of one generation of the new source: its scan caches, its cached handlers, and the function that warms its cache. */
type NewSourceParts = SourceReader & { readonly handlers: CachedHandlers; readonly warm: BeginPrewarm };

function migratingResourceOf(
  compiled: CompiledResource,
  { config: migration, to }: CompiledMigration,
): MigratingResource {
  const { resource, source, digest, config } = compiled;
  return {
    operations: resource.operations.map(({ name }) => name),
    resource,
    declared: {
      resource: resource.name,
      sources: [source.spec.name, to.source.spec.name],
      digests: [digest, to.digest],
      position: { stage: migration.stage, percent: migration.stage === 'ramp' ? migration.percent : 0 },
    },
    config: migration,
    deadlineMs: config.deadline,
    freshMs: config.cache.fresh * 1_000,
  };
}

/**
 * The cache settings of the new source while the legacy source can still answer in its place. The cache serves no stale answer
 * and keeps no missing record, because both would hide failures of the new source from the fallback and from the comparison
 * counts. It also serves no stale answer during a refresh, because there is no legacy answer that shows whether only the new
 * source fails.
 */
const withoutKeptAnswers = (cache: CompiledResource['config']['cache']) => ({
  ...cache,
  staleWhileRevalidate: 0,
  staleIfError: 0,
  notFound: 0,
});

type GenerationSettings = Omit<HandlerSettings, 'reader' | 'digest' | 'isReported'> & {
  readonly watched: WatchedRuntime;
};

function openGenerations(
  { compiled, watched, deadlineMs, freshness, ...kept }: GenerationSettings,
  { migration, ...deps }: SourceReaderDeps & RuntimeDeps & { readonly migration: ResourceMigration },
): MadeComponent<NewSourceGenerations<NewSourceParts>> {
  const current = createNewSourceGenerations<NewSourceParts>((number) => {
    const digest = `${compiled.digest}.g${number}`;
    const reader = createSourceReader({ compiled, watched, digest, fresh: freshness.fresh }, deps);
    const report = (name: string, source: SourceHandler) => migration.reported(name, 'new', source);
    const settings = { compiled, reader: reader.value, digest, deadlineMs, freshness, isReported: true };
    const handlers = makeCachedHandlers({ ...settings, ...kept }, { ...deps, report });
    const warm = createCachePrewarm({ ...deps, ...kept, digest, freshness, random: Math.random });
    return {
      value: { ...reader.value, handlers: handlers.value, warm },
      close: () => Promise.all([handlers.close?.(), reader.close()]),
    };
  });
  // A rollback by another process must end this generation at once, not at the next call.
  const unsubscribe = migration.onGeneration((number) => current.of(number));
  async function close(): Promise<void> {
    unsubscribe();
    await current.close();
  }
  return { value: current, close };
}

/** Assembles a resource that moves: each source behind its own cache, and in front of both the stage that chooses. */
export function assembleMigratingResource(
  compiled: CompiledResource,
  migration: CompiledMigration,
  upstreams: SourceUpstreams,
  parts: Parts,
  deps: AssembleMigratingResourceDeps,
) {
  const migrating = migratingResourceOf(compiled, migration);
  const routing = deps.migrations.of(migrating);
  const legacy = assembleSource(compiled, upstreams.of(compiled), parts, deps);
  const to = assembleSource(migration.to, upstreams.of(migration.to), parts, deps);
  const report = (name: string, source: SourceHandler) => routing.reported(name, 'legacy', source);
  const legacyHandlers = assembleCachedHandlers(legacy, parts, deps, report);
  const completeHandlers = assembleCachedHandlers(to, parts, deps);
  const { cache, jitterPercent } = deps;
  const { deadline: deadlineMs, cache: kept } = migration.to.config;
  const freshness = withoutKeptAnswers(kept);
  const settings = {
    compiled: migration.to,
    watched: to.watched,
    deadlineMs,
    freshness,
    cache,
    jitterPercent,
  };
  const current = parts.acquire(openGenerations, settings, { ...deps, migration: routing });
  const newParts = () => current.of(routing.generation()).value;

  const warm: BeginPrewarm = (operation, query) => {
    const generation = routing.generation();
    const keep = newParts().warm(operation, query);
    return async (answer) => {
      // An answer that was read before a rollback must not get into the cache after it.
      if (routing.generation() === generation) await keep(answer);
    };
  };

  const uncached = (origin: Origin, number: number) =>
    createUncachedHandler(origin === 'legacy' ? legacy.reader.source : current.of(number).value.source);
  const handlers = compiled.resource.operations.flatMap(({ name }) => {
    const [legacyHandler, complete] = [legacyHandlers.get(name), completeHandlers.get(name)];
    if (legacyHandler === undefined || complete === undefined) return [];
    const newHandler = (number: number) => {
      const { value, attempts } = current.of(number);
      return { attempts, handler: value.handlers.get(name) ?? complete };
    };
    const stage = routing.originStage(name, { legacy: legacyHandler, new: newHandler, complete, uncached });
    return [[name, stage] as const];
  });
  const served: ServedMigration = {
    ...migrating,
    sources: { legacy: legacy.reader.source, new: (call) => newParts().source(call) },
    warm,
  };
  return {
    handlers: new Map(handlers),
    sources: [legacy, to],
    served,
    countScanCaches: (tag: string) =>
      legacy.reader.countScanCaches(tag) + to.reader.countScanCaches(tag) + newParts().countScanCaches(tag),
  };
}
