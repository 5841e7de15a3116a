// Puts together what protects one source: circuit breaker, retry budget, choice of hosts, pauses. Each call asks it when it
// may be sent, and where.

import type { SourceSpec } from '../../config/schema/source.ts';
import type { Query } from '../../contract/query.ts';
import { fault, type GatewayError } from '../../kernel/errors/fault.ts';
import { type BreakerState, createBreaker } from './breaker.ts';
import { type AttemptedCall, type AttemptParts, createCallAttempt } from './call-attempt.ts';
import { type AskHealthProbe, createHealthCheck } from './health-check.ts';
import { createHosts, type Host, type HostEvent } from './hosts.ts';
import { createQuestionBreakers } from './question-breakers.ts';
import { checkSilence, createSilenceTimer, SILENT_MS_MIN } from './silence-timer.ts';

/** The bucket holds at most this many tokens. */
const TOKENS_MAX = 10;
/** One retry in this time is always allowed, for sources with few calls. */
const FREE_RETRY_EVERY_MS = 10_000;

/**
 * Creates a token bucket for retries. It keeps retries a small part of all calls, so that they never keep a source down. Each
 * call earns `percent` of a token, and one more retry is free every ten seconds.
 *
 * @internal
 */
export function createRetryBudget(percent: number, monotonic: () => number) {
  // Counted in hundredths of a token, so that parts add up exactly.
  let hundredths = 0;
  let lastFreeAt = -Infinity;
  return {
    /** Adds a part of a token because a call begins, even if the call is then refused. */
    earn: () => void (hundredths = Math.min(TOKENS_MAX * 100, hundredths + percent)),
    /** Takes a token for one retry; false if there is none. */
    spend(): boolean {
      if (hundredths >= 100) {
        hundredths -= 100;
        return true;
      }
      if (percent === 0 || monotonic() - lastFreeAt < FREE_RETRY_EVERY_MS) return false;
      lastFreeAt = monotonic();
      return true;
    },
  };
}

/**
 * Creates the pause that a source requests by `Retry-After`. No call is sent before the pause is over. No pause lasts longer than
 * `pauseMaxMs`; 0 switches pauses off.
 */
function createSourcePause(pauseMaxMs: number, monotonic: () => number, onPause: (seconds: number) => void) {
  let untilMs = -Infinity;
  const waitMs = () => Math.max(0, untilMs - monotonic());
  return {
    /** Milliseconds until the source may be called again; 0: now. */
    get waitMs() {
      return waitMs();
    },
    /** Starts or extends the pause. If several are requested, the longest one counts. */
    request(seconds: number) {
      const wantedMs = Math.min(seconds * 1_000, pauseMaxMs);
      if (wantedMs <= 0) return;
      if (waitMs() === 0) onPause(wantedMs / 1_000);
      untilMs = Math.max(untilMs, monotonic() + wantedMs);
    },
  };
}

/** Decides whether a source may be called now, at which host, and whether a failed call is retried. */
export type Resilience = ReturnType<typeof createResilience> & {
  /** Ends the reports of the state of its breaker. */
  readonly close?: () => void;
};

/** Functions that are called when something changes at a source, for the log and the metrics. */
export type ResilienceEvents = {
  readonly breaker: (state: BreakerState) => void;
  /** The breaker of one shape of question has changed. */
  readonly question: (shape: string, state: BreakerState) => void;
  /** A call is retried (`sent`), or is not because the retry budget is empty (`over_budget`). */
  readonly retry: (result: 'sent' | 'over_budget') => void;
  /** The source asked for a pause. */
  readonly paused: (seconds: number) => void;
  readonly host: (host: Host, event: HostEvent) => void;
};

/** What the resilience of a source needs. All times are milliseconds. The functions of `on` are called synchronously. */
export type ResilienceDeps = Pick<AttemptParts, 'monotonic' | 'random' | 'deadlineMs' | 'patienceMs'> & {
  readonly on: ResilienceEvents;
  /** Sends a host of the source the health probe; absent: there is none. */
  readonly askHealthProbe?: AskHealthProbe | undefined;
};

/** The health probe is sent once a source has been silent for this part of the time that a call may take. */
const SILENT_PART = 1 / 8;

function refusal(detail: string, waitMs: number): GatewayError {
  const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1_000));
  return fault('upstream_unavailable', { detail, retryAfterSeconds });
}

/** Creates the resilience of one source: circuit breaker, retry budget, outlier ejection and pauses. */
export function createResilience(net: SourceSpec['net'], { on, askHealthProbe, ...deps }: ResilienceDeps) {
  const { monotonic, random } = deps;
  const { calls, window: windowMs, failures: failuresPercent, open: openMs } = net.breaker;
  const pause = createSourcePause(net.retries.pauseMax, monotonic, on.paused);
  const silence = createSilenceTimer(monotonic);
  // An answer that comes later would be too late for callers that wait for less than `net.timeout`.
  const probeMs = Math.min(net.timeout, deps.patienceMs);
  const silentMs = Math.max(SILENT_MS_MIN, probeMs * SILENT_PART);

  async function askUnlessPaused(base: string): Promise<boolean | undefined> {
    // While the source pauses, the health probe has to wait like any other.
    if (pause.waitMs > 0) return undefined;
    silence.callStarted();
    const isHealthy = await askHealthProbe?.(base, probeMs);
    silence.callEnded(isHealthy === true);
    return isHealthy;
  }
  const checkHealth = askHealthProbe && createHealthCheck(askUnlessPaused, openMs, monotonic);
  const hosts = createHosts(
    [net.baseUrl, ...net.otherUrls],
    { failures: net.outliers.failures, ejectMs: net.outliers.time },
    { monotonic, random, checkHealth, onEvent: on.host },
  );
  const thresholds = { calls, windowMs, failuresPercent, openMs };
  const questions = createQuestionBreakers(thresholds, monotonic, on.question);
  const breaker = createBreaker(thresholds, {
    monotonic,
    onChange: on.breaker,
    checkHealth: checkHealth && ((isCurrent) => checkHealth(hosts.choose({}).base, isCurrent)),
    onQuestionsHang: () => questions.openWorst(),
  });

  /** @throws GatewayError `upstream_unavailable` while the source pauses, or a breaker of it is open to this question */
  function check(query?: Query): void {
    const pauseMs = pause.waitMs;
    if (pauseMs > 0) throw refusal('the source asked for a pause', pauseMs);
    if (breaker.isRefusing) throw refusal('the breaker of the source is open', breaker.waitMs);
    const refused = questions.isWatching ? questions.refusal(query) : undefined;
    if (refused !== undefined)
      throw refusal(`the breaker of questions ${refused.shape} is open`, refused.waitMs);
  }

  const parts: AttemptParts = {
    ...deps,
    net,
    breaker,
    questions,
    hosts,
    pause,
    check,
    silence:
      askHealthProbe === undefined
        ? silence
        : checkSilence(silence, silentMs, monotonic, (sinceMs) => breaker.suspect(sinceMs)),
    budget: createRetryBudget(net.retries.budget, monotonic),
    onRetry: on.retry,
  };
  const begin = (call: AttemptedCall) => createCallAttempt(parts, call);
  /** Whether the source has answered no call and no health probe for as long as a call may take. */
  const isSilent = silence.hasLasted(probeMs);
  return { check, begin, hosts, isSilent };
}
