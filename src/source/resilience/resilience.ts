import type { SourceSpec } from '../../config/schema/source.ts';
import type { Query } from '../../contract/query.ts';
import { fault, type GatewayError } from '../../kernel/errors/fault.ts';
import { type BreakerState, createBreaker } from './breaker.ts';
import {
  type AttemptedCall,
  type AttemptParts,
  type CallAttempt,
  createCallAttempt,
} from './call-attempt.ts';
import { type AskHealthProbe, createHealthCheck } from './health-check.ts';
import { createHosts, type Host, type HostEvent, type Hosts } from './hosts.ts';
import { createQuestionBreakers } from './question-breakers.ts';
import { createRetryBudget } from './retry-budget.ts';
import { checkSilence, createSilenceTimer, SILENT_MS_MIN } from './silence-timer.ts';
import { createSourcePause } from './source-pause.ts';

/** Decides whether a source may be called now, at which host, and whether a failed call is retried. */
export type Resilience = {
  /** @throws GatewayError `upstream_unavailable` while the source pauses, or a breaker of it is open to this question */
  check(query?: Query): void;
  begin(call: AttemptedCall): CallAttempt;
  readonly hosts: Hosts;
  /** Whether the source has answered no call and no health probe for as long as a call may take. */
  readonly isSilent: () => boolean;
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
export function createResilience(
  net: SourceSpec['net'],
  { on, askHealthProbe, ...deps }: ResilienceDeps,
): Resilience {
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

  function check(query: Query | undefined): void {
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
  return { check, begin, hosts, isSilent: silence.hasLasted(probeMs) };
}
