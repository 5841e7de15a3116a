// Puts together what reads one resource from one source: adapter, upstream, claims, checks, log and metrics.

import type { Logger } from 'pino';
import { isFieldAlarm, PROOF } from '../source/adapter/spec/capability.ts';
import { type CountedRule, countedRules } from '../source/adapter/read/outcome.ts';
import type { RuleObserver } from '../source/adapter/map/reply-observer.ts';
import type { Clock } from '../kernel/clock.ts';
import { createLargeReplies } from './reading/large-replies/large-replies.ts';
import type { SourceObserver, SourceRuntime } from './reading/windows/source-runtime.ts';
import { createVerifications } from './reading/windows/verifications.ts';
import type { FleetTurns } from '../store/fleet/fleet-turns.ts';
import type { DisabledClaims, OnClaimChange, ResourceClaims } from '../store/disabled-claims.ts';
import type { Upstream } from '../source/client/client.ts';
import type { Usage } from '../source/client/guard/exchange.ts';
import type { WebhookEvent } from '../telemetry/webhooks/webhook-message.ts';
import type { DigestedSource } from '../source/compile-sources.ts';
import type { FieldBit } from './list-watch/field-states.ts';
import { createListWatch, type FieldAlarms, type ListWatch } from './list-watch/list-watch.ts';
import { rateOf, missingRateText } from './list-watch/missing-rate.ts';
import { createQuality, type Quality, type QualityMetrics } from './quality.ts';

/** Metrics of the replies of sources. */
export type ReplyMetrics = QualityMetrics & {
  unreadableField(source: string, field: string, reason: string): void;
  guardTrip(source: string, resource: string, rule: string): void;
  /** The counter of the replies of a source that one rule decides. */
  ruleReplies(source: string, rule: CountedRule['rule'], is: CountedRule['is']): { add(): void };
};

/** What a runtime needs. `disabledClaims` is shared by the fleet: a claim that another process disabled is disabled here. */
export type RuntimeDeps = {
  readonly clock: Clock;
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>;
  readonly metrics: ReplyMetrics;
  readonly disabledClaims: Pick<DisabledClaims, 'of' | 'reset'>;
  readonly fleetTurns: FleetTurns;
  /** Sends events about fields that records suddenly lack to webhooks; absent if no webhook is configured. */
  readonly tell?: ((event: WebhookEvent) => void) | undefined;
};

/** A runtime with the statistics about its replies. */
export type WatchedRuntime = ReturnType<typeof createRuntime>;

