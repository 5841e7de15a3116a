// One call to a source, with its retries, as the breakers and the hosts see it.

import type { SourceSpec } from '../../config/schema/source.ts';
import type { Priority } from '../../kernel/upstream-call.ts';
import { GatewayError } from '../../kernel/errors/fault.ts';
import type { Query } from '../../contract/query.ts';
import type { Breaker, CallOutcome, ReportOutcome } from './breaker.ts';
import type { Host, Hosts } from './hosts.ts';
import type { QuestionBreakers } from './question-breakers.ts';
import type { createSilenceTimer } from './silence-timer.ts';

/** One call to a source. It may take several exchanges, one after the other. */
export type CallAttempt = {
  /**
   * Starts an exchange; returns its base URL.
   * @throws GatewayError `upstream_unavailable` if the source must not be called now
   */
  start(): string;
  /**
   * Reports how the exchange and the reading of its reply ended. Does nothing if no exchange is running. `isAbandoned`: the
   * caller ended the exchange for the reason `error`. This says something about the source only if the time of the caller was
   * over and the source had at least half of the time that a call may take.
   */
  finish(error: unknown, isAbandoned: boolean): void;
  /** Called after a failure. Returns the milliseconds to wait before a retry; `undefined`: the call must not be retried. */
  retryDelayMs(error: unknown): number | undefined;
};

/** The parts that all attempts of one source share. */
export type AttemptParts = {
  readonly net: Pick<SourceSpec['net'], 'timeout' | 'retries'>;
  readonly breaker: Breaker;
  readonly questions: QuestionBreakers;
  /** The tokens for retries: each call earns a part of one, and a retry spends one. */
  readonly budget: { earn(): void; spend(): boolean };
  readonly hosts: Hosts;
  /** The pause that the source has asked for. */
  readonly pause: { readonly waitMs: number; request(seconds: number): void };
  readonly silence: Pick<ReturnType<typeof createSilenceTimer>, 'ms' | 'callStarted' | 'callEnded'>;
  readonly monotonic: () => number;
  /** From 0 to below 1. */
  readonly random: () => number;
  /** The shortest deadline of the callers of the source, milliseconds. */
  readonly deadlineMs: number;
  /** The shortest time limit for one exchange, for example the budget of a scan; milliseconds. */
  readonly patienceMs: number;
  readonly onRetry: (result: 'sent' | 'over_budget') => void;
  /** @throws GatewayError `upstream_unavailable` while the source pauses, or a breaker of it is open to this question */
  readonly check: (query: Query | undefined) => void;
};

/** An exchange that has started but not finished. */
type ActiveExchange = {
  readonly host: Host;
  readonly report: ReportOutcome;
  readonly reportToShape: ReturnType<QuestionBreakers['enter']>;
  readonly startedMs: number;
};

/** A retry waits for a random part of this time. Each further retry doubles it, up to the maximum. */
const BACKOFF_MS = 25;
const BACKOFF_MS_MAX = 1_000;

/** The outcome of a call for the breaker. An unusable reply is a success: the source has answered. */
function outcomeOf(error: unknown): CallOutcome {
  if (!(error instanceof GatewayError) || error.sourceHealth?.isHealthy === true) return 'success';
  switch (error.code) {
    case 'upstream_timeout':
      return 'timeout';
    case 'upstream_unavailable':
      return error.sourceHealth?.hasReplied === true ? 'error' : 'failure';
    case 'upstream_error':
      return 'error';
    default:
      return 'success';
  }
}

/** Whether a caller ended its call because its time was over, not because it went away. */
function isTimeOver(reason: unknown): boolean {
  return reason instanceof GatewayError
    ? reason.code === 'upstream_timeout'
    : reason instanceof DOMException && reason.name === 'TimeoutError';
}

/** What an attempt needs to know of its call. */
export type AttemptedCall = {
  /** Calls with the same affinity stay at one host. */
  readonly affinity: object;
  /** Whether the request may be sent twice. */
  readonly isSafe: boolean;
  /** Equal for calls that ask the source the same. */
  readonly question: string;
  readonly priority: Priority;
  /** The query of the caller, if there is one. */
  readonly usage?: { readonly query?: Query | undefined } | undefined;
};

/**
 * Creates the attempt of a comparison ("shadow"), which must do no harm to callers: it is sent once, and while the breaker is
 * closed, the breaker does not learn its outcome. If the breaker is open, the call may be the half-open probe, because a source
 * that only comparisons ask would else never be asked again.
 */
