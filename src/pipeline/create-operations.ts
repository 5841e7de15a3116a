import type { Logger } from 'pino';
import type { GatewayConfig } from '../config/schema/gateway.ts';
import { operations, type Operation } from '../contract/operations.ts';
import { compileParser } from '../contract/parse-query.ts';
import type { Clock } from '../kernel/clock.ts';
import { assemble, type Handler, type Stage } from '../policy/call.ts';
import type { Fill } from '../policy/cache-stage.ts';
import { createParse } from '../policy/parse.ts';
import type { Cache } from '../store/cache/cache.ts';
import { createCursorCheckpoints } from '../rowset/cursor-checkpoints.ts';
import type { Purges } from '../store/purges.ts';
import type { RedisKeys } from '../store/redis/redis-keys.ts';
import type { RedisByRole } from '../store/redis/redis-roles.ts';
import { compileRowCodec } from '../rowset/row-codec.ts';
import { createRedisRowSets } from '../rowset/redis-rowsets.ts';
import { createUpstream, type Upstream } from '../upstream/client.ts';
import type { Share } from '../upstream/bulkhead.ts';
import { compileSessionReader } from '../adapter/read/session-reader.ts';
import { createAnswer } from '../reading/run-plan.ts';
import { cacheAnswers, purgeable } from './cache-answers.ts';
import type { CompiledResource } from './compile-sources.ts';
import { createBackgroundTasks, type BackgroundTasks } from '../kernel/background-tasks.ts';
import { createLargeReplies, type LargeReplies } from '../reading/large-replies/large-replies.ts';
import { createQuality, type Quality, type ResourceQuality } from './quality.ts';
import { createRowSets, type RowSets } from '../reading/rowsets.ts';
import { createSourceRates } from './source-rates.ts';
import { createSourceResilience, type ResilienceMetrics } from './source-resilience.ts';
import type { SourceRuntime } from '../reading/source-runtime.ts';
import { createWalker } from '../reading/walk-page.ts';

/** What the metrics are told about sources. */
export type SourceMetrics = ResilienceMetrics & {
  upstreamCall(source: string, outcome: string, seconds: number): void;
  /** Records that a reply held, and how many of them were left out for want of an id. */
  records(source: string, resource: string, view: string, received: number, dropped: number): void;
  unreadableField(source: string, field: string, reason: string): void;
  invalidReply(source: string, resource: string, reason: string): void;
  guardTrip(source: string, resource: string, rule: string): void;
};

export type OperationsDeps = {
  /** Decides who may pass: the stages in front of every operation. */
  readonly admission: { readonly stages: readonly Stage[] };
  readonly cache: Cache;
  readonly purges: Pick<Purges, 'current' | 'latest'>;
  /** Percent of its freshness by which an answer may end early. */
  readonly jitter: number;
  /** Where calls to sources are counted, and where row sets are shared; absent in the embedded mode. */
  readonly redis: Pick<RedisByRole, 'limits' | 'cache'>;
  readonly keys: RedisKeys;
  readonly clock: Clock;
  readonly log: Pick<Logger, 'info' | 'warn'>;
  readonly metrics: SourceMetrics;
  readonly contract: GatewayConfig['contract'];
  readonly shareOf?: ShareOf | undefined;
};

/** This process's part of the calls that a source, by its name, takes at once from several processes. */
export type ShareOf = (source: string) => Share;

/** An operation that can be served. */
export type ServedOperation = {
  readonly operation: string;
  readonly path: string;
  /** `null` where the resource is public. */
  readonly permission: string | null;
  readonly handler: Handler;
  readonly deadlineMs: number;
};

/** The operations of a gateway, and the way to end what they have under way. */
export type ServedOperations = {
  readonly operations: readonly ServedOperation[];
  /** How well the replies of each source fit its file, since the start. */
  quality(): readonly ResourceQuality[];
  /** Ends scans and connections; resolves once nothing is under way. */
  close(): Promise<void>;
};

/** A source at work, what is known of its replies, and what reads the large ones. */
type Watched = {
  readonly runtime: SourceRuntime;
  readonly quality: Quality;
  readonly largeReplies: LargeReplies;
};

/** An upstream whose unusable replies are counted. */
function watchUpstream(upstream: Upstream, { failed }: Pick<Quality, 'failed'>): Upstream {
  const ask: Upstream['ask'] = async (request, read, signal, ...more) => {
    try {
      return await upstream.ask(request, read, signal, ...more);
    } catch (error) {
      failed(error);
      throw error;
    }
  };
  return {
    ask,
    get load() {
      return upstream.load;
    },
    close: () => upstream.close(),
  };
}

