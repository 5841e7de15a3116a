import type { Logger } from 'pino';
import type { GatewayConfig } from '../config/schema/gateway.ts';
import { operations } from '../contract/operations.ts';
import { compileParser } from '../contract/parse-query.ts';
import { blameUpstream } from '../errors/fault.ts';
import { createBackgroundTasks } from '../kernel/background-tasks.ts';
import type { Clock } from '../kernel/clock.ts';
import { contentDigest } from './parts/content-digest.ts';
import type { MadePart, PartSet } from './parts/kept-parts.ts';
import { createCacheStage } from '../policy/cache-stage.ts';
import type { Handler, SourceHandler } from '../policy/call.ts';
import { createAnswer } from '../reading/answer-query.ts';
import { createRowSets } from '../reading/rowsets/rowsets.ts';
import { createWalker } from '../reading/walk-page.ts';
import { createCursorCheckpoints } from '../rowset/cursor-checkpoints.ts';
import { createRedisRowSets } from '../rowset/redis-rowsets.ts';
import { compileRowCodec } from '../rowset/row-codec.ts';
import type { Cache } from '../store/cache/cache.ts';
import type { FallenClaims } from '../store/fallen-claims.ts';
import type { Purges } from '../store/purges.ts';
import type { RedisKeys } from '../store/redis/redis-keys.ts';
import type { RedisByRole } from '../store/redis/redis-roles.ts';
import { type AdmissionStages, assembleOperation } from './assemble.ts';
import type { CompiledResource } from './compile-sources.ts';
import { createRuntime, type ReplyMetrics } from './create-runtime.ts';
import { createPurgeable } from './purgeable-rowsets.ts';
import type { Quality, ResourceQuality } from './quality.ts';
import { createSourceUpstreams, type ShareOf, type SourceUpstreamsDeps } from './source-upstreams.ts';
import type { Upstream } from '../upstream/client.ts';

export type OperationsDeps = {
  readonly admission: AdmissionStages;
  readonly cache: Cache;
  /** Changes when the cache is another one. */
  readonly cacheKey: string;
  /** What serves a resource outlives a change of configuration that says the same of it and of its source. */
  readonly parts: Pick<PartSet, 'take'>;
  readonly purges: Pick<Purges, 'current' | 'latest'>;
  /** Percent of its freshness by which an answer may end early. */
  readonly jitterPercent: number;
  /** Where calls to sources are counted, and where row sets are shared; absent in the embedded mode. */
  readonly redis: Pick<RedisByRole, 'limits' | 'cache'>;
  readonly keys: RedisKeys;
  readonly clock: Clock;
  readonly log: Pick<Logger, 'info' | 'warn'>;
  readonly fallenClaims: Pick<FallenClaims, 'of'>;
  readonly metrics: ReplyMetrics & SourceUpstreamsDeps['metrics'];
  readonly contract: GatewayConfig['contract'];
  readonly shareOf?: ShareOf | undefined;
};

/** An operation that can be served. */
export type ServedOperation = {
  readonly operation: string;
  readonly path: string;
  /** `null` where the resource is public. */
  readonly permission: string | null;
  readonly handler: Handler;
};

/** The operations of a gateway. */
export type ServedOperations = {
  readonly operations: readonly ServedOperation[];
  /** How well the replies of each source fit its file, since the file says what it says. */
  readonly quality: () => readonly ResourceQuality[];
  /** How many row sets of this process a purge of the tag would end. */
  readonly countRowSets: (tag: string) => number;
  /** The claims that have fallen of what is served. */
  readonly fallen: () => readonly {
    readonly source: string;
    readonly resource: string;
    readonly claim: string;
  }[];
};

/** One resource, read from its source. */
type ReadResource = {
  readonly source: SourceHandler;
  readonly quality: Quality;
  countRowSets(tag: string): number;
  readonly fallen: ReadonlySet<string>;
  close(): Promise<unknown>;
};

/** One resource at work: what answers each of its operations behind the stages for callers. */
type ResourceAtWork = Pick<ReadResource, 'quality' | 'countRowSets' | 'fallen'> & {
  readonly cached: ReadonlyMap<string, Handler>;
};

