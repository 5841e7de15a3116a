import type { IsCurrent, HealthProbeResult } from './health-check.ts';
import { createFailureRate, type FailureRateOptions } from './failure-rate.ts';

/**
 * What a call says about the source. `failure`: it was not reached. `timeout`: it did not answer in time. `error`: it
 * failed at what it was asked. A timeout and an error may be the fault of the question. `ignored`: nothing, for example
 * because its caller left.
 */
export type CallOutcome = 'success' | 'failure' | 'timeout' | 'error' | 'ignored';

/**
 * Reports the outcome of one call that the breaker admitted, what was asked, and when it was sent by the monotonic clock;
 * call it exactly once.
 */
export type RecordOutcome = (outcome: CallOutcome, question: string, startedMs: number) => void;

/** The thresholds of a breaker. */
export type BreakerOptions = FailureRateOptions & {
  /** How long no call is admitted. */
  readonly openMs: number;
};

type AskedHealthProbe = (isCurrent?: IsCurrent) => Promise<HealthProbeResult | undefined>;

/** What a breaker is made with. */
export type BreakerDeps = {
  /** A clock that never jumps, in milliseconds. */
  readonly monotonic: () => number;
  readonly onChange: (state: BreakerState) => void;
  /** Sends the source the health probe; absent: there is none. */
  readonly checkHealth?: AskedHealthProbe | undefined;
  /** Called instead of opening: too many calls timed out, but the source answers the health probe. */
  readonly onQuestionsHang?: (() => void) | undefined;
};

type State =
  | { readonly name: 'closed'; readonly record: RecordOutcome }
  | { readonly name: 'open'; readonly untilMs: number }
  | { readonly name: 'half_open'; readonly isProbing: boolean };

/** closed: every call is admitted. open: none. half_open: one, as a probe. */
export type BreakerState = State['name'];

/** A circuit breaker: keeps calls away from a source that fails. */
export type Breaker = {
  readonly state: BreakerState;
  /** Admits one call; `undefined`: the call must not be made. */
  enter(): RecordOutcome | undefined;
  /** Opens it if it is closed, because others have found out that it should be. */
  open(): void;
  /** The source has been silent since then: sends the health probe now, because calls will soon time out. */
  suspect(sinceMs: number): void;
  /** Whether `enter` would refuse a call now. Reading it changes nothing. */
  readonly isRefusing: boolean;
  /** Milliseconds until a probe is admitted; 0 if one may be admitted now. */
  readonly waitMs: number;
};

/** When a source last answered which question well: the breaker asks whether one question fails, or the source. */
export type LastSuccesses = {
  add(question: string): void;
  /** When it last answered any question well, by the monotonic clock in ms; -Infinity: never. */
  readonly lastMs: number;
  /** When it last answered another question than this one well. */
  lastOtherThan(question: string): number;
};

type Answered = { readonly question: string; atMs: number };

/**
 * Creates it empty. It keeps the last two different questions, so however many there are, it needs no more memory.
 * @internal
 */
export function createLastSuccesses(monotonic: () => number): LastSuccesses {
  let last: Answered | undefined;
  let before: Answered | undefined;
  return {
    add(question) {
      if (last?.question === question) last.atMs = monotonic();
      else [last, before] = [{ question, atMs: monotonic() }, last];
    },
    get lastMs() {
      return last?.atMs ?? -Infinity;
    },
    lastOtherThan(question) {
      return (last?.question === question ? before?.atMs : last?.atMs) ?? -Infinity;
    },
  };
}

/** A good answer shows that calls sent before it were odd. A bad one holds until anything is answered again. */
function isNewsSince(startedMs: number, answered: LastSuccesses): IsCurrent {
  return ({ isHealthy, askedMs, endedMs }) => (isHealthy ? endedMs >= startedMs : answered.lastMs <= askedMs);
}

