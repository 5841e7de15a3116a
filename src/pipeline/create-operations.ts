import type { Logger } from 'pino';
import type { GatewayConfig } from '../config/gateway-schema.ts';
import { operations, type Operation } from '../contract/operations.ts';
import { compileParser } from '../contract/parse-query.ts';
import type { Clock } from '../kernel/clock.ts';
import { assemble, type Handler, type Stage } from '../policy/call.ts';
import { createCached } from '../policy/cached.ts';
import { createParse } from '../policy/parse.ts';
import type { Cache } from '../store/cache.ts';
import { createUpstream, type Upstream } from '../upstream/client.ts';
import { compileSessionReader } from '../adapter/session.ts';
import { createAnswer } from './answer.ts';
import type { CompiledResource } from './compile-sources.ts';
import type { SourceRuntime } from './source-runtime.ts';

/** What the metrics are told about sources. */
export type SourceMetrics = {
  upstreamCall(source: string, outcome: string, seconds: number): void;
  unreadableField(source: string, field: string): void;
  guardTrip(source: string, rule: string): void;
};

export type OperationsDeps = {
  /** Decides who may pass: the stages in front of every operation. */
  readonly admission: { readonly stages: readonly Stage[] };
  readonly cache: Cache;
  readonly clock: Clock;
  readonly log: Pick<Logger, 'warn'>;
  readonly metrics: SourceMetrics;
  readonly contract: GatewayConfig['contract'];
};

/** An operation that can be served. */
export type ServedOperation = {
  readonly operation: string;
  readonly path: string;
  /** `null` where the resource is public. */
  readonly permission: string | null;
  readonly handler: Handler;
  readonly deadlineMs: number;
};

/** The operations of a gateway, and the way to let go of their upstream connections. */
export type ServedOperations = { readonly operations: readonly ServedOperation[]; close(): void };

function createRuntime(
  compiled: CompiledResource,
  upstream: Upstream,
  { clock, log, metrics }: OperationsDeps,
): SourceRuntime {
  const { resource, adapter, source } = compiled;
  const { name, budget } = source.spec;
  return {
    resource,
    adapter,
    upstream,
    budget,
    clock,
    switchedOff: new Set(),
    observer: {
      fieldGap: (field) => metrics.unreadableField(name, `${resource.name}.${field}`),
      contradicted(capability) {
        metrics.guardTrip(name, capability);
        log.warn(
          { source: name, file: source.yaml.file, capability },
          'the source contradicts its configuration; answers are computed without this claim',
        );
      },
    },
  };
}

/** Puts the operations of the configured resources together. */
export function createOperations(
  compiled: readonly CompiledResource[],
  deps: OperationsDeps,
): ServedOperations {
  // Two resources of one source share its connections and its bound on calls under way.
  const upstreams = new Map<string, Upstream>();

  function upstreamOf({ source }: CompiledResource): Upstream {
    const { name } = source.spec;
    const upstream =
      upstreams.get(name) ??
      createUpstream(source.spec, {
        onExchange: (outcome, seconds) => deps.metrics.upstreamCall(name, outcome, seconds),
        readSession: compileSessionReader(source.spec),
      });
    upstreams.set(name, upstream);
    return upstream;
  }

  function serve(resource: CompiledResource): readonly ServedOperation[] {
    const answer = createAnswer(createRuntime(resource, upstreamOf(resource), deps), resource.config.cache);
    const cached = createCached(
      {
        cache: deps.cache,
        clock: deps.clock,
        digest: resource.digest,
        notFoundSeconds: resource.config.cache.notFound,
      },
      answer,
    );
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
    close() {
      for (const upstream of upstreams.values()) upstream.close();
    },
  };
}
