// Limits the requests in flight of each operation, so that an overloaded process still answers some of them in time.

import type { Clock } from '../../kernel/clock.ts';
import type { RequestContext } from '../listener/request-context.ts';

type InFlightLimitDeps = {
  /** The most requests in flight of one operation. */
  readonly inFlightMax: number;
  /** How many milliseconds a request may spend in the process itself, without the time of its source. */
  readonly delayMsMax: number;
  readonly clock: Pick<Clock, 'monotonic'>;
  /** Whether a request may be refused if its operation is congested. */
  readonly mayBeRefused: (context: RequestContext) => boolean;
};

/** The load of an operation, measured on its requests that called a source. */
type OperationLoad = {
  inFlight: number;
  /** The shortest time, in milliseconds, that one of them spent in the process itself since the measure began. */
  leastOwnMs: number;
  measureBeganAt: number;
  /** From this number in flight on, one more request would wait for too long. */
  congestedFrom: number;
};

const MEASURE_MS = 250;
/** Fewer requests in flight are never refused, however slow the machine is. */
const CONGESTED_MIN = 20;
/** How much one measure may change the limit. One unusual measure changes little, and a limit that is too low rises soon. */
const CUT_MIN = 0.5;
const GROWTH = 1.25;

/**
 * Ends a measure. If even the fastest request spent more than `delayMsMax` in the process, all requests wait for each other,
 * so the limit falls in proportion. Otherwise it rises, until it limits nobody. The fastest one counts, because it shows a
 * standing queue and no mere burst or moment without the processor (as in CoDel, RFC 8289).
 */
function endMeasure(load: OperationLoad, now: number, { delayMsMax, inFlightMax }: InFlightLimitDeps): void {
  const { inFlight, leastOwnMs, congestedFrom } = load;
  if (leastOwnMs > delayMsMax && leastOwnMs !== Infinity) {
    const cut = Math.max(CUT_MIN, delayMsMax / leastOwnMs);
    load.congestedFrom = Math.max(CONGESTED_MIN, Math.min(inFlight, congestedFrom) * cut);
  } else load.congestedFrom = congestedFrom > inFlightMax ? Infinity : congestedFrom * GROWTH;
  load.leastOwnMs = Infinity;
  load.measureBeganAt = now;
}

/**
 * Creates the limit. It counts the requests in flight of each operation: those that were admitted and have no response yet.
 * The limit of each operation depends on the time that its requests spend in the process itself.
 */
export function createInFlightLimit(deps: InFlightLimitDeps) {
  const { inFlightMax, clock, mayBeRefused } = deps;
  const loads = new Map<string, OperationLoad>();

  function loadOf({ operation, startedAt }: RequestContext): OperationLoad {
    let load = loads.get(operation);
    if (load === undefined) {
      load = { inFlight: 0, leastOwnMs: Infinity, measureBeganAt: startedAt, congestedFrom: Infinity };
      loads.set(operation, load);
    }
    return load;
  }

  return {
    /**
     * Counts a request if it may enter. `full`: its operation has `inFlightMax` requests. `congested`: so many are in flight that
     * one more would wait too long for the process (not for its source), and the client may be refused.
     */
    enter(context: RequestContext): 'entered' | 'full' | 'congested' {
      const load = loadOf(context);
      if (context.startedAt - load.measureBeganAt >= MEASURE_MS) endMeasure(load, context.startedAt, deps);
      if (load.inFlight >= inFlightMax) return 'full';
      if (load.inFlight >= load.congestedFrom && mayBeRefused(context)) return 'congested';
      load.inFlight += 1;
      context.isCounted = true;
      return 'entered';
    },
    /** Stops counting a request. Returns false if it was not counted. */
    release(context: RequestContext): boolean {
      if (!context.isCounted) return false;
      context.isCounted = false;
      const load = loadOf(context);
      load.inFlight -= 1;
      const { upstreamCalls, upstreamMs } = context.summary;
      if (upstreamCalls > 0)
        load.leastOwnMs = Math.min(load.leastOwnMs, clock.monotonic() - context.startedAt - upstreamMs);
      return true;
    },
  };
}