/** Makes the function that opens a closed breaker once the outcomes of calls say so. */
function createJudge(
  options: FailureRateOptions,
  { monotonic, checkHealth, onQuestionsHang }: BreakerDeps,
  answered: LastSuccesses,
): (isClosed: () => boolean, open: () => void) => RecordOutcome {
  return function judge(isClosed, open) {
    const rate = createFailureRate(options, monotonic);
    let isJudging = false;

    /** Opens where other questions are answered no better. */
    function openUnlessAnswered(question: string, sinceMs: number): void {
      if (isClosed() && answered.lastOtherThan(question) <= sinceMs) open();
    }

    async function judgeErrors(question: string, asked: ReturnType<AskedHealthProbe>): Promise<void> {
      const verdict = await asked;
      if (verdict?.isHealthy === true) rate.forgetErrors();
      else if (verdict !== undefined) openUnlessAnswered(question, verdict.askedMs);
    }

    async function judgeTimeouts(asked: ReturnType<AskedHealthProbe>): Promise<void> {
      isJudging = true;
      const verdict = await asked;
      isJudging = false;
      if (!isClosed() || verdict === undefined) return;
      if (verdict.isHealthy) {
        rate.forgetTimeouts();
        onQuestionsHang?.();
      } else open();
    }

    return function record(outcome, question, startedMs) {
      // Calls from before the breaker opened say nothing about the source now.
      if (!isClosed() || outcome === 'ignored') return;
      if (outcome === 'success') answered.add(question);
      const isFailure = outcome === 'timeout' && checkHealth === undefined;
      const level = rate.add(isFailure ? 'failure' : outcome);
      if (level === 'fine') return;
      if (level === 'too many failures') open();
      else if (checkHealth === undefined) openUnlessAnswered(question, monotonic() - options.windowMs);
      else if (level === 'too many errors') void judgeErrors(question, checkHealth());
      else if (!isJudging) {
        // Asked for some timeouts already, so that the breaker of a source that hangs opens no later for it.
        const asked = checkHealth(isNewsSince(startedMs, answered));
        if (level === 'too many timeouts') void judgeTimeouts(asked);
      }
    };
  };
}

/**
 * Creates a closed breaker. Failures open it by themselves. Timeouts open it only if the health probe fails, too.
 * Errors open it only if the source answers other questions no better: neither the health probe nor, meanwhile,
 * those of other calls. Otherwise the odd values of one caller would close the source to all others. Without a known-good
 * request, timeouts are failures.
 *
 * We do not use cockatiel 4.0.0 for four reasons: callers wait for a half-open probe, but ours must be refused at once;
 * a cancelled call counts as a success and closes the circuit; it reads the wall clock; and if calls are rare it counts
 * some that are older than the window.
 */
export function createBreaker({ openMs, ...options }: BreakerOptions, deps: BreakerDeps): Breaker {
  const { monotonic, onChange, checkHealth } = deps;
  const answered = createLastSuccesses(monotonic);
  const judge = createJudge(options, deps, answered);
  let current = closed();

  function closed(): State {
    const state: State = {
      name: 'closed',
      record: judge(
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

  function probe(): RecordOutcome {
    become({ name: 'half_open', isProbing: true });
    const conclude = (isHealthy: boolean) => become(isHealthy ? closed() : open());
    return (outcome, _question, startedMs) => {
      // After a probe without a result, the next call is the probe.
      if (outcome === 'ignored') become({ name: 'half_open', isProbing: false });
      // The probe may have been an odd question, which the source never answers well.
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
    get state() {
      return current.name;
    },
    enter() {
      if (current.name === 'closed') return current.record;
      return isRefusing() ? undefined : probe();
    },
    open() {
      if (current.name === 'closed') become(open());
    },
    suspect(sinceMs) {
      if (current.name !== 'closed') return;
      const isNews = isNewsSince(sinceMs, answered);
      // A source may be slow for long: it is asked no more often than a breaker tries.
      void checkHealth?.((last) => isNews(last) || (last.isHealthy && monotonic() < last.askedMs + openMs));
    },
    get isRefusing() {
      return isRefusing();
    },
    get waitMs() {
      return current.name === 'open' ? Math.max(0, current.untilMs - monotonic()) : 0;
    },
  };
}