function createShadowAttempt(
  { breaker, hosts, check, monotonic }: AttemptParts,
  { affinity, question, usage }: Pick<AttemptedCall, 'affinity' | 'question' | 'usage'>,
): CallAttempt {
  type Exchange = {
    readonly host: Host;
    readonly report: ReportOutcome | undefined;
    readonly startedMs: number;
  };
  let active: Exchange | undefined;
  return {
    start() {
      check(usage?.query);
      const report = breaker.state === 'closed' ? undefined : breaker.enter();
      const host = hosts.choose(affinity);
      host.active += 1;
      active = { host, report, startedMs: monotonic() };
      return host.base;
    },
    finish(error, isAbandoned) {
      if (active === undefined) return;
      const { host, report, startedMs } = active;
      active = undefined;
      host.active -= 1;
      // A comparison has less time than a caller, so a late reply shows nothing, and the next call is the probe.
      report?.(isAbandoned ? 'ignored' : outcomeOf(error), question, startedMs);
    },
    retryDelayMs: () => undefined,
  };
}

/** Creates the attempt of one call. Retries wait by exponential backoff with full jitter. */
export function createCallAttempt(
  parts: AttemptParts,
  { affinity, isSafe, question, priority, usage }: AttemptedCall,
): CallAttempt {
  if (priority === 'shadow') return createShadowAttempt(parts, { affinity, question, usage });
  const { breaker, questions, budget, hosts, pause, silence, monotonic, net } = parts;
  const begunMs = monotonic();
  let retries = 0;
  let active: ActiveExchange | undefined;
  let failedHost: Host | undefined;
  budget.earn();

  /**
   * The outcome of an exchange that its caller ended. It may be a timeout, because if callers wait less than `net.timeout`, a
   * source that hangs would never reach it and open the breaker. A caller that queued first has little time left for its
   * exchange, so the silence of the source during other calls counts, too.
   */
  function abandonedOutcome(reason: unknown, waitedMs: number): CallOutcome {
    const mostMs = Math.min(net.timeout, parts.patienceMs) / 2;
    return isTimeOver(reason) && Math.max(waitedMs, silence.ms()) >= mostMs ? 'timeout' : 'ignored';
  }

  function canRetry(error: unknown): boolean {
    if (!(error instanceof GatewayError)) return false;
    // After a timeout, the caller must have time for another exchange of the same length.
    if (error.code === 'upstream_timeout') return parts.deadlineMs - (monotonic() - begunMs) > net.timeout;
    return error.sourceHealth?.isRetryable === true;
  }

  return {
    start() {
      parts.check(usage?.query);
      const report = breaker.enter();
      if (report === undefined) throw new Error('the breaker refuses a call that it has just admitted');
      const host = hosts.choose(affinity, failedHost);
      host.active += 1;
      silence.callStarted();
      const reportToShape = questions.enter(usage?.query);
      active = { host, report, reportToShape, startedMs: monotonic() };
      return host.base;
    },
    finish(error, isAbandoned) {
      if (active === undefined) return;
      const { host, report, reportToShape, startedMs } = active;
      active = undefined;
      const outcome = isAbandoned ? abandonedOutcome(error, monotonic() - startedMs) : outcomeOf(error);
      silence.callEnded(outcome === 'success');
      host.active -= 1;
      hosts.report(host, outcome, startedMs);
      if (reportToShape !== undefined) reportToShape(outcome);
      else if (outcome === 'timeout') questions.addTimeout(usage?.query);
      report(outcome, question, startedMs);
      failedHost = outcome === 'success' || outcome === 'ignored' ? undefined : host;
      if (error instanceof GatewayError && error.sourceHealth?.pauseSeconds !== undefined)
        pause.request(error.sourceHealth.pauseSeconds);
    },
    retryDelayMs(error) {
      if (!isSafe || retries >= net.retries.max || !canRetry(error)) return undefined;
      if (pause.waitMs > 0 || breaker.isRefusing || questions.refusal(usage?.query) !== undefined)
        return undefined;
      const hasToken = budget.spend();
      parts.onRetry(hasToken ? 'sent' : 'over_budget');
      if (!hasToken) return undefined;
      const ceilingMs = Math.min(BACKOFF_MS_MAX, BACKOFF_MS * 2 ** retries);
      retries += 1;
      return parts.random() * ceilingMs;
    },
  };
}
