// The circuit breaker of a source or of one shape of question. It keeps calls away from a source that fails, and finds out
// when the source is well again.

import type { IsCurrent, HealthProbeResult } from './health-check.ts';
import { createFailureRate, type FailureRateOptions } from './failure-rate.ts';

/**
 * What a call says about the source. `failure`: the source was not reached. `timeout`: it did not answer in time. `error`: it
 * answered with an error. A timeout or an error may be the fault of the question. `ignored`: the call says nothing, for example
 * because its caller left.
 */
export type CallOutcome = 'success' | 'failure' | 'timeout' | 'error' | 'ignored';

/**
 * Reports the outcome of one call that the breaker admitted, what was asked, and when the call was sent (monotonic clock, ms);
 * call it exactly once.
 */
export type ReportOutcome = (outcome: CallOutcome, question: string, startedMs: number) => void;

/** The thresholds of a breaker. */
export type BreakerOptions = FailureRateOptions & {
  /** How long an open breaker admits no call, in milliseconds. */
  readonly openMs: number;
};

type AskedHealthProbe = (isCurrent?: IsCurrent) => Promise<HealthProbeResult | undefined>;

/** What a breaker needs. */
export type BreakerDeps = {
  /** A clock that never jumps, in milliseconds. */
  readonly monotonic: () => number;
  readonly onChange: (state: BreakerState) => void;
  /** Sends the source the health probe; absent: there is none. */
  readonly checkHealth?: AskedHealthProbe | undefined;
  /** Called instead of opening if too many calls timed out, but the source answers the health probe. */
  readonly onQuestionsHang?: (() => void) | undefined;
};

type State =
  | { readonly name: 'closed'; readonly report: ReportOutcome }
  | { readonly name: 'open'; readonly untilMs: number }
  | { readonly name: 'half_open'; readonly isProbing: boolean };

/** `closed`: every call is admitted. `open`: no call is. `half_open`: one call is, to see if the source is well. */
export type BreakerState = State['name'];

/** A circuit breaker, which keeps calls away from a source that fails. */
export type Breaker = ReturnType<typeof createBreaker>;

type LastSuccesses = ReturnType<typeof createLastSuccesses>;
type Answered = { readonly question: string; atMs: number };

/**
 * Creates the memory of when a source last answered which question well. With it the breaker finds out whether the source fails
 * at all questions or only at one. Only the last two different questions are kept.
 * @internal
 */
export function createLastSuccesses(monotonic: () => number) {
  let last: Answered | undefined;
  let before: Answered | undefined;
  return {
    add(question: string): void {
      if (last?.question === question) last.atMs = monotonic();
      else [last, before] = [{ question, atMs: monotonic() }, last];
    },
    /** When the source last answered any question well, by the monotonic clock in ms; -Infinity: never. */
    get lastMs() {
      return last?.atMs ?? -Infinity;
    },
    /** When the source last answered another question than this one well. */
    lastOtherThan(question: string) {
      return (last?.question === question ? before?.atMs : last?.atMs) ?? -Infinity;
    },
  };
}

/**
 * Creates the test whether the result of a health probe still says something about a call. A good answer does if it came after
 * the call was sent. A bad answer does until the source answers anything again.
 */
function isNewsSince(startedMs: number, answered: LastSuccesses): IsCurrent {
  return ({ isHealthy, askedMs, endedMs }) => (isHealthy ? endedMs >= startedMs : answered.lastMs <= askedMs);
}

