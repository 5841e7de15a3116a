import type { SourceSpec } from '../config/schema/source.ts';
import { fault, GatewayError } from '../errors/fault.ts';
import { type BreakerState, createBreaker, type CallOutcome, type Leave } from './breaker.ts';
import { createHosts, type Host, type HostEvent, type Hosts } from './hosts.ts';
import { createRetryBudget } from './retry-budget.ts';

/** One question to a source, which may take several exchanges. */
export type CallAttempt = {
  /**
   * The address that the next exchange goes to.
   * @throws GatewayError `upstream_unavailable` where the source is not asked at present
   */
  start(): string;
  /**
   * How the exchange and the reading of its reply ended. `isGone`: by its caller, for the reason `error`; that says
   * nothing of the source, unless the caller's time was over and the source had most of it.
   */
  finish(error: unknown, isGone: boolean): void;
  /** After a failure: milliseconds after which to ask once more; `undefined`: not. */
  retryDelayMs(error: unknown): number | undefined;
};

/** What is known of how a source is, and so whether it may be asked, where, and once more. */
export type Resilience = {
  /** @throws GatewayError `upstream_unavailable` where the source is not asked at present */
  check(): void;
  /** Begins a question for an errand, which stays with one host of several. `isSafe`: it may be asked twice. */
  begin(errand: object, isSafe: boolean): CallAttempt;
  readonly hosts: Hosts;
};

/** What happens to a source, for log and metrics. */
export type ResilienceEvents = {
  readonly breaker: (state: BreakerState) => void;
  /** A call is sent again, or would have been. */
  readonly retry: (result: 'sent' | 'over_budget') => void;
  /** The source asked not to be asked for so many seconds. */
  readonly paused: (seconds: number) => void;
  readonly host: (host: Host, event: HostEvent) => void;
};

export type ResilienceDeps = {
  readonly monotonic: () => number;
  /** From 0 to below 1. */
  readonly random: () => number;
  /** How long the caller of a question waits. */
  readonly deadlineMs: number;
  /** The least time that anybody waits for one call, such as the budget of a scan; `net.timeout` beside it. */
  readonly patienceMs: number;
  readonly on: ResilienceEvents;
};

const BACKOFF_MS = 25;
const BACKOFF_MS_MAX = 1_000;

/** What a failure shows of the source. A reply that cannot be used is one: somebody is there. */
function findingOf(error: unknown): CallOutcome {
  if (!(error instanceof GatewayError)) return 'good';
  switch (error.code) {
    case 'upstream_unavailable':
    case 'upstream_timeout':
    case 'upstream_error':
      return error.sign?.isWell === true ? 'good' : 'bad';
    default:
      return 'good';
  }
}

/** Whether whoever ended a call did so because his time was over: who has gone gives another reason. */
function isTimeOver(reason: unknown): boolean {
  return reason instanceof GatewayError
    ? reason.code === 'upstream_timeout'
    : reason instanceof DOMException && reason.name === 'TimeoutError';
}

/** Tells for how long a source was asked, by one call or several, since it last answered. */
function createSilence(monotonic: () => number) {
  let asked = 0;
  let since = 0;
  let beforeMs = 0;
  const ms = () => beforeMs + (asked > 0 ? monotonic() - since : 0);
  return {
    ms,
    asks() {
      if (asked === 0) since = monotonic();
      asked += 1;
    },
    ended(hasAnswered: boolean) {
      beforeMs = hasAnswered ? 0 : ms();
      since = monotonic();
      asked -= 1;
    },
  };
}

