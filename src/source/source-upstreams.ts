import { randomUUID } from 'node:crypto';
import { PROOF } from './adapter/spec/capability.ts';
import { compileCredentialProof } from './adapter/read/credential-proof.ts';
import { compileSessionReader } from './adapter/read/session-reader.ts';
import type { SourceSpec } from '../config/schema/source.ts';
import { contentDigest } from '../kernel/secret.ts';
import type { ComponentSet, MadeComponent } from '../kernel/shared-components.ts';
import type { TakeToken } from './client/bulkhead/token-pacer.ts';
import type { UpstreamProof } from './client/credentials/proofs.ts';
import type { Share } from './client/bulkhead/bulkhead.ts';
import { type CheckableUpstream, createUpstream, type Upstream } from './client/client.ts';
import type { GuardedClient } from './client/guard/guarded-client.ts';
import type { CompiledResource } from './compile-sources.ts';
import { knownGoodRequest } from './known-good-request.ts';
import { createSourceResilience, type SourceResilienceDeps } from './source-resilience.ts';

/** This process's part of the calls that several processes may have under way at a source, by the source's name. */
export type ShareOf = (source: string, concurrency: number) => Share;

/**
 * `upstreamCall` counts every exchange, retries included; its outcome is a status class such as `2xx`, an error code or
 * `cancelled`.
 */
export type SourceUpstreamsDeps = Pick<SourceResilienceDeps, 'clock' | 'log'> & {
  readonly metrics: SourceResilienceDeps['metrics'] & {
    upstreamCall(source: string, outcome: string, seconds: number): void;
    /** Shows how busy a source is, until the returned function is called. */
    watchLoad(source: string, load: () => GuardedClient['load']): () => void;
  };
  readonly shareOf?: ShareOf | undefined;
  /** Makes the rate limit of a source; it answers `undefined` for one without. */
  readonly createRate: (spec: SourceSpec) => SourceRate | undefined;
  readonly lookTurns: { take(name: string, everyMs: number): Promise<boolean> };
};

/** The rate limit towards a source, over all processes together. */
export type SourceRate = { readonly takeToken: TakeToken; close(): void };

/** The clients of all sources. Two resources of one source share its connections and its limits. */
export type SourceUpstreams = {
  of(compiled: CompiledResource): SourceClient;
};

/** The client of a source. */
export type SourceClient = {
  readonly upstream: Upstream;
  /** Changes with everything that the client was made from. */
  readonly key: string;
};

/** The proof of a source's credential. One process of the fleet asks for it, unless each has obtained a credential of its own. */
function createProof(spec: SourceSpec, digest: string, { lookTurns }: SourceUpstreamsDeps) {
  const proof = compileCredentialProof(spec);
  const owner = ['oauth2', 'session'].includes(spec.auth.kind) ? randomUUID() : '';
  const nameOf = (turn: string) => JSON.stringify([spec.name, digest, PROOF, turn, owner]);
  const takeTurn: UpstreamProof['takeTurn'] = (turn, everyMs) => lookTurns.take(nameOf(turn), everyMs);
  return proof && { ...proof, takeTurn };
}

/** Creates the client of a source. `first`: the first of the resources that are read from it. */
function createSourceClient(
  spec: SourceSpec,
  first: CompiledResource,
  deadlineMs: number,
  deps: SourceUpstreamsDeps,
): MadeComponent<Upstream> {
  const { name, budget } = spec;
  const patienceMs = Math.min(deadlineMs, budget.time);
  const rate = deps.createRate(spec);
  const knownGood = knownGoodRequest(first);
  const upstream: CheckableUpstream = createUpstream(spec, {
    name,
    onExchange: (outcome, seconds) => deps.metrics.upstreamCall(name, outcome, seconds),
    readSession: compileSessionReader(spec),
    takeToken: rate?.takeToken,
    share: deps.shareOf?.(name, spec.net.concurrency),
    resilience: createSourceResilience(spec, {
      ...{ ...deps, deadlineMs, patienceMs },
      askKnownGood: knownGood && ((base, timeoutMs) => upstream.askKnownGood(base, timeoutMs)),
    }),
    knownGood,
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
 * Creates the clients of the sources of some resources, each when it is first asked for. A client outlives a change of
 * configuration that says the same of its source.
 */
export function createSourceUpstreams(
  compiled: readonly CompiledResource[],
  parts: Pick<ComponentSet, 'acquire'>,
  deps: SourceUpstreamsDeps,
): SourceUpstreams {
  return {
    of(one) {
      const {
        source: { spec },
        digest,
      } = one;
      const served = compiled.filter(({ source }) => source.spec.name === spec.name);
      const deadlineMs = Math.min(...served.map(({ config }) => config.deadline));
      const [first = one] = served;
      const key = contentDigest([spec.name, digest, deadlineMs, first.resource.name]);
      const create = () => createSourceClient(spec, first, deadlineMs, deps);
      return { upstream: parts.acquire('source', key, create), key };
    },
  };
}