/** Creates the rule that opens a closed breaker once too many calls have failed. */
function createTripRule(
  options: FailureRateOptions,
  { monotonic, checkHealth, onQuestionsHang }: BreakerDeps,
  answered: LastSuccesses,
): (isClosed: () => boolean, open: () => void) => ReportOutcome {
  return function createReporter(isClosed, open) {
    const rate = createFailureRate(options, monotonic);
    let isAsking = false;

    /** Opens unless the source has answered another question well since then. */
    function openUnlessAnswered(question: string, sinceMs: number): void {
      if (isClosed() && answered.lastOtherThan(question) <= sinceMs) open();
    }

    async function openAfterErrors(question: string, asked: ReturnType<AskedHealthProbe>): Promise<void> {
      const verdict = await asked;
      if (verdict?.isHealthy === true) rate.forgetErrors();
      else if (verdict !== undefined) openUnlessAnswered(question, verdict.askedMs);
    }

    async function openAfterTimeouts(asked: ReturnType<AskedHealthProbe>): Promise<void> {
      isAsking = true;
      const verdict = await asked;
      isAsking = false;
      if (!isClosed() || verdict === undefined) return;
      if (verdict.isHealthy) {
        rate.forgetTimeouts();
        onQuestionsHang?.();
      } else open();
    }

    return function report(outcome, question, startedMs) {
      // Calls from before the breaker opened say nothing about the source now.
      if (!isClosed() || outcome === 'ignored') return;
      if (outcome === 'success') answered.add(question);
      const isFailure = outcome === 'timeout' && checkHealth === undefined;
      const level = rate.add(isFailure ? 'failure' : outcome);
      if (level === 'fine') return;
      if (level === 'too many failures') open();
      else if (checkHealth === undefined) openUnlessAnswered(question, monotonic() - options.windowMs);
      else if (level === 'too many errors') void openAfterErrors(question, checkHealth());
      else if (!isAsking) {
        // The health probe is sent at the first timeouts, so that it does not delay the breaker of a source that hangs.
        const asked = checkHealth(isNewsSince(startedMs, answered));
        if (level === 'too many timeouts') void openAfterTimeouts(asked);
      }
    };
  };
}

/**
 * Creates a closed circuit breaker. Failures open it by themselves. Timeouts open it only if the health probe fails, too. Errors
 * open it only if the health probe fails and the source has not answered another question well meanwhile, because else the
 * unusual values of one caller could close the source to all others. If there is no health probe, timeouts are failures. We do
 * not use cockatiel 4.0.0 for four reasons: callers wait for a half-open probe, but ours must be refused at once; a cancelled
 * call counts as a success and closes the circuit; it reads the wall clock; and if calls are rare it counts some that are older
 * than the window.
 */
export function createBreaker({ openMs, ...options }: BreakerOptions, deps: BreakerDeps) {
  const { monotonic, onChange, checkHealth } = deps;
  const answered = createLastSuccesses(monotonic);
  const createReporter = createTripRule(options, deps, answered);
  let current = closed();

  function closed(): State {
    const state: State = {
      name: 'closed',
      report: createReporter(
        () => current === state,
        () => become(open()),
      ),
    };
    return state;
  }

  const open = (): State => ({ name: 'open', untilMs: monotonic() + openMs });

  function become(next: State): void {
    const before = current.name;
    current = next;
    if (next.name !== before) onChange(next.name);
  }

  function probe(): ReportOutcome {
    become({ name: 'half_open', isProbing: true });
    const conclude = (isHealthy: boolean) => become(isHealthy ? closed() : open());
    return (outcome, _question, startedMs) => {
      // After a probe without a result, the next call is the probe.
      if (outcome === 'ignored') become({ name: 'half_open', isProbing: false });
      // This call may have asked an unusual question, which the source never answers well.
      else if ((outcome === 'error' || outcome === 'timeout') && checkHealth !== undefined)
        void checkHealth(outcome === 'error' ? undefined : ({ askedMs }) => askedMs >= startedMs).then(
          (verdict) => conclude(verdict?.isHealthy === true),
        );
      else conclude(outcome === 'success');
    };
  }

  function isRefusing(): boolean {
    if (current.name === 'half_open') return current.isProbing;
    return current.name === 'open' && monotonic() < current.untilMs;
  }

  return {
    get state(): BreakerState {
      return current.name;
    },
    /** Admits one call; `undefined`: the call must not be made. */
    enter(): ReportOutcome | undefined {
      if (current.name === 'closed') return current.report;
      return isRefusing() ? undefined : probe();
    },
    /** Opens the breaker if it is closed. */
    open() {
      if (current.name === 'closed') become(open());
    },
    /** Sends the health probe now, because the source has been silent since then and calls will soon time out. */
    suspect(sinceMs: number) {
      if (current.name !== 'closed') return;
      const isNews = isNewsSince(sinceMs, answered);
      // A source may be slow for a long time, so it is asked at most once in `openMs`.
      void checkHealth?.((last) => isNews(last) || (last.isHealthy && monotonic() < last.askedMs + openMs));
    },
    /** Whether `enter` would refuse a call now. Reading it changes nothing. */
    get isRefusing() {
      return isRefusing();
    },
    /** Milliseconds until a call is admitted as a probe; 0 if one may be admitted now. */
    get waitMs() {
      return current.name === 'open' ? Math.max(0, current.untilMs - monotonic()) : 0;
    },
  };
}