/** Creates what is known of a source: nothing so far. */
export function createResilience(
  { baseUrl, otherUrls, timeout, breaker: limits, retries, outliers }: SourceSpec['net'],
  { monotonic, random, deadlineMs, patienceMs, on }: ResilienceDeps,
): Resilience {
  const breaker = createBreaker(
    {
      ...{ calls: limits.calls, windowMs: limits.window },
      ...{ failuresPercent: limits.failures, openMs: limits.open },
    },
    monotonic,
    on.breaker,
  );
  const budget = createRetryBudget(retries.budget, monotonic);
  const hosts = createHosts(
    [baseUrl, ...otherUrls],
    { failures: outliers.failures, ejectMs: outliers.time },
    { monotonic, random },
    on.host,
  );
  let pausedUntil = -Infinity;
  const silence = createSilence(monotonic);

  function refusal(detail: string, waitMs: number): GatewayError {
    const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1_000));
    return fault('upstream_unavailable', { detail, retryAfterSeconds });
  }

  const isPaused = () => monotonic() < pausedUntil;
  const pauseRefusal = () =>
    refusal('the source asked not to be asked for a while', pausedUntil - monotonic());
  const openRefusal = () => refusal('the breaker of the source is open', breaker.waitMs);

  function check(): void {
    if (isPaused()) throw pauseRefusal();
    if (breaker.refuses) throw openRefusal();
  }

  function pause(seconds: number): void {
    const wanted = Math.min(seconds * 1_000, retries.pauseMax);
    if (wanted <= 0) return;
    if (!isPaused()) on.paused(wanted / 1_000);
    pausedUntil = Math.max(pausedUntil, monotonic() + wanted);
  }

  /** Whether a caller waits long enough for another exchange that may take all of its time. */
  const leavesRoom = (sinceMs: number) => deadlineMs - (monotonic() - sinceMs) > timeout;

  function isWorthAsking(error: unknown, sinceMs: number): boolean {
    if (!(error instanceof GatewayError)) return false;
    if (error.code === 'upstream_timeout') return leavesRoom(sinceMs);
    return error.sign?.isRepeatable === true;
  }

  /**
   * What a call showed that its caller ended. A source that hangs is never heard of where its callers' time is over
   * before `net.timeout`; and those who queue for it ask it when theirs nearly is, so that its silence counts, too.
   */
  function abandonedFinding(reason: unknown, waitedMs: number): CallOutcome {
    const mostMs = Math.min(timeout, patienceMs) / 2;
    return isTimeOver(reason) && Math.max(waitedMs, silence.ms()) >= mostMs ? 'bad' : 'unknown';
  }

  function begin(errand: object, isSafe: boolean): CallAttempt {
    const sinceMs = monotonic();
    let tries = 0;
    let host: Host | undefined;
    let failed: Host | undefined;
    let leave: Leave | undefined;
    let enteredMs = 0;
    budget.earn();

    return {
      start() {
        if (isPaused()) throw pauseRefusal();
        leave = breaker.enter();
        if (leave === undefined) throw openRefusal();
        host = hosts.choose(errand, failed);
        host.active += 1;
        silence.asks();
        enteredMs = monotonic();
        return host.base;
      },
      finish(error, isGone) {
        // Nothing went out where the source is not asked.
        if (host === undefined) return;
        const finding = isGone ? abandonedFinding(error, monotonic() - enteredMs) : findingOf(error);
        silence.ended(finding === 'good');
        const ended = host;
        host = undefined;
        ended.active -= 1;
        hosts.report(ended, finding);
        leave?.(finding);
        failed = finding === 'bad' ? ended : undefined;
        if (error instanceof GatewayError && error.sign?.pauseSeconds !== undefined)
          pause(error.sign.pauseSeconds);
      },
      retryDelayMs(error) {
        if (!isSafe || tries >= retries.max || !isWorthAsking(error, sinceMs)) return undefined;
        if (isPaused() || breaker.refuses) return undefined;
        const mayAsk = budget.spend();
        on.retry(mayAsk ? 'sent' : 'over_budget');
        if (!mayAsk) return undefined;
        const mostMs = Math.min(BACKOFF_MS_MAX, BACKOFF_MS * 2 ** tries);
        tries += 1;
        return random() * mostMs;
      },
    };
  }

  return { check, begin, hosts };
}
