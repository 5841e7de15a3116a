import { fault } from '../../kernel/errors/fault.ts';
import type { DecidedBy, Decision, Limiter, WindowState } from '../../store/limiter/limiter.ts';
import { openTimings, timed } from '../../telemetry/requests/request-timings.ts';
import type { Call, Stage } from './call.ts';

/** `limiter` has to know the tier of every principal: it throws for any other. */
export type RateLimitDeps = {
  readonly limiter: Pick<Limiter, 'consume'>;
  /** The tiers that refuse nothing and show callers nothing. */
  readonly dryRun: ReadonlySet<string>;
  readonly metrics: { limiterDecision(tier: string, outcome: LimitOutcome, by: DecidedBy): void };
};

/** What was decided. `would_refuse`: the tier is in a dry run, and the request is refused or nobody could decide. */
type LimitOutcome = 'admitted' | 'refused' | 'unavailable' | 'would_refuse';

/** The windows of a tier as a list of structured fields (RFC 9651): `"1s";q=20;w=1, "60s";q=600;w=60`. */
function policyField(windows: readonly WindowState[]): string {
  return windows.map(({ points, seconds }) => `"${seconds}s";q=${points};w=${seconds}`).join(', ');
}

/** Where the windows stand: `"1s";r=19;t=1, "60s";r=599;t=60`. Made for every answer, hence a plain loop. */
function stateField(windows: readonly WindowState[]): string {
  let text = '';
  for (const { seconds, remaining, resetSeconds } of windows)
    text += `${text === '' ? '' : ', '}"${seconds}s";r=${remaining};t=${resetSeconds}`;
  return text;
}

/** The header of a policy, which is the same for every call of a tier. */
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
 * Creates the stage that counts a call against its caller's tier; it stands behind `authenticate`. Each answer, errors
 * included, shows the decision in `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers-10). A tier
 * in dry run shows it in the metrics and the log alone, because clients slow down by those headers.
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
      return timed(openTimings(call.summary), 'limit', decision).then((later) => {
        apply(call, tier, later);
        return next(call);
      });
    };
}
