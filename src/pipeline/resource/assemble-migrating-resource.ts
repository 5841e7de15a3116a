import type {
  Migrations,
  MovingResource,
  ResourceMigration,
  ServedMigration,
} from '../../migration/migrations.ts';
import { createGenerations, type Generations } from '../../migration/routing/current-generation.ts';
import { type BeginWarming, createCacheWarming } from '../../policy/cache-warm.ts';
import type { SourceHandler } from '../../policy/call.ts';
import type { CompiledMigration, CompiledResource } from '../compile-sources.ts';
import { contentDigest } from '../parts/content-digest.ts';
import type { MadePart } from '../parts/kept-parts.ts';
import { createSourceReader, type SourceReader } from './create-source-reader.ts';
import {
  type Answers,
  operationsOf,
  type Parts,
  type ResourceSource,
  type ResourceSourcesDeps,
  startAnswers,
  takeAnswers,
  takeSource,
} from './assemble-source.ts';
import type { SourceUpstreams } from '../source-upstreams.ts';

export type MigratingResourceDeps = ResourceSourcesDeps & { readonly migrations: Pick<Migrations, 'of'> };

/** A resource that moves, at work: what answers its operations, and from what. */
export type MigratingResource = {
  readonly answers: Answers;
  readonly sources: readonly [legacy: ResourceSource, next: ResourceSource];
  readonly served: ServedMigration;
  countRowSets(tag: string): number;
};

/** What is kept of the new source under one generation. */
type NextGeneration = SourceReader & { readonly answers: Answers; readonly warm: BeginWarming };

function movingOf(compiled: CompiledResource, { config: migration, to }: CompiledMigration): MovingResource {
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
function unsheltered(to: CompiledResource): CompiledResource {
  const cache = { ...to.config.cache, staleIfError: 0, notFound: 0 };
  return { ...to, config: { ...to.config, cache } };
}

function startGenerations(
  { compiled, watched }: ResourceSource,
  migration: ResourceMigration,
  deps: ResourceSourcesDeps,
): MadePart<Generations<NextGeneration>> {
  const next = unsheltered(compiled);
  const generations = createGenerations<NextGeneration>((number) => {
    const digest = `${next.digest}.g${number}`;
    const reader = createSourceReader(next, watched, { digest, fresh: next.config.cache.fresh }, deps);
    const { source } = reader.value;
    const answers = startAnswers(next, digest, (name) => migration.reported(name, 'new', source), deps);
    const { cache: freshness } = next.config;
    const warm = createCacheWarming({ ...deps, digest, freshness, random: Math.random });
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

function takeGenerations(
  to: ResourceSource,
  migration: ResourceMigration,
  parts: Parts,
  deps: ResourceSourcesDeps,
): Generations<NextGeneration> {
  const { resource, config } = to.compiled;
  const { deadline, cache } = config;
  const madeFrom = [resource.name, to.client.key, deadline, cache, deps.jitterPercent, deps.cacheKey];
  const start = () => startGenerations(to, migration, deps);
  return parts.take('generations', contentDigest(madeFrom), start);
}

/** Puts a resource that moves to work: each source behind a cache of its own, and the choice between them in front. */
export function assembleMigratingResource(
  compiled: CompiledResource,
  migration: CompiledMigration,
  upstreams: SourceUpstreams,
  parts: Parts,
  deps: MigratingResourceDeps,
): MigratingResource {
  const moving = movingOf(compiled, migration);
  const routing = deps.migrations.of(moving);
  const legacy = takeSource(compiled, upstreams.of(compiled), parts, deps);
  const to = takeSource(migration.to, upstreams.of(migration.to), parts, deps);
  const report = (name: string, source: SourceHandler) => routing.reported(name, 'legacy', source);
  const fromLegacy = takeAnswers(legacy, parts, deps, report);
  const complete = takeAnswers(to, parts, deps);
  const generations = takeGenerations(to, routing, parts, deps);
  const nextNow = () => generations.of(routing.generation()).value;

  /** After a rollback, what was asked before it is kept nowhere. */
  const warm: BeginWarming = (operation, query) => {
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
    served: { ...moving, sources: { legacy: legacy.source, new: (call) => nextNow().source(call) }, warm },
    countRowSets: (tag) => legacy.countRowSets(tag) + to.countRowSets(tag) + nextNow().countRowSets(tag),
  };
}
