// Assembles a resource that moves: both sources, a cache for each, and the stage that chooses between them.

import type {
  Migrations,
  MigratingResource,
  ResourceMigration,
  ServedMigration,
} from '../../migration/migrations.ts';
import {
  createCurrentGeneration,
  type CurrentGeneration,
} from '../../migration/routing/current-generation.ts';
import { type BeginPrewarm, createCachePrewarm } from '../../policy/cache-prewarm.ts';
import type { SourceHandler } from '../../policy/call.ts';
import type { CompiledMigration, CompiledResource } from '../compile-sources.ts';
import { contentDigest } from '../parts/content-digest.ts';
import type { MadePart } from '../parts/kept-parts.ts';
import { createSourceReader, type SourceReader } from './create-source-reader.ts';
import {
  type CachedHandlers,
  operationsOf,
  type Parts,
  type ResourceSource,
  type AssembleSourceDeps,
  createCachedHandlers,
  assembleCachedHandlers,
  assembleSource,
} from './assemble-source.ts';
import type { SourceUpstreams } from '../source-upstreams.ts';

export type AssembleMigratingResourceDeps = AssembleSourceDeps & {
  readonly migrations: Pick<Migrations, 'of'>;
};

/** A resource that moves, at work: what answers its operations, and from what. */
export type AssembledMigratingResource = {
  readonly answers: CachedHandlers;
  readonly sources: readonly [legacy: ResourceSource, next: ResourceSource];
  readonly served: ServedMigration;
  countRowSets(tag: string): number;
};

/** What is kept of the new source under one generation. */
type NewSourceParts = SourceReader & { readonly answers: CachedHandlers; readonly warm: BeginPrewarm };

function migratingResourceOf(
  compiled: CompiledResource,
  { config: migration, to }: CompiledMigration,
): MigratingResource {
  const { resource, source, digest, config } = compiled;
  return {
    operations: operationsOf(compiled).map(({ name }) => name),
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
 * The new source as it is asked while the legacy one stands behind it: its failures and its missing records are not
 * hidden by what it answered before.
 */
function withoutKeptAnswers(to: CompiledResource): CompiledResource {
  const cache = { ...to.config.cache, staleIfError: 0, notFound: 0 };
  return { ...to, config: { ...to.config, cache } };
}

function openCurrentGeneration(
  { compiled, watched }: ResourceSource,
  migration: ResourceMigration,
  deps: AssembleSourceDeps,
): MadePart<CurrentGeneration<NewSourceParts>> {
  const next = withoutKeptAnswers(compiled);
  const generations = createCurrentGeneration<NewSourceParts>((number) => {
    const digest = `${next.digest}.g${number}`;
    const reader = createSourceReader(next, watched, { digest, fresh: next.config.cache.fresh }, deps);
    const { source } = reader.value;
    const answers = createCachedHandlers(
      next,
      digest,
      (name) => migration.reported(name, 'new', source),
      deps,
    );
    const { cache: freshness } = next.config;
    const warm = createCachePrewarm({ ...deps, digest, freshness, random: Math.random });
    return {
      value: { ...reader.value, answers: answers.value, warm },
      close: () => Promise.all([answers.close?.(), reader.close?.()]),
    };
  });
  const unsubscribe = migration.onGeneration((number) => generations.of(number));
  async function close(): Promise<void> {
    unsubscribe();
    await generations.close();
  }
  return { value: generations, close };
}

function assembleCurrentGeneration(
  to: ResourceSource,
  migration: ResourceMigration,
  parts: Parts,
  deps: AssembleSourceDeps,
): CurrentGeneration<NewSourceParts> {
  const { resource, config } = to.compiled;
  const { deadline, cache } = config;
  const madeFrom = [resource.name, to.client.key, deadline, cache, deps.jitterPercent, deps.cacheKey];
  const start = () => openCurrentGeneration(to, migration, deps);
  return parts.take('generations', contentDigest(madeFrom), start);
}

/** Puts a resource that moves to work: each source behind a cache of its own, and the choice between them in front. */
export function assembleMigratingResource(
  compiled: CompiledResource,
  migration: CompiledMigration,
  upstreams: SourceUpstreams,
  parts: Parts,
  deps: AssembleMigratingResourceDeps,
): AssembledMigratingResource {
  const migrating = migratingResourceOf(compiled, migration);
  const routing = deps.migrations.of(migrating);
  const legacy = assembleSource(compiled, upstreams.of(compiled), parts, deps);
  const to = assembleSource(migration.to, upstreams.of(migration.to), parts, deps);
  const report = (name: string, source: SourceHandler) => routing.reported(name, 'legacy', source);
  const fromLegacy = assembleCachedHandlers(legacy, parts, deps, report);
  const complete = assembleCachedHandlers(to, parts, deps);
  const generations = assembleCurrentGeneration(to, routing, parts, deps);
  const nextNow = () => generations.of(routing.generation()).value;

  /** After a rollback, what was asked before it is kept nowhere. */
  const warm: BeginPrewarm = (operation, query) => {
    const generation = routing.generation();
    const keep = nextNow().warm(operation, query);
    return async (answer) => {
      if (routing.generation() === generation) await keep(answer);
    };
  };

  const answers = operationsOf(compiled).flatMap(({ name }) => {
    const [legacyAnswer, completeAnswer] = [fromLegacy.get(name), complete.get(name)];
    if (legacyAnswer === undefined || completeAnswer === undefined) return [];
    const next = (number: number) => {
      const { value, attempts } = generations.of(number);
      return { attempts, handler: value.answers.get(name) ?? completeAnswer };
    };
    const handlers = { legacy: legacyAnswer, next, complete: completeAnswer };
    return [[name, routing.originStage(name, handlers)] as const];
  });
  return {
    answers: new Map(answers),
    sources: [legacy, to],
    served: { ...migrating, sources: { legacy: legacy.source, new: (call) => nextNow().source(call) }, warm },
    countRowSets: (tag) => legacy.countRowSets(tag) + to.countRowSets(tag) + nextNow().countRowSets(tag),
  };
}
