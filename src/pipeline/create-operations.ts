import type { Logger } from 'pino';
import type { GatewayConfig } from '../config/schema/gateway.ts';
import { operations } from '../contract/operations.ts';
import { compileParser } from '../contract/parse-query.ts';
import { blameUpstream } from '../errors/fault.ts';
import { type BackgroundTasks, createBackgroundTasks } from '../kernel/background-tasks.ts';
import type { Clock } from '../kernel/clock.ts';
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
import {
  createSourceUpstreams,
  type ShareOf,
  type SourceUpstreams,
  type SourceUpstreamsDeps,
} from './source-upstreams.ts';

export type OperationsDeps = {
  readonly admission: AdmissionStages;
  readonly cache: Cache;
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
  /** How well the replies of each source fit its file, since the start. */
  quality(): readonly ResourceQuality[];
  /** How many row sets of this process a purge of the tag would end. */
  countRowSets(tag: string): number;
  /** The claims that have fallen of what is served. */
  fallen(): readonly { readonly source: string; readonly resource: string; readonly claim: string }[];
  /** Ends scans and connections; resolves once nothing is under way. */
  close(): Promise<void>;
};

/** One resource, read from its source. */
type ReadResource = {
  readonly source: SourceHandler;
  readonly quality: Quality;
  countRowSets(tag: string): number;
  readonly fallen: ReadonlySet<string>;
  close(): Promise<unknown>;
};

/** Puts together what reads a resource: its plans, row sets and walks, shared with the fleet where there is a Redis. */
function readResource(
  compiled: CompiledResource,
  upstreams: SourceUpstreams,
  deps: OperationsDeps,
): ReadResource {
  const { resource, digest, config } = compiled;
  const watched = createRuntime(compiled, upstreams.of(compiled.source.spec), deps);
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

function serveResource(
  { resource, config, digest }: CompiledResource,
  source: SourceHandler,
  tasks: BackgroundTasks,
  deps: OperationsDeps,
): readonly ServedOperation[] {
  const deadlineMs = config.deadline;
  const freshness = config.cache;
  const cache = createCacheStage({ ...deps, tasks, digest, freshness, deadlineMs, random: Math.random });
  return operations
    .filter((operation) => operation.resource === resource)
    .map((operation) => ({
      operation: operation.name,
      path: operation.path,
      permission: config.public ? null : resource.permission,
      handler: assembleOperation({
        ...deps.admission,
        deadlineMs,
        parseRequest: compileParser(operation, deps.contract),
        cache,
        source,
      }),
    }));
}

/** Puts the operations of the configured resources together. */
export function createOperations(
  compiled: readonly CompiledResource[],
  deps: OperationsDeps,
): ServedOperations {
  const tasks = createBackgroundTasks();
  const upstreams = createSourceUpstreams(compiled, { ...deps, redis: deps.redis.limits });
  const read = compiled.map((resource) => ({ resource, ...readResource(resource, upstreams, deps) }));
  return {
    operations: read.flatMap(({ resource, source }) => serveResource(resource, source, tasks, deps)),
    quality: () => read.map(({ quality }) => quality.report()),
    countRowSets: (tag) => read.reduce((sum, one) => sum + one.countRowSets(tag), 0),
    fallen: () =>
      read.flatMap(({ resource: { source, resource }, fallen }) =>
        [...fallen].map((claim) => ({ source: source.spec.name, resource: resource.name, claim })),
      ),
    async close() {
      await Promise.all([tasks.close(), ...read.map((one) => one.close())]);
      upstreams.close();
    },
  };
}
