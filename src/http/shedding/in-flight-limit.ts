import type { Clock } from '../../kernel/clock.ts';
import type { RequestContext } from '../listener/request-context.ts';

/** The bounds: requests of one operation, and milliseconds of the process's own time. */
type InFlightLimitDeps = {
  readonly inFlightMax: number;
  readonly delayMsMax: number;
  readonly clock: Pick<Clock, 'monotonic'>;
  /** Whether the client of a request may be refused if its operation is congested. */
  readonly mayBeRefused: (context: RequestContext) => boolean;
};

/** The load of an operation, measured by its requests that asked a source. */
type OperationLoad = {
  inFlight: number;
  /** The least time that the process itself took for one of them since the measure began, milliseconds. */
  leastOwnMs: number;
  measureBeganAt: number;
  /** If so many are in flight, one more waits for too long. */
  congestedFrom: number;
};

const MEASURE_MS = 250;
/** Fewer requests in flight are never too many, however slow the machine is. */
const CONGESTED_MIN = 20;
/** How much one measure may change the bound: an odd one does little, and a bound that was too low rises soon. */
const CUT_MIN = 0.5;
const GROWTH = 1.25;

/**
 * If even the fastest request spent longer in the process than a request may wait for the event loop, all requests wait
 * behind each other. Then the bound falls in proportion. This is how CoDel (RFC 8289) tells a standing queue from a burst,
 * or from a moment without the processor. Otherwise the bound rises, until it limits nobody.
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
 * Counts the requests in flight of each operation of a process: those that were admitted and have no response yet. The bound of
 * each operation follows the time that the process itself takes.
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
     * Counts a request if it may enter. `full`: its operation has as many as it may have at all. `congested`: so many are in
     * flight that one more would wait too long for the process, not for its source, and the client may be refused.
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
    /** Stops counting a request; false if it was not counted. */
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
