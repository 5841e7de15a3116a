// The stage that counts each call against the limit of its caller, and refuses calls above the limit.

import { fault } from '../../kernel/errors/fault.ts';
import type { DecidedBy, Decision, Limiter, WindowState } from '../../store/limiter/limiter.ts';
import { obtainTimings, timed } from '../../telemetry/requests/request-timings.ts';
import type { Call, Stage } from './call.ts';

/** What the stage needs. `limiter` must know the tier of every principal, because it throws for an unknown tier. */
export type RateLimitDeps = {
  readonly limiter: Pick<Limiter, 'consume'>;
  /** The tiers in a dry run: they refuse nothing, and callers see no headers. */
  readonly dryRun: ReadonlySet<string>;
  readonly metrics: { limiterDecision(tier: string, outcome: LimitOutcome, by: DecidedBy): void };
};

/** The decision. `would_refuse`: without the dry run of its tier, the call would have failed. */
type LimitOutcome = 'admitted' | 'refused' | 'unavailable' | 'would_refuse';

/** The value of `RateLimit-Policy`, structured fields (RFC 9651): `"1s";q=20;w=1, "60s";q=600;w=60`. */
function policyField(windows: readonly WindowState[]): string {
  return windows.map(({ points, seconds }) => `"${seconds}s";q=${points};w=${seconds}`).join(', ');
}

/** The value of `RateLimit`: `"1s";r=19;t=1, "60s";r=599;t=60`. It is a plain loop, because every answer needs it. */
function stateField(windows: readonly WindowState[]): string {
  let text = '';
  for (const { seconds, remaining, resetSeconds } of windows)
    text += `${text === '' ? '' : ', '}"${seconds}s";r=${remaining};t=${resetSeconds}`;
  return text;
}

/** Creates a memory of `RateLimit-Policy` values, because they are the same for every call of a tier. */
function createPolicyFields() {
  const policies = new Map<string, string>();
  return function policyOf(tier: string, windows: readonly WindowState[]): string {
    const known = policies.get(tier);
    if (known !== undefined) return known;
    const made = policyField(windows);
    policies.set(tier, made);
    return made;
  };
}

/**
 * Creates the stage that counts a call against its caller's tier; it comes after `authenticate`. Each answer, errors
 * included, has the decision in `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers-10). If the tier is
 * in a dry run, only metrics and log have it, because clients slow down if they see these headers.
 */
export function createRateLimit({ limiter, dryRun, metrics }: RateLimitDeps): Stage {
  const policyOf = createPolicyFields();

  function countDryRun({ summary }: Call, tier: string, { allowed, by }: Decision): void {
    metrics.limiterDecision(tier, allowed ? 'admitted' : 'would_refuse', by);
    if (!allowed) summary.wouldRefuse = by === 'unavailable' ? 'limiter_unavailable' : 'rate_limit_exceeded';
  }

  function apply(call: Call, tier: string, decision: Decision): void {
    call.summary.limitTier = tier;
    call.summary.limitWindows = decision.windows;
    if (dryRun.has(tier)) {
      countDryRun(call, tier, decision);
      return;
    }
    const { allowed, windows, retryAfterSeconds, by } = decision;
    if (by === 'unavailable') {
      metrics.limiterDecision(tier, 'unavailable', by);
      throw fault('limiter_unavailable', { retryAfterSeconds });
    }
    metrics.limiterDecision(tier, allowed ? 'admitted' : 'refused', by);
    call.answerHeaders.push('RateLimit-Policy', policyOf(tier, windows), 'RateLimit', stateField(windows));
    if (!allowed) throw fault('rate_limit_exceeded', { detail: `tier ${tier}`, retryAfterSeconds });
  }

  return (next) =>
    function rateLimited(call) {
      if (call.principal === undefined)
        throw fault('server_error', { detail: 'the rate limit stands behind authentication' });
      const { tier, subject } = call.principal;
      const decision = limiter.consume(tier, subject);
      if (!(decision instanceof Promise)) {
        apply(call, tier, decision);
        return next(call);
      }
      return timed(obtainTimings(call.summary), 'limit', decision).then((later) => {
        apply(call, tier, later);
        return next(call);
      });
    };
}