/** Wraps an upstream: each unusable reply is counted in `quality`, and `onAsked` is called after each usable reply. */
function watchUpstream(upstream: Upstream, { failed }: Quality, onAsked: (usage: Usage) => void): Upstream {
  const ask: Upstream['ask'] = async (request, read, signal, usage, priority) => {
    try {
      const answer = await upstream.ask(request, read, signal, usage, priority);
      onAsked(usage);
      return answer;
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

/** Opens the claims of a resource. Changes by other processes and by operators are written to the log. */
function watchClaims(
  { resource, source, digest }: DigestedSource,
  quality: Quality,
  { accept, proofs }: Pick<ListWatch, 'accept'> & Pick<Upstream, 'proofs'>,
  { log, disabledClaims }: Pick<RuntimeDeps, 'log' | 'disabledClaims'>,
): ResourceClaims {
  const { name } = source.spec;
  const onChange: OnClaimChange = (change, { claim, at, detail }) => {
    const fields = { source: name, resource: resource.name, capability: claim };
    if (claim === PROOF) proofs?.doubt();
    const isField = isFieldAlarm(claim);
    if (change === 'disabled') quality.contradicted(claim, isField ? detail : undefined);
    else if (isField) {
      quality.accepted(claim);
      accept(claim);
    }
    if (change === 'disabled')
      log.info({ ...fields, at, detail }, 'a claim has been disabled before, or in another process');
    else log.info(fields, 'a claim that had been disabled is believed again');
  };
  return disabledClaims.of({ source: name, resource: resource.name, digest }, onChange);
}

/**
 * If a proof fails, disables the claim that the source knows the credential; this purges answers, because they may be those
 * of an anonymous visitor. The next good proof enables the claim again. Returns the function that ends the watch.
 */
function watchProofs(
  name: string,
  { claims, observer, upstream: { proofs } }: SourceRuntime,
  { disabledClaims }: Pick<RuntimeDeps, 'disabledClaims'>,
) {
  return proofs?.listen({
    failed(detail) {
      if (claims.disable(PROOF, detail)) observer.contradicted(PROOF);
    },
    async good() {
      if (!claims.disabled.has(PROOF)) return;
      // Without Redis, the next good proof tries again.
      await disabledClaims.reset({ source: name, claim: PROOF }).catch(() => undefined);
    },
  });
}

/** Creates the function that counts replies by the response rule that decides them. Its counters are looked up once. */
function countRules({ source: { spec } }: DigestedSource, metrics: ReplyMetrics): RuleObserver['onRule'] {
  const counters = countedRules(spec).map(({ rule, is }) => metrics.ruleReplies(spec.name, rule, is));
  const none = counters.length - 1;
  return (rule = none) => counters[rule]?.add();
}

/** Creates the observer of replies. It writes missing values, rules and contradictions to the log and the metrics. */
function createObserver(
  compiled: DigestedSource,
  quality: Quality,
  { log, metrics }: Pick<RuntimeDeps, 'log' | 'metrics'>,
): SourceObserver {
  const { resource, source } = compiled;
  const { name } = source.spec;
  return {
    onMissingValue: (field, reason) => metrics.unreadableField(name, `${resource.name}.${field}`, reason),
    onRule: countRules(compiled, metrics),
    onRecords: quality.onRecords,
    contradicted(capability) {
      metrics.guardTrip(name, resource.name, capability);
      const { file, line } = quality.contradicted(capability);
      log.warn(
        { source: name, resource: resource.name, capability, file, line },
        `the source contradicts its configuration: all ${resource.name} read so far are forgotten in every process, and ${capability === PROOF ? 'there are no answers while it takes Portico for a visitor' : 'answers are computed without this claim'}`,
      );
    },
  };
}

/** Creates the alarms for fields that records suddenly lack. An alarm holds for the whole fleet, like a disabled claim. */
function createFieldAlarms(
  { resource, source }: DigestedSource,
  quality: Quality,
  { log, disabledClaims, tell }: Pick<RuntimeDeps, 'log' | 'disabledClaims' | 'tell'>,
  claims: () => ResourceClaims,
): FieldAlarms {
  const { name } = source.spec;
  const restoring = new Set<string>();

  function event(type: 'field.lost' | 'field.restored', { field, kind }: FieldBit, shares = {}): void {
    const subject = `field:${name}:${resource.name}.${field}`;
    tell?.({ type, subject, data: { source: name, resource: resource.name, field, kind, ...shares } });
  }

  return {
    isRaised: (claim) => claims().disabled.has(claim),
    raise(bit, before, now, since) {
      const { field, kind, claim } = bit;
      const what = kind === 'gone' ? 'the key is absent' : 'the value is unreadable';
      const detail = `${what} in ${missingRateText(now)} of ${now.records} records, before in ${missingRateText(before)}`;
      if (!claims().disable(claim, detail, since)) return;
      const { file, line } = quality.contradicted(claim, detail);
      const place = { source: name, resource: resource.name, field, kind, file, line };
      const shares = { shareNow: rateOf(now), shareBefore: rateOf(before) };
      log.error({ ...place, ...shares }, `many records of the source suddenly have no ${field}: ${detail}`);
      event('field.lost', bit, shares);
    },
    restore(bit) {
      if (restoring.has(bit.claim)) return;
      restoring.add(bit.claim);
      const selection = { source: name, resource: resource.name, claim: bit.claim };
      const ended = disabledClaims.reset(selection).then(
        () => event('field.restored', bit),
        // If Redis fails, the next look at the list tries again.
        () => undefined,
      );
      void ended.finally(() => restoring.delete(bit.claim));
    },
  };
}

/** Creates the runtime of one resource of one source. */
export function createRuntime(
  compiled: DigestedSource,
  upstream: Upstream,
  { clock, log, metrics, disabledClaims, fleetTurns, tell }: RuntimeDeps,
) {
  const { resource, source } = compiled;
  const { budget } = source.spec;
  const largeReplies = createLargeReplies(compiled);
  const quality = createQuality(compiled, { clock, metrics });
  const turnName = (name: string) => JSON.stringify([source.spec.name, compiled.digest, resource.name, name]);
  const alarms = createFieldAlarms(compiled, quality, { log, disabledClaims, tell }, () => claims);
  const watch = createListWatch(compiled, clock, alarms, {
    recall: () => fleetTurns.recall(turnName('fields')),
    leave: (text) => fleetTurns.leave(turnName('fields'), text),
  });
  const watched = { accept: watch.accept, proofs: upstream.proofs };
  const claims = watchClaims(compiled, quality, watched, { log, disabledClaims });
  const observer = createObserver(compiled, quality, { log, metrics });
  const verifications = createVerifications();
  const runtime: SourceRuntime = {
    resource,
    adapter: largeReplies.adapter,
    upstream: watchUpstream(upstream, quality, (usage) => watch.asked(runtime, usage)),
    largeReplies,
    budget,
    clock,
    verifications,
    takeTurn: (name, everyMs) => fleetTurns.take(turnName(name), everyMs),
    claims,
    observer,
    wholeListObserver: {
      ...observer,
      onRecords(...read) {
        quality.onRecords(...read);
        watch.onRecords(...read);
      },
    },
  };
  const endProofs = watchProofs(source.spec.name, runtime, { disabledClaims });
  /** Ends background work and the thread for large replies. After this, changes of claims are no longer noticed. */
  async function close(): Promise<void> {
    endProofs?.();
    claims.close();
    await Promise.all([watch.close(), verifications.close(), largeReplies.close()]);
  }
  return { runtime, quality, close };
}
