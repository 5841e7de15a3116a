import { createLastSuccesses } from './last-success.ts';
import type { KnownGoodResult } from './known-good-check.ts';
import { createFailureRate, type FailureRateOptions } from './failure-rate.ts';

/**
 * What a call says about the source. `failure`: it was not reached, or did not answer in time. `error`: it failed at
 * what it was asked, which may be the fault of the question. `ignored`: nothing, for example because its caller left.
 */
export type CallOutcome = 'success' | 'failure' | 'error' | 'ignored';

/** Reports the outcome of one call that the breaker admitted, and what was asked; call it exactly once. */
export type RecordOutcome = (outcome: CallOutcome, question: string) => void;

/** The thresholds of a breaker. */
export type BreakerOptions = FailureRateOptions & {
  /** How long no call is admitted. */
  readonly openMs: number;
};

type AskedKnownGood = () => Promise<KnownGoodResult | undefined>;

/** What a breaker is made with. */
export type BreakerDeps = {
  /** A clock that never jumps, in milliseconds. */
  readonly monotonic: () => number;
  readonly onChange: (state: BreakerState) => void;
  /** Asks the source the known-good request; absent: there is none. */
  readonly checkKnownGood?: AskedKnownGood | undefined;
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
  /** Whether `enter` would refuse a call now. Reading it changes nothing. */
  readonly isRefusing: boolean;
  /** Milliseconds until a probe is admitted; 0 if one may be admitted now. */
  readonly waitMs: number;
};

/**
 * Creates a closed breaker. Failures open it by themselves. Errors open it only if the source answers other questions
 * no better: neither the known-good request nor, meanwhile, those of other calls. Otherwise the odd values of one caller
 * would close the source to all others.
 *
 * We do not use cockatiel 4.0.0 for four reasons: callers wait for a half-open probe, but ours must be refused at once;
 * a cancelled call counts as a success and closes the circuit; it reads the wall clock; and if calls are rare it counts
 * some that are older than the window.
 */
export function createBreaker(
  { openMs, ...options }: BreakerOptions,
  { monotonic, onChange, checkKnownGood }: BreakerDeps,
): Breaker {
  const answered = createLastSuccesses(monotonic);
  let current = closed();

  function closed(): State {
    const rate = createFailureRate(options, monotonic);

    /** Opens where other questions are answered no better. */
    function judge(question: string, sinceMs: number): void {
      if (current === state && answered.lastOtherThan(question) <= sinceMs) become(open());
    }

    async function judgeByKnownGood(question: string, asked: ReturnType<AskedKnownGood>): Promise<void> {
      const verdict = await asked;
      if (verdict?.isHealthy === true) rate.forgetErrors();
      else if (verdict !== undefined) judge(question, verdict.askedMs);
    }

    const state: State = {
      name: 'closed',
      record(outcome, question) {
        // Calls from before the breaker opened say nothing about the source now.
        if (current !== state || outcome === 'ignored') return;
        if (outcome === 'success') answered.add(question);
        const verdict = rate.add(outcome);
        if (verdict === 'too many failures') become(open());
        if (verdict !== 'too many errors') return;
        if (checkKnownGood === undefined) judge(question, monotonic() - options.windowMs);
        else void judgeByKnownGood(question, checkKnownGood());
      },
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
    return (outcome) => {
      // After a probe without a result, the next call is the probe.
      if (outcome === 'ignored') become({ name: 'half_open', isProbing: false });
      // The probe may have been an odd question, which the source never answers well.
      else if (outcome === 'error' && checkKnownGood !== undefined)
        void checkKnownGood().then((verdict) => conclude(verdict?.isHealthy === true));
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
    get isRefusing() {
      return isRefusing();
    },
    get waitMs() {
      return current.name === 'open' ? Math.max(0, current.untilMs - monotonic()) : 0;
    },
  };
}
