import type { SourceSpec } from '../../config/schema/source.ts';
import { fault, type GatewayError } from '../../errors/fault.ts';
import { type BreakerState, createBreaker } from './breaker.ts';
import {
  type AttemptedCall,
  type AttemptParts,
  type CallAttempt,
  createCallAttempt,
} from './call-attempt.ts';
import { type AskKnownGood, createKnownGoodCheck } from './known-good-check.ts';
import { createHosts, type Host, type HostEvent, type Hosts } from './hosts.ts';
import { createRetryBudget } from './retry-budget.ts';
import { createSilenceTimer } from './silence-timer.ts';
import { createSourcePause } from './source-pause.ts';

/** Decides whether a source may be called now, at which host, and whether a failed call is retried. */
export type Resilience = {
  /** @throws GatewayError `upstream_unavailable` while the source pauses or its breaker is open */
  check(): void;
  begin(call: AttemptedCall): CallAttempt;
  readonly hosts: Hosts;
};

/** The events of a source, for the log and the metrics. */
export type ResilienceEvents = {
  readonly breaker: (state: BreakerState) => void;
  /** A call is retried, or would have been if the retry budget had a token left. */
  readonly retry: (result: 'sent' | 'over_budget') => void;
  /** The source asked for a pause. */
  readonly paused: (seconds: number) => void;
  readonly host: (host: Host, event: HostEvent) => void;
};

/** All times are milliseconds. The functions of `on` are called within the call that has changed something. */
export type ResilienceDeps = Pick<AttemptParts, 'monotonic' | 'random' | 'deadlineMs' | 'patienceMs'> & {
  readonly on: ResilienceEvents;
  /** Asks a host of the source the known-good request; absent: there is none. */
  readonly askKnownGood?: AskKnownGood | undefined;
};

function refusal(detail: string, waitMs: number): GatewayError {
  const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1_000));
  return fault('upstream_unavailable', { detail, retryAfterSeconds });
}

/** Creates the resilience of one source: circuit breaker, retry budget, outlier ejection and pauses. */
export function createResilience(
  net: SourceSpec['net'],
  { on, askKnownGood, ...deps }: ResilienceDeps,
): Resilience {
  const { monotonic, random } = deps;
  const { calls, window: windowMs, failures: failuresPercent, open: openMs } = net.breaker;
  const pause = createSourcePause(net.retries.pauseMax, monotonic, on.paused);
  // While the source pauses, the known-good request has to wait like any other.
  const askUnlessPaused =
    askKnownGood && ((base: string) => (pause.waitMs > 0 ? Promise.resolve(undefined) : askKnownGood(base)));
  const checkKnownGood = askUnlessPaused && createKnownGoodCheck(askUnlessPaused, openMs, monotonic);
  const hosts = createHosts(
    [net.baseUrl, ...net.otherUrls],
    { failures: net.outliers.failures, ejectMs: net.outliers.time },
    { monotonic, random, checkKnownGood },
    on.host,
  );
  const breaker = createBreaker(
    { calls, windowMs, failuresPercent, openMs },
    {
      monotonic,
      onChange: on.breaker,
      checkKnownGood: checkKnownGood && (() => checkKnownGood(hosts.choose({}).base)),
    },
  );

  function check(): void {
    const pauseMs = pause.waitMs;
    if (pauseMs > 0) throw refusal('the source asked for a pause', pauseMs);
    if (breaker.isRefusing) throw refusal('the breaker of the source is open', breaker.waitMs);
  }

  const parts: AttemptParts = {
    ...{ ...deps, net, breaker, hosts, pause, check },
    budget: createRetryBudget(net.retries.budget, monotonic),
    silence: createSilenceTimer(monotonic),
    onRetry: on.retry,
  };
  return { check, begin: (call) => createCallAttempt(parts, call), hosts };
}
