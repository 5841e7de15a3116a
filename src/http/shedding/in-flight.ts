import type { RequestContext } from '../listener/request-context.ts';

/** What became of a request that wants to be counted: `full` and `congested` are not. */
export type Entry = 'entered' | 'full' | 'congested';

/** The requests in flight of each operation of a process: admitted, and without a response so far. */
export type InFlight = {
  /**
   * Counts a request. `full`: its operation has as many as it may have at all. `congested`: so many are in flight that one
   * more would wait for too long, because of the process and not of its source; only clients that may be refused are.
   */
  enter(context: RequestContext, mayBeRefused: () => boolean): Entry;
  /** Counts a request no more; false where it was not counted. */
  release(context: RequestContext): boolean;
};

/** What the counting needs: bounds, in requests of an operation and in milliseconds of the process's own time. */
export type InFlightLimits = { readonly inFlightMax: number; readonly delayMsMax: number };

/** An operation, as its requests that asked a source show it. */
type OperationLoad = {
  inFlight: number;
  /** Those that got a response since the measure began. */
  answered: number;
  /** The least time that a source took for one of them, milliseconds. */
  leastUpstreamMs: number;
  measureBeganAt: number;
  /** The least times of the last few measures. */
  latestLeastMs: readonly number[];
  /** From this number on, one more waits for too long. */
  congestedFrom: number;
};

const MEASURE_MS = 250;
/** A measure that lasted longer saw few requests, and says nothing of many. */
const MEASURE_MS_MAX = 1_000;
const MEASURES_KEPT = 8;
/** So many are never too many, however slow the machine is. */
const CONGESTED_MIN = 20;

/**
 * By Little's law, a request that asks a source stays for as long as it takes to answer all that are in flight. What is
 * beyond the time of the source itself, told by the least of the last seconds, is the process's own: it may last as long
 * as a request may wait for the event loop.
 */
function endMeasure(load: OperationLoad, now: number, delayMsMax: number): void {
  const lastedMs = now - load.measureBeganAt;
  load.latestLeastMs = [load.leastUpstreamMs, ...load.latestLeastMs].slice(0, MEASURES_KEPT);
  const ownAndSourceMs = Math.min(...load.latestLeastMs) + delayMsMax;
  const isTelling = load.answered > 0 && lastedMs <= MEASURE_MS_MAX;
  const fitting = (load.answered / lastedMs) * ownAndSourceMs;
  load.congestedFrom = isTelling ? Math.max(CONGESTED_MIN, fitting) : Infinity;
  load.answered = 0;
  load.leastUpstreamMs = Infinity;
  load.measureBeganAt = now;
}

/** Creates the count of one process. */
export function createInFlight({ inFlightMax, delayMsMax }: InFlightLimits): InFlight {
  const loads = new Map<string, OperationLoad>();

  function loadOf({ operation, startedAt }: RequestContext): OperationLoad {
    let load = loads.get(operation);
    if (load === undefined) {
      load = {
        inFlight: 0,
        answered: 0,
        leastUpstreamMs: Infinity,
        measureBeganAt: startedAt,
        latestLeastMs: [],
        congestedFrom: Infinity,
      };
      loads.set(operation, load);
    }
    return load;
  }

  return {
    enter(context, mayBeRefused) {
      const load = loadOf(context);
      if (context.startedAt - load.measureBeganAt >= MEASURE_MS)
        endMeasure(load, context.startedAt, delayMsMax);
      if (load.inFlight >= inFlightMax) return 'full';
      if (load.inFlight >= load.congestedFrom && mayBeRefused()) return 'congested';
      load.inFlight += 1;
      context.isCounted = true;
      return 'entered';
    },
    release(context) {
      if (!context.isCounted) return false;
      context.isCounted = false;
      const load = loadOf(context);
      load.inFlight -= 1;
      const { upstreamCalls, upstreamMs } = context.trace;
      if (upstreamCalls > 0) {
        load.answered += 1;
        if (upstreamMs < load.leastUpstreamMs) load.leastUpstreamMs = upstreamMs;
      }
      return true;
    },
  };
}
