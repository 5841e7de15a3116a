import { fault } from '../errors/fault.ts';
import type { DecidedBy, Decision, Limiter, WindowState } from '../store/limiter/limiter.ts';
import type { Call, Stage } from './call.ts';

export type RateLimitDeps = {
  readonly limiter: Pick<Limiter, 'consume'>;
  /** The tiers that refuse nothing and tell callers nothing. */
  readonly dryRun: ReadonlySet<string>;
  /** Called with every decision, for the metrics. */
  readonly onDecision?: ((tier: string, outcome: LimitOutcome, by: DecidedBy) => void) | undefined;
};

/** What was decided; `would_refuse` in a dry run, where nobody could decide also. */
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

/**
 * Makes the stage that counts a call against its caller's tier. Stands behind `authenticate`. Every decision is told
 * in `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers-10), whatever becomes of the call; but
 * one of a tier in dry run only in the metrics and the log, for clients slow down by those headers.
 */
export function createRateLimit({ limiter, dryRun, onDecision }: RateLimitDeps): Stage {
  /** The policy's header is the same for every call of a tier. */
  const policies = new Map<string, string>();

  function policyOf(tier: string, windows: readonly WindowState[]): string {
    const known = policies.get(tier);
    if (known !== undefined) return known;
    const made = policyField(windows);
    policies.set(tier, made);
    return made;
  }

  function report({ trace }: Call, tier: string, { allowed, by }: Decision): void {
    onDecision?.(tier, allowed ? 'admitted' : 'would_refuse', by);
    if (!allowed) trace.wouldRefuse = by === 'unavailable' ? 'limiter_unavailable' : 'rate_limit_exceeded';
  }

  function judge(call: Call, tier: string, decision: Decision): void {
    if (dryRun.has(tier)) {
      report(call, tier, decision);
      return;
    }
    const { allowed, windows, retryAfterSeconds, by } = decision;
    if (by === 'unavailable') {
      onDecision?.(tier, 'unavailable', by);
      throw fault('limiter_unavailable', { retryAfterSeconds });
    }
    onDecision?.(tier, allowed ? 'admitted' : 'refused', by);
    call.answerHeaders.push('RateLimit-Policy', policyOf(tier, windows), 'RateLimit', stateField(windows));
    if (!allowed) throw fault('rate_limit_exceeded', { detail: `tier ${tier}`, retryAfterSeconds });
  }

  return (next) =>
    function limited(call) {
      if (call.principal === undefined)
        throw fault('server_error', { detail: 'the rate limit stands behind authentication' });
      const { tier, subject } = call.principal;
      const decision = limiter.consume(tier, subject);
      if (!(decision instanceof Promise)) {
        judge(call, tier, decision);
        return next(call);
      }
      return decision.then((later) => {
        judge(call, tier, later);
        return next(call);
      });
    };
}
