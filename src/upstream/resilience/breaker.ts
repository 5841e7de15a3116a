import { createSlidingCounter } from './sliding-counter.ts';

/** What a call says about the source. `ignored`: nothing, for example because its caller went away. */
export type CallOutcome = 'success' | 'failure' | 'ignored';

/** Reports the outcome of one call that the breaker admitted; call it exactly once. */
export type RecordOutcome = (outcome: CallOutcome) => void;

/** The thresholds of a breaker. */
export type BreakerOptions = {
  /** The breaker stays closed until this many calls have ended within the window. */
  readonly calls: number;
  readonly windowMs: number;
  /** The percentage of failed calls that opens it. */
  readonly failuresPercent: number;
  readonly openMs: number;
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
 * Creates a closed breaker. We do not use cockatiel 4.0.0 for four reasons: callers wait for a half-open probe, but
 * ours must be refused at once; a cancelled call counts as a success and closes the circuit; it reads the wall clock;
 * and if calls are rare it counts some that are older than the window.
 */
export function createBreaker(
  { calls, windowMs, failuresPercent, openMs }: BreakerOptions,
  monotonic: () => number,
  onChange: (state: BreakerState) => void,
): Breaker {
  let current = closed();

  function closed(): State {
    const counter = createSlidingCounter(windowMs, monotonic);
    const state: State = {
      name: 'closed',
      record(outcome) {
        // Calls from before the breaker opened say nothing about the source now.
        if (current !== state || outcome === 'ignored') return;
        counter.add(outcome === 'failure');
        if (outcome === 'success' || counter.total < calls) return;
        if (counter.failures * 100 >= counter.total * failuresPercent) become(open());
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
    return (outcome) => {
      // After a probe without a result, the next call is the probe.
      if (outcome === 'ignored') become({ name: 'half_open', isProbing: false });
      else become(outcome === 'failure' ? open() : closed());
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