/** What a resource at work is made with. It outlives the configuration, so that must not be among it. */
type WorkDeps = Omit<OperationsDeps, 'admission' | 'contract' | 'parts'>;

/** Puts together what reads a resource: its plans, row sets and walks, shared with the fleet where there is a Redis. */
function readResource(compiled: CompiledResource, upstream: Upstream, deps: WorkDeps): ReadResource {
  const { resource, digest, config } = compiled;
  const watched = createRuntime(compiled, upstream, deps);
  const { runtime, quality } = watched;
  const { cache: redis } = deps.redis;
  const place = redis && { client: redis.client, keys: deps.keys, scope: `${resource.name}/${digest}` };
  const codec = compileRowCodec(resource.itemFields);
  const rowSets = createRowSets(runtime, place && createRedisRowSets({ ...place, codec }));
  const walk = createWalker(runtime, createCursorCheckpoints({ redis: place }));
  const purgeable = createPurgeable(compiled, deps.purges);
  const answer = createAnswer(runtime, config.cache, purgeable.rowSets(rowSets), purgeable.walker(walk));
  return {
    async source(call) {
      try {
        return await answer(call);
      } catch (error) {
        blameUpstream(error, compiled.source.spec.name);
        quality.failed(error);
        throw error;
      }
    },
    quality,
    countRowSets: (tag) => purgeable.reached(rowSets, tag),
    fallen: runtime.claims.fallen,
    close: () => Promise.all([rowSets.close(), watched.close()]),
  };
}

const operationsOf = ({ resource }: CompiledResource) =>
  operations.filter((operation) => operation.resource === resource);

/** Puts a resource to work: its source, and the cache in front of that. */
function startResource(
  compiled: CompiledResource,
  upstream: Upstream,
  deps: WorkDeps,
): MadePart<ResourceAtWork> {
  const { config, digest } = compiled;
  const { deadline: deadlineMs, cache: freshness } = config;
  const tasks = createBackgroundTasks();
  const read = readResource(compiled, upstream, deps);
  const cache = createCacheStage({ ...deps, tasks, digest, freshness, deadlineMs, random: Math.random });
  const cached = new Map(operationsOf(compiled).map(({ name }) => [name, cache(read.source)]));
  return { value: { ...read, cached }, close: () => Promise.all([tasks.close(), read.close()]) };
}

function serveResource(
  compiled: CompiledResource,
  { cached }: ResourceAtWork,
  { admission, contract }: Pick<OperationsDeps, 'admission' | 'contract'>,
): readonly ServedOperation[] {
  const { resource, config } = compiled;
  return operationsOf(compiled).flatMap((operation) => {
    const answer = cached.get(operation.name);
    if (answer === undefined) return [];
    return [
      {
        operation: operation.name,
        path: operation.path,
        permission: config.public ? null : resource.permission,
        handler: assembleOperation({
          ...admission,
          deadlineMs: config.deadline,
          parseRequest: compileParser(operation, contract),
          cached: answer,
        }),
      },
    ];
  });
}

/** Puts the operations of the configured resources together. */
export function createOperations(
  compiled: readonly CompiledResource[],
  { admission, contract, parts, ...deps }: OperationsDeps,
): ServedOperations {
  const upstreams = createSourceUpstreams(compiled, parts, { ...deps, redis: deps.redis.limits });
  const atWork = compiled.map((resource) => {
    const { upstream, key } = upstreams.of(resource);
    const { deadline, cache } = resource.config;
    const madeFrom = [resource.resource.name, key, deadline, cache, deps.jitterPercent, deps.cacheKey];
    const start = () => startResource(resource, upstream, deps);
    return { resource, work: parts.take('resource', contentDigest(madeFrom), start) };
  });
  return {
    operations: atWork.flatMap(({ resource, work }) =>
      serveResource(resource, work, { admission, contract }),
    ),
    quality: () => atWork.map(({ work }) => work.quality.report()),
    countRowSets: (tag) => atWork.reduce((sum, { work }) => sum + work.countRowSets(tag), 0),
    fallen: () =>
      atWork.flatMap(({ resource: { source, resource }, work }) =>
        [...work.fallen].map((claim) => ({ source: source.spec.name, resource: resource.name, claim })),
      ),
  };
}
