import { createSlidingCounter } from './sliding-counter.ts';

/** closed: calls go out. open: none does. half_open: one does, to see how the source is. */
export type BreakerState = 'closed' | 'open' | 'half_open';

/** What a call showed of the source. `unknown`: nothing, as where its caller has gone. */
export type CallOutcome = 'good' | 'bad' | 'unknown';

/** The leave to make one call; to be told, once, what the call showed. */
export type Leave = (finding: CallOutcome) => void;

/** When a breaker opens, and for how long. */
export type BreakerOptions = {
  /** So many calls must have ended within the window before the bad ones are looked at. */
  readonly calls: number;
  readonly windowMs: number;
  /** The part of the calls, in percent, that must be bad. */
  readonly failuresPercent: number;
  readonly openMs: number;
};

/** Keeps calls from a source that fails. */
export type Breaker = {
  readonly state: BreakerState;
  /** The leave for one call; `undefined` where it may not be made. */
  enter(): Leave | undefined;
  /** Whether `enter` would refuse now; asking changes nothing. */
  readonly refuses: boolean;
  /** Milliseconds until a call is let through to see how the source is; 0 where that may be at any moment. */
  readonly waitMs: number;
};

/**
 * Creates a breaker, closed. Our own, because cockatiel 4.0.0 has callers wait for the one that tries a half-open
 * circuit, where they are to be refused at once; takes a call that was cancelled for one that went well, and closes by
 * it; counts by the wall clock; and counts calls of long ago where few have come since.
 */
export function createBreaker(
  { calls, windowMs, failuresPercent, openMs }: BreakerOptions,
  monotonic: () => number,
  onChange: (state: BreakerState) => void,
): Breaker {
  const tally = createSlidingCounter(windowMs, monotonic);
  let state: BreakerState = 'closed';
  let openUntil = 0;
  let trying = false;
  /** The leave of all calls since the breaker was closed: those from before say nothing of the source as it is now. */
  let leave = newLeave();

  function become(next: BreakerState): void {
    state = next;
    onChange(next);
  }

  function open(): void {
    openUntil = monotonic() + openMs;
    become('open');
  }

  function close(): void {
    tally.clear();
    leave = newLeave();
    become('closed');
  }

  function newLeave(): Leave {
    const own: Leave = (finding) => {
      if (leave !== own || state !== 'closed' || finding === 'unknown') return;
      tally.add(finding === 'bad');
      if (finding === 'good' || tally.total < calls) return;
      if (tally.bad * 100 >= tally.total * failuresPercent) open();
    };
    return own;
  }

  function tryOne(): Leave {
    trying = true;
    if (state !== 'half_open') become('half_open');
    return (finding) => {
      trying = false;
      // What showed nothing leaves it to the next call to try.
      if (finding === 'bad') open();
      else if (finding === 'good') close();
    };
  }

  const mustWait = () => (state === 'open' && monotonic() < openUntil) || (state === 'half_open' && trying);

  return {
    get state() {
      return state;
    },
    enter() {
      if (state === 'closed') return leave;
      return mustWait() ? undefined : tryOne();
    },
    get refuses() {
      return state !== 'closed' && mustWait();
    },
    get waitMs() {
      return state === 'open' ? Math.max(0, openUntil - monotonic()) : 0;
    },
  };
}
