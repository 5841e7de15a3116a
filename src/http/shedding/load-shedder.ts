import type { Socket } from 'node:net';
import type { GatewayConfig } from '../../config/schema/gateway.ts';
import { fault, type GatewayError } from '../../kernel/errors/fault.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { RequestContext } from '../listener/request-context.ts';
import { createInFlightLimit } from './in-flight-limit.ts';
import { createPausedConnections, PAUSE_MS_MAX } from './paused-connections.ts';
import { createQueueDelay } from './queue-delay.ts';

/** What is counted of shed load. */
export type SheddingMetrics = {
  /** A request that was refused; `reason` is a label of the metrics. */
  overloaded(operation: string, reason: 'event_loop' | 'in_flight'): void;
};

/** What the load shedder of a process needs. */
export type LoadShedderDeps = {
  readonly limits: GatewayConfig['overload'];
  readonly clock: Clock;
  readonly log: {
    info(fields: object, message: string): void;
    warn(fields: object, message: string): void;
  };
  readonly metrics: SheddingMetrics;
};

/** Load shedding: refuses the requests that a process has no time for, before anything is done for them. */
export type LoadShedder = {
  /** Answers a new request with `overloaded` and returns false if the event loop is too far behind. */
  admits(context: RequestContext): boolean;
  /** Counts a request in flight of its operation. @throws GatewayError `overloaded` if they are too many */
  enter(context: RequestContext): void;
  /**
   * Stops counting a request once its response is made. The time that the client takes to read it does not count, because a
   * few clients that read nothing would have everybody refused.
   */
  release(context: RequestContext): void;
  /** Called when a response has closed. */
  leave(context: RequestContext): void;
  /** Resumes all connections and refuses nobody for the event loop any more, because the listener closes. */
  readonly stop: () => void;
};

/** An episode of overload ends when nobody was refused for so long. */
const CALM_MS = 2_000;
const TICK_MS = 10;
/** A client that waits longer between a response and its next request does not cause the overload. */
const PATIENT_MS_MIN = 100;
/** A client that waits for so long never causes it. */
const PATIENT_MS_MAX = 700;
const ANSWERED_AT = Symbol('answered at');

type AnsweredSocket = Socket & { [ANSWERED_AT]?: number };
/** `Retry-After` is spread over so many seconds, so that refused clients do not all return at once. */
const RETRY_SPREAD_SECONDS = 3;
/** The pause of a connection and the spread, rounded up. */
const RETRY_SECONDS_MAX = Math.ceil(PAUSE_MS_MAX / 1_000) + RETRY_SPREAD_SECONDS;

/** All refusals with the same `Retry-After` share one error, because a stack trace for each would cost more than the rest. */
const refusals = Array.from({ length: RETRY_SECONDS_MAX + 1 }, (_, retryAfterSeconds) =>
  fault('overloaded', { detail: 'overload.eventLoopDelayMax', retryAfterSeconds }),
);

/** Logs an episode of many refusals twice: at the first one, and when it is over. */
function createEpisodeLog({ log, clock }: Pick<LoadShedderDeps, 'log' | 'clock'>) {
  let refused = 0;
  let [firstAt, latestAt] = [0, 0];

  function endIfCalm(): void {
    const calmMs = clock.monotonic() - latestAt;
    if (calmMs < CALM_MS) {
      setTimeout(endIfCalm, CALM_MS - calmMs).unref();
      return;
    }
    log.info({ refused, seconds: Math.ceil((latestAt - firstAt) / 1_000) }, 'no longer overloaded');
    refused = 0;
  }

  return function logRefusal(fields: object): void {
    latestAt = clock.monotonic();
    refused += 1;
    if (refused > 1) return;
    firstAt = latestAt;
    log.warn(fields, 'overloaded: some requests are refused');
    setTimeout(endIfCalm, CALM_MS).unref();
  };
}