function createRuntime(
  compiled: CompiledResource,
  upstream: Upstream,
  { clock, log, metrics }: OperationsDeps,
): Watched {
  const { resource, source } = compiled;
  const { name, budget } = source.spec;
  const largeReplies = createLargeReplies(compiled);
  const quality = createQuality({ ...compiled, adapter: largeReplies.adapter }, clock, {
    records: (view, received, dropped) => metrics.records(name, resource.name, view, received, dropped),
    invalidReply: (reason) => metrics.invalidReply(name, resource.name, reason),
  });
  const runtime: SourceRuntime = {
    resource,
    adapter: quality.adapter,
    upstream: watchUpstream(upstream, quality),
    largeReplies,
    budget,
    clock,
    switchedOff: new Set(),
    observer: {
      fieldGap: (field, reason) => metrics.unreadableField(name, `${resource.name}.${field}`, reason),
      contradicted(capability) {
        metrics.guardTrip(name, resource.name, capability);
        const { file, line } = quality.contradicted(capability);
        log.warn(
          { source: name, resource: resource.name, capability, file, line },
          'the source contradicts its configuration; answers are computed without this claim',
        );
      },
    },
  };
  return { runtime, quality, largeReplies };
}

/** What a fleet shares of one resource; nothing where it has no Redis. */
function sharedOf({ resource, digest }: CompiledResource, { redis, keys }: OperationsDeps) {
  const place = redis.cache && { client: redis.cache.client, keys, scope: `${resource.name}/${digest}` };
  const codec = compileRowCodec(resource.itemFields);
  return {
    rowSets: place && createRedisRowSets({ ...place, codec }),
    checkpoints: createCursorCheckpoints({ redis: place }),
  };
}

/** Puts the operations of the configured resources together. */
export function createOperations(
  compiled: readonly CompiledResource[],
  deps: OperationsDeps,
): ServedOperations {
  // Two resources of one source share its connections and its bound on calls under way.
  const upstreams = new Map<string, Upstream>();
  const rates = createSourceRates(
    compiled.map(({ source }) => source.spec),
    { ...deps, redis: deps.redis.limits },
  );
  const qualities: Quality[] = [];
  const tasks = createBackgroundTasks();
  const closed: (RowSets | LargeReplies | BackgroundTasks)[] = [tasks];

  function shortestDeadline(name: string): number {
    const asking = compiled.filter(({ source }) => source.spec.name === name);
    return Math.min(...asking.map(({ config }) => config.deadline));
  }

  function upstreamOf({ source }: CompiledResource): Upstream {
    const { name, budget } = source.spec;
    const deadlineMs = shortestDeadline(name);
    const patienceMs = Math.min(deadlineMs, budget.time);
    const upstream =
      upstreams.get(name) ??
      createUpstream(source.spec, {
        onExchange: (outcome, seconds) => deps.metrics.upstreamCall(name, outcome, seconds),
        readSession: compileSessionReader(source.spec),
        rate: rates.of(source.spec),
        share: deps.shareOf?.(name),
        resilience: createSourceResilience(source.spec, { ...deps, deadlineMs, patienceMs }),
      });
    upstreams.set(name, upstream);
    return upstream;
  }

  function serve(resource: CompiledResource): readonly ServedOperation[] {
    const { runtime, quality, largeReplies } = createRuntime(resource, upstreamOf(resource), deps);
    qualities.push(quality);
    const shared = sharedOf(resource, deps);
    const rowSets = createRowSets(runtime, shared.rowSets);
    const walk = createWalker(runtime, shared.checkpoints);
    closed.push(rowSets, largeReplies);
    const { cache } = resource.config;
    const compute = createAnswer(runtime, cache, purgeable(rowSets, resource, deps.purges), walk);
    const answer: Fill = async (call, signal) => {
      try {
        return await compute(call, signal);
      } catch (error) {
        quality.failed(error);
        throw error;
      }
    };
    const cached = cacheAnswers(resource, { ...deps, tasks: tasks }, answer);
    const served = (operation: Operation): ServedOperation => ({
      operation: operation.name,
      path: operation.path,
      permission: resource.config.public ? null : resource.resource.permission,
      deadlineMs: resource.config.deadline,
      // Parameters are checked behind permission, and before the cache, whose key they are.
      handler: assemble(
        [...deps.admission.stages, createParse(compileParser(operation, deps.contract))],
        cached,
      ),
    });
    return operations.filter((operation) => operation.resource === resource.resource).map(served);
  }

  return {
    operations: compiled.flatMap(serve),
    quality: () => qualities.map((quality) => quality.report()),
    async close() {
      await Promise.all(closed.map((one) => one.close()));
      for (const upstream of upstreams.values()) upstream.close();
      rates.close();
    },
  };
}
