import type { Logger } from 'pino';
import { type CountedRule, countedRules, type OnRule } from '../adapter/read/outcome.ts';
import { createBackgroundTasks } from '../kernel/background-tasks.ts';
import type { Clock } from '../kernel/clock.ts';
import { createLargeReplies } from '../reading/large-replies/large-replies.ts';
import type { SourceRuntime } from '../reading/source-runtime.ts';
import { createVerifications } from '../reading/verify/verifications.ts';
import type { LookTurns } from '../store/fleet/look-turns.ts';
import type { FallenClaims, OnClaimChange, ResourceClaims } from '../store/fallen-claims.ts';
import type { Upstream } from '../upstream/client.ts';
import type { CompiledResource } from './compile-sources.ts';
import { createQuality, type Quality, type QualityMetrics } from './quality.ts';

/** The claim that the source knows the credential: while it is contradicted, there are no answers. */
const PROOF = 'auth.proof';

/** What the metrics count of the replies of sources. */
export type ReplyMetrics = QualityMetrics & {
  unreadableField(source: string, field: string, reason: string): void;
  guardTrip(source: string, resource: string, rule: string): void;
  /** The counter of the replies of a source that one rule decides. */
  ruleReplies(source: string, rule: CountedRule['rule'], is: CountedRule['is']): { add(): void };
};

/** `fallenClaims` is shared by the fleet: a claim that has fallen in another process is not relied on here either. */
export type RuntimeDeps = {
  readonly clock: Clock;
  readonly log: Pick<Logger, 'info' | 'warn'>;
  readonly metrics: ReplyMetrics;
  readonly fallenClaims: Pick<FallenClaims, 'of' | 'reset'>;
  readonly lookTurns: LookTurns;
};

/** A resource of a source at work, and the quality of its replies. */
export type WatchedRuntime = {
  readonly runtime: SourceRuntime;
  readonly quality: Quality;
  /** Ends work in the background and the thread for large replies, and learns no more of claims. */
  close(): Promise<void>;
};

/** An upstream whose unusable replies count in the quality of the source. */
function watchUpstream(upstream: Upstream, { failed }: Quality): Upstream {
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
    proofs: upstream.proofs,
    close: () => upstream.close(),
  };
}

/** The claims of a resource; the log says what other processes and operators change. */
function watchClaims(
  { resource, source, digest }: CompiledResource,
  quality: Quality,
  { proofs }: Upstream,
  { log, fallenClaims }: Pick<RuntimeDeps, 'log' | 'fallenClaims'>,
): ResourceClaims {
  const { name } = source.spec;
  const onChange: OnClaimChange = (change, { claim, at, detail }) => {
    const fields = { source: name, resource: resource.name, capability: claim };
    if (claim === PROOF) proofs?.doubt();
    if (change === 'fallen') quality.contradicted(claim);
    if (change === 'fallen')
      log.info({ ...fields, at, detail }, 'a claim has fallen before, or in another process');
    else log.info(fields, 'a claim that had fallen is believed again');
  };
  return fallenClaims.of({ source: name, resource: resource.name, digest }, onChange);
}

/**
 * Lets the claim fall that the source knows the credential, which purges what may be a visitor's, and raises it with the
 * next good proof. Returns what ends that.
 */
function watchProofs(
  name: string,
  { claims, observer, upstream: { proofs } }: SourceRuntime,
  { fallenClaims }: Pick<RuntimeDeps, 'fallenClaims'>,
) {
  return proofs?.listen({
    failed(detail) {
      if (claims.fall(PROOF, detail)) observer.contradicted(PROOF);
    },
    async good() {
      if (!claims.fallen.has(PROOF)) return;
      // Without Redis, the next good proof tries again.
      await fallenClaims.reset({ source: name, claim: PROOF }).catch(() => undefined);
    },
  });
}

/** Counts the replies that each rule of a source's file decides, in counters that are found once. */
function countRules({ source: { spec } }: CompiledResource, metrics: ReplyMetrics): OnRule {
  const counters = countedRules(spec).map(({ rule, is }) => metrics.ruleReplies(spec.name, rule, is));
  const none = counters.length - 1;
  return (rule = none) => counters[rule]?.add();
}

/** Puts a resource of a source to work. */
export function createRuntime(
  compiled: CompiledResource,
  upstream: Upstream,
  { clock, log, metrics, fallenClaims, lookTurns }: RuntimeDeps,
): WatchedRuntime {
  const { resource, source } = compiled;
  const { name, budget } = source.spec;
  const largeReplies = createLargeReplies(compiled);
  const tasks = createBackgroundTasks();
  const quality = createQuality({ ...compiled, adapter: largeReplies.adapter }, { clock, metrics });
  const claims = watchClaims(compiled, quality, upstream, { log, fallenClaims });
  const runtime: SourceRuntime = {
    resource,
    adapter: quality.adapter,
    upstream: watchUpstream(upstream, quality),
    largeReplies,
    budget,
    clock,
    verifications: createVerifications(),
    takeLook: (name, everyMs) =>
      lookTurns.take(JSON.stringify([source.spec.name, compiled.digest, resource.name, name]), everyMs),
    inBackground: (work) => tasks.run(work),
    claims,
    observer: {
      onGap: (field, reason) => metrics.unreadableField(name, `${resource.name}.${field}`, reason),
      onRule: countRules(compiled, metrics),
      contradicted(capability) {
        metrics.guardTrip(name, resource.name, capability);
        const { file, line } = quality.contradicted(capability);
        log.warn(
          { source: name, resource: resource.name, capability, file, line },
          `the source contradicts its configuration: all ${resource.name} read so far are forgotten in every process, and ${capability === PROOF ? 'there are no answers while it takes Portico for a visitor' : 'answers are computed without this claim'}`,
        );
      },
    },
  };
  const endProofs = watchProofs(name, runtime, { fallenClaims });
  async function close(): Promise<void> {
    endProofs?.();
    await tasks.close();
    claims.close();
    await largeReplies.close();
  }
  return { runtime, quality, close };
}