/** The error for a request that is refused for the event loop; `pauseMs` is how long its connection is paused. */
function createRefusal() {
  let refused = 0;
  return function refusalAfter(pauseMs: number): GatewayError {
    refused += 1;
    const retryAfterSeconds = Math.ceil(pauseMs / 1_000) + (refused % RETRY_SPREAD_SECONDS);
    return refusals[Math.min(retryAfterSeconds, RETRY_SECONDS_MAX)] ?? fault('overloaded');
  };
}

/** Creates the load shedder of one process. */
export function createLoadShedder({ limits, clock, log, metrics }: LoadShedderDeps): LoadShedder {
  const delayMsMax = limits.eventLoopDelayMax;
  const onTick = (listener: () => void) => void setTimeout(listener, TICK_MS).unref();
  const queueDelay = createQueueDelay({ delayMsMax, clock, onTick });
  const { spareCapacity } = queueDelay;
  const afterReading = (listener: () => void) => void setImmediate(listener);
  // Otherwise a client that was not read for a long time would count as patient.
  const onResume = (socket: AnsweredSocket) => void (socket[ANSWERED_AT] = clock.monotonic());
  const paused = createPausedConnections({ clock, spareCapacity, onTick, afterReading, onResume });
  const mayBeRefused = ({ req }: RequestContext) => !isStopped && isAggressive(req.socket);
  const inFlight = createInFlightLimit({ inFlightMax: limits.inFlightMax, delayMsMax, clock, mayBeRefused });
  const logRefusal = createEpisodeLog({ log, clock });
  const refusalAfter = createRefusal();
  let isStopped = false;

  /** Half of the time in which each of the refused clients could be answered once. */
  function patientMs(): number {
    const fairMs = paused.count / queueDelay.answersPerMs;
    return Math.min(PATIENT_MS_MAX, Math.max(PATIENT_MS_MIN, fairMs / 2));
  }

  /** Whether the client asks again sooner than its share of the capacity allows. Measured only while connections are paused. */
  function isAggressive(socket: AnsweredSocket): boolean {
    return paused.count > 0 && clock.monotonic() - (socket[ANSWERED_AT] ?? -Infinity) < patientMs();
  }

  /**
   * Counts a refusal for the event loop and pauses the client's connection, which stays open: a new one would cost as
   * much as a response. A refusal costs half of what a cached response does, so a client that asks again at once is not
   * read at once. Nobody is paused twice in a row.
   */
  function refuse({ req, res, operation }: RequestContext, mayPause: boolean): GatewayError {
    metrics.overloaded(operation, 'event_loop');
    logRefusal({ reason: 'event_loop', delayMs: Math.round(queueDelay.delayMs) });
    const refusal = refusalAfter(paused.expectedPauseMs);
    res.once('close', () => {
      if (mayPause && res.shouldKeepAlive && !req.socket.destroyed) paused.pause(req.socket);
    });
    return refusal;
  }

  function release(context: RequestContext): void {
    if (inFlight.release(context)) queueDelay.answered();
  }

  return {
    admits(context) {
      const { req } = context;
      if (isStopped) return true;
      // A request that has waited unread for that long would be answered too late already.
      const isLate = paused.pausedMs(req.socket) > delayMsMax;
      if (!isLate && !queueDelay.shouldShed(isAggressive(req.socket))) return true;
      context.fail(refuse(context, !isLate));
      return false;
    },
    enter(context) {
      const { operation } = context;
      const entry = inFlight.enter(context);
      if (entry === 'entered') return;
      if (entry === 'congested') throw refuse(context, true);
      metrics.overloaded(operation, 'in_flight');
      logRefusal({ reason: 'in_flight', operation });
      throw fault('overloaded', { detail: 'overload.inFlightMax' });
    },
    release,
    leave(context) {
      if (paused.count > 0) (context.req.socket as AnsweredSocket)[ANSWERED_AT] = clock.monotonic();
      release(context);
    },
    stop() {
      isStopped = true;
      paused.resumeAll();
    },
  };
}
