import type { Socket } from 'node:net';
import type { GatewayConfig } from '../../config/schema/gateway.ts';
import { fault, type GatewayError } from '../../errors/fault.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { InFlightSlot, RequestContext } from '../listener/request-context.ts';
import { createQueueDelay, type QueueDelay } from './queue-delay.ts';
import { createPausedConnections } from './paused-connections.ts';

/** Why a request was refused; a label of the metrics. */
type OverloadReason = 'event_loop' | 'in_flight';

/** What the watch over a process needs. */
export type LoadShedderDeps = {
  readonly limits: GatewayConfig['overload'];
  readonly clock: Clock;
  readonly log: {
    info(fields: object, message: string): void;
    warn(fields: object, message: string): void;
  };
  /** Told of every request that is refused. */
  readonly onRefused: (operation: string, reason: OverloadReason) => void;
};

/** Keeps a process from taking in more than it can do. */
export type LoadShedder = {
  /** Refuses a request that has just come, before anything is done for it, where the event loop is too far behind. */
  admits(context: RequestContext): boolean;
  /**
   * Counts a request to its operation, until its answer is made: how long the client takes to read it is not work of
   * ours, or a few clients who read nothing would have everybody refused.
   * @throws GatewayError `overloaded` where as many are under way as may be
   */
  readonly enter: (context: RequestContext) => void;
  /** Told of every context that is over. */
  readonly leave: (context: RequestContext) => void;
  /** Listens to everybody again, and refuses nobody for the event loop any more: the listener is left. */
  readonly listenToAll: () => void;
};

/** An episode is over when nobody was refused for so long. */
const CALM_MS = 2_000;
const TURN_MS = 10;
/** Whoever waits longer between an answer and the next question is not one of those who make the overload. */
const HASTE_MS = 100;
const ANSWERED_AT = Symbol('answered at');

type Answered = Socket & { [ANSWERED_AT]?: number };
/** Over so many seconds those who are refused are told to come back. */
const RETURN_SECONDS = 3;

/** One error for all who are refused alike: to take a stack down for each would cost more than the rest. */
const refusals = new Map<number, GatewayError>();
let refusedSoFar = 0;

/** They come back in the next seconds by turns. */
function refusal(secondsMin: number): GatewayError {
  refusedSoFar += 1;
  const retryAfterSeconds = secondsMin + (refusedSoFar % RETURN_SECONDS);
  const known = refusals.get(retryAfterSeconds);
  if (known !== undefined) return known;
  const made = fault('overloaded', { detail: 'overload.eventLoopDelayMax', retryAfterSeconds });
  refusals.set(retryAfterSeconds, made);
  return made;
}

/** Tells once of many refusals: at the first one, and when they are over. */
function createEpisodes(log: LoadShedderDeps['log'], monotonic: () => number) {
  let refused = 0;
  let [since, latest] = [0, 0];

  function look(): void {
    const calmMs = monotonic() - latest;
    if (calmMs < CALM_MS) {
      setTimeout(look, CALM_MS - calmMs).unref();
      return;
    }
    log.info({ refused, seconds: Math.ceil((latest - since) / 1_000) }, 'no longer overloaded');
    refused = 0;
  }

  return function note(fields: object): void {
    latest = monotonic();
    refused += 1;
    if (refused > 1) return;
    since = latest;
    log.warn(fields, 'overloaded: some requests are refused');
    setTimeout(look, CALM_MS).unref();
  };
}

/** Watches over one process. */
export function createLoadShedder({ limits, clock, log, onRefused }: LoadShedderDeps): LoadShedder {
  const monotonic = () => clock.monotonic();
  const atNextTurn = (listener: () => void) => void setTimeout(listener, TURN_MS).unref();
  const turns: QueueDelay = createQueueDelay({
    delayMsMax: limits.eventLoopDelayMax,
    monotonic,
    atNextTurn,
  });
  const unheard = createPausedConnections({
    monotonic,
    takeRoom: turns.spareCapacity,
    atNextTurn,
    afterReading: (listener) => void setImmediate(listener),
  });
  const note = createEpisodes(log, monotonic);
  const underWay = new Map<string, number>();
  let isLeaving = false;

  /** Whether the client asks again right after its latest answer. Known only while somebody is not heard. */
  function isHasty(socket: Answered): boolean {
    return unheard.count > 0 && monotonic() - (socket[ANSWERED_AT] ?? -Infinity) < HASTE_MS;
  }

  const counted: InFlightSlot = {
    leave(context) {
      context.counted = undefined;
      const { operation } = context;
      underWay.set(operation, (underWay.get(operation) ?? 1) - 1);
    },
  };

  return {
    admits(context) {
      const { res, req, operation } = context;
      if (isLeaving) return true;
      // It may have waited for as long unread: whoever would take it up now would be late already.
      const isEarly = unheard.pausedMs(req.socket) > limits.eventLoopDelayMax;
      if (!isEarly && !turns.shouldShed(isHasty(req.socket))) return true;
      const { expectedPauseMs: holdMs } = unheard;
      onRefused(operation, 'event_loop');
      note({ reason: 'event_loop', delayMs: Math.round(turns.delayMs) });
      context.fail(refusal(Math.ceil(holdMs / 1_000)));
      // Who asks again at once is not heard at once: refusing costs half of what a kept answer does. A new connection
      // would cost as much as an answer, so the one there is stays. Who has waited is not made to wait again.
      res.once('close', () => {
        if (!isEarly && res.shouldKeepAlive && !req.socket.destroyed) unheard.pause(req.socket);
      });
      return false;
    },
    enter(context) {
      const { operation } = context;
      const count = underWay.get(operation) ?? 0;
      if (count >= limits.inFlightMax) {
        onRefused(operation, 'in_flight');
        note({ reason: 'in_flight', operation });
        throw fault('overloaded', { detail: 'overload.inFlightMax' });
      }
      underWay.set(operation, count + 1);
      context.counted = counted;
    },
    leave(context) {
      if (unheard.count > 0) (context.req.socket as Answered)[ANSWERED_AT] = monotonic();
      context.counted?.leave(context);
    },
    listenToAll() {
      isLeaving = true;
      unheard.resumeAll();
    },
  };
}
