// Load shedding: refuses requests at once (503) if the process has no time for them, so that the others are answered in time.

import type { Socket } from 'node:net';
import type { GatewayConfig } from '../../config/schema/gateway.ts';
import { fault, type GatewayError } from '../../kernel/errors/fault.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { RequestContext } from '../listener/request-context.ts';
import { createInFlightLimit } from './in-flight-limit.ts';
import { createPausedConnections, PAUSE_MS_MAX } from './paused-connections.ts';
import { createQueueDelay } from './queue-delay.ts';

/** Metrics of load shedding. */
export type SheddingMetrics = {
  /** Counts a refused request. `event_loop`: the process is too busy; `in_flight`: its operation has too many requests. */
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

/** Decides on each request whether it is served or refused, before any other work is done for it. */
export type LoadShedder = ReturnType<typeof createLoadShedder>;

/** An episode of overload ends when nobody was refused for this time. */
const CALM_MS = 2_000;
const TICK_MS = 10;
/** Bounds of the pause between a response and the client's next request after which a client counts as patient. */
const PATIENT_MS_MIN = 100;
const PATIENT_MS_MAX = 700;
const ANSWERED_AT = Symbol('answered at');

type AnsweredSocket = Socket & { [ANSWERED_AT]?: number };
/** `Retry-After` differs by up to this number of seconds, so that refused clients do not all return at once. */
const RETRY_SPREAD_SECONDS = 3;
/** The longest pause of a connection plus the spread. */
const RETRY_SECONDS_MAX = Math.ceil(PAUSE_MS_MAX / 1_000) + RETRY_SPREAD_SECONDS;

/** All refusals with the same `Retry-After` share one error, because a stack trace for each would cost too much. */
const refusals = Array.from({ length: RETRY_SECONDS_MAX + 1 }, (_, retryAfterSeconds) =>
  fault('overloaded', { detail: 'overload.eventLoopDelayMax', retryAfterSeconds }),
);

/** Creates the log of refusals. It writes two lines for an episode: at its first refusal, and when it is over. */
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

/** Creates the function that makes the error of a refused request. `pauseMs`: for how long its connection is paused. */
function createRefusal() {
  let refused = 0;
  return function refusalAfter(pauseMs: number): GatewayError {
    refused += 1;
    const retryAfterSeconds = Math.ceil(pauseMs / 1_000) + (refused % RETRY_SPREAD_SECONDS);
    return refusals[Math.min(retryAfterSeconds, RETRY_SECONDS_MAX)] ?? fault('overloaded');
  };
}

const onTick = (listener: () => void) => void setTimeout(listener, TICK_MS).unref();
const afterReading = (listener: () => void) => void setImmediate(listener);

/** Creates the load shedder of one process. */
export function createLoadShedder({ limits, clock, log, metrics }: LoadShedderDeps) {
  const delayMsMax = limits.eventLoopDelayMax;
  const queueDelay = createQueueDelay({ delayMsMax, clock, onTick });
  const { spareCapacity } = queueDelay;
  // Otherwise a client would count as patient because its connection was paused.
  const onResume = (socket: AnsweredSocket) => void (socket[ANSWERED_AT] = clock.monotonic());
  const paused = createPausedConnections({ clock, spareCapacity, onTick, afterReading, onResume });
  const mayBeRefused = ({ req }: RequestContext) => !isStopped && isAggressive(req.socket);
  const inFlight = createInFlightLimit({ inFlightMax: limits.inFlightMax, delayMsMax, clock, mayBeRefused });
  const logRefusal = createEpisodeLog({ log, clock });
  const refusalAfter = createRefusal();
  let isStopped = false;

  /** The pause after which a client counts as patient: half of the time in which each refused client can be served once. */
  function patientMs(): number {
    const fairMs = paused.count / queueDelay.answersPerMs;
    return Math.min(PATIENT_MS_MAX, Math.max(PATIENT_MS_MIN, fairMs / 2));
  }

  /** Whether a client asks again sooner than its share of the capacity allows. Always false if no connection is paused. */
  function isAggressive(socket: AnsweredSocket): boolean {
    return paused.count > 0 && clock.monotonic() - (socket[ANSWERED_AT] ?? -Infinity) < patientMs();
  }

  /**
   * Makes the refusal of a request, and pauses the client's connection when the response is sent. A refusal costs half as much
   * as a cached response, so a client that asks again at once must not be read at once. The connection stays open, because
   * a new one would cost as much as a response. `mayPause`: false if it was just paused; one of a host is not.
   */
  function refuse({ req, res, operation, mount }: RequestContext, mayPause: boolean): GatewayError {
    metrics.overloaded(operation, 'event_loop');
    logRefusal({ reason: 'event_loop', delayMs: Math.round(queueDelay.delayMs) });
    const refusal = refusalAfter(paused.expectedPauseMs);
    res.once('close', () => {
      if (mayPause && !mount && res.shouldKeepAlive && !req.socket.destroyed) paused.pause(req.socket);
    });
    return refusal;
  }

  /**
   * Stops counting a request when its response is made. The time that the client takes to read the response does not count,
   * because otherwise a few clients that read nothing could cause refusals for everybody.
   */
  function release(context: RequestContext): void {
    if (inFlight.release(context)) queueDelay.answered();
  }

  return {
    /** Returns true if a new request may go on. Else it has answered the request with `overloaded`. */
    admits(context: RequestContext): boolean {
      const { req } = context;
      if (isStopped) return true;
      // A request that has waited so long on a paused connection would be answered too late anyway.
      const isLate = paused.pausedMs(req.socket) > delayMsMax;
      if (!isLate && !queueDelay.shouldShed(isAggressive(req.socket))) return true;
      context.fail(refuse(context, !isLate));
      return false;
    },
    /** Counts a request as one in flight of its operation. @throws GatewayError `overloaded` if they are too many */
    enter(context: RequestContext): void {
      const entry = inFlight.enter(context);
      if (entry === 'entered') return;
      if (entry === 'congested') throw refuse(context, true);
      metrics.overloaded(context.operation, 'in_flight');
      logRefusal({ reason: 'in_flight', operation: context.operation });
      throw fault('overloaded', { detail: 'overload.inFlightMax' });
    },
    release,
    /** To be called when a response has closed. */
    leave(context: RequestContext): void {
      if (paused.count > 0) (context.req.socket as AnsweredSocket)[ANSWERED_AT] = clock.monotonic();
      release(context);
    },
    /** To be called before the listener closes: resumes all connections, and refuses nobody any more for a busy process. */
    stop: (): void => {
      isStopped = true;
      paused.resumeAll();
    },
  };
}
