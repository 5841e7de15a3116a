// Creates one client for each source, with its limits, breakers and health probe. The resources of a source share it.

import { randomUUID } from 'node:crypto';
import { PROOF } from './adapter/spec/capability.ts';
import { compileCredentialProof } from './adapter/read/credential-proof.ts';
import type { SourceSpec } from '../config/schema/source.ts';
import type { MadeComponent, ComponentSet } from '../kernel/shared-components.ts';
import type { TakeToken } from './client/bulkhead/token-pacer.ts';
import type { UpstreamProof } from './client/credentials/proofs.ts';
import type { Quota } from './client/bulkhead/bulkhead.ts';
import { type CheckableUpstream, createUpstream, type Upstream, type HealthProbe } from './client/client.ts';
import type { OnExchange } from './client/guard/exchange.ts';
import type { GuardedClient } from './client/guard/guarded-client.ts';
import type { CompiledResource, DigestedSource, CompiledSource } from './compile-sources.ts';
import { createSourceResilience, type SourceResilienceDeps } from './source-resilience.ts';
import { firstRows } from './adapter/plan/plan.ts';
import { UNOBSERVED } from './adapter/map/reply-observer.ts';
import { fault } from '../kernel/errors/fault.ts';

/** Returns this process's part of the concurrent calls that all processes together may make to a source. `source` is its name. */
export type QuotaOf = (source: string, concurrency: number) => Quota;

/**
 * What the clients of sources need. `upstreamCall` counts every exchange, retries included; `OnExchange` explains its arguments.
 */
export type SourceUpstreamsDeps = Pick<SourceResilienceDeps, 'clock' | 'log'> & {
  readonly metrics: SourceResilienceDeps['metrics'] & {
    upstreamCall(source: string, ...exchange: Parameters<OnExchange>): void;
    /** Shows how busy a source is, until the returned function is called. */
    watchLoad(source: string, load: () => GuardedClient['load']): () => void;
  };
  readonly quotaOf?: QuotaOf | undefined;
  /** Creates the rate limit of a source; `undefined` for a source without one. */
  readonly createRate: (spec: SourceSpec) => SourceRate | undefined;
  /** Lets one process of the fleet do a piece of background work: true if it is this process's turn. */
  readonly fleetTurns: { take(name: string, everyMs: number): Promise<boolean> };
};

/** The rate limit towards a source, over all processes together. */
export type SourceRate = { readonly takeToken: TakeToken; close(): void };

/** The clients of all sources. Two resources of one source share its connections and its limits. */
export type SourceUpstreams = ReturnType<typeof createSourceUpstreams>;

/** The proof of a source's credential. One process of the fleet checks it for all, unless each obtains its own credential. */
function createProof(spec: SourceSpec, digest: string, { fleetTurns }: SourceUpstreamsDeps) {
  const proof = compileCredentialProof(spec);
  const owner = ['oauth2', 'session'].includes(spec.auth.kind) ? randomUUID() : '';
  const nameOf = (turn: string) => JSON.stringify([spec.name, digest, PROOF, turn, owner]);
  const takeTurn: UpstreamProof['takeTurn'] = (turn, everyMs) => fleetTurns.take(nameOf(turn), everyMs);
  return proof && { ...proof, takeTurn };
}

/**
 * The health probe of a source: a request for the first row of the list, without any value of a caller. The reply must be valid.
 * If the source sends all rows at once, only the status counts, because reading them would take too long. `undefined`: the list
 * needs no call.
 */
function createHealthProbe({ resource, adapter: { list } }: CompiledSource): HealthProbe | undefined {
  const first = firstRows(list.plan, resource.name, 1);
  if (first === undefined) return undefined;
  return {
    request: first.request,
    read(reply) {
      if (first.size < Infinity) list.read(reply, UNOBSERVED);
      else if (reply.status >= 400) throw fault('upstream_error', { detail: `HTTP ${reply.status}` });
    },
  };
}

/** Creates the client of a source. `first`: the first of the resources that are read from this source; its list is probed. */
function makeSourceClient(
  { first, deadlineMs }: { readonly first: DigestedSource; readonly deadlineMs: number },
  deps: SourceUpstreamsDeps,
): MadeComponent<Upstream> {
  const { spec } = first.source;
  const { name, budget } = spec;
  const patienceMs = Math.min(deadlineMs, budget.time);
  const rate = deps.createRate(spec);
  const healthProbe = createHealthProbe(first);
  const upstream: CheckableUpstream = createUpstream(spec, {
    name,
    onExchange: deps.metrics.upstreamCall.bind(deps.metrics, name),
    takeToken: rate?.takeToken,
    quota: deps.quotaOf?.(name, spec.net.concurrency),
    resilience: createSourceResilience(spec, {
      ...deps,
      deadlineMs,
      patienceMs,
      askHealthProbe: healthProbe && ((base, timeoutMs) => upstream.askHealthProbe(base, timeoutMs)),
    }),
    healthProbe,
    proof: createProof(spec, first.digest, deps),
  });
  const endWatch = deps.metrics.watchLoad(name, () => upstream.load);
  function close(): void {
    endWatch();
    upstream.close();
    rate?.close();
  }
  return { value: upstream, close };
}

/**
 * Returns the clients of the sources of some resources. Each is created when it is first asked for, and survives a reload that
 * does not change its source.
 */
export function createSourceUpstreams(
  compiled: readonly CompiledResource[],
  parts: Pick<ComponentSet, 'acquire'>,
  deps: SourceUpstreamsDeps,
) {
  return {
    of(one: CompiledResource): Upstream {
      const { name } = one.source.spec;
      const served = compiled.filter(({ source }) => source.spec.name === name);
      const deadlineMs = Math.min(...served.map(({ config }) => config.deadline));
      const [first = one] = served;
      return parts.acquire(makeSourceClient, { first, deadlineMs }, deps);
    },
  };
}
