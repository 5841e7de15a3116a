import type { Query } from '../../../contract/query.ts';
import { type CallFailure, callFailureOf } from '../../../kernel/errors/call-failure.ts';
import { GatewayError } from '../../../kernel/errors/fault.ts';
import type { Semaphore } from '../../../kernel/semaphore.ts';
import type { Priority, UpstreamRequest } from '../../../kernel/upstream-call.ts';
import type { FallbackCause, Origin } from '../../../kernel/migration-origin.ts';
import type { TraceHeaders, UpstreamTrace } from '../../../telemetry/request-span.ts';
import type { TimingsCarrier, RequestTimings } from '../../../telemetry/requests/request-timings.ts';
import type { CallAttempt } from '../../resilience/call-attempt.ts';

/** How a source is asked: `dependsOn` names claims of its file, `reason` why it takes a scan. No value of a caller is in it. */
type PlanNote = {
  readonly kind: string;
  readonly dependsOn?: readonly string[];
  readonly reason?: string;
};

/** The calls that a request caused, for its log line, and where its time went. */
export type Usage = TimingsCarrier & {
  upstreamCalls: number;
  upstreamMs: number;
  plan?: PlanNote | undefined;
  /** Who caused the calls, the first of those who share them; absent: no caller did. */
  principal?: string | undefined;
  /** What was asked; absent: no caller asked. */
  query?: Query | undefined;
  /** The source that was chosen for the request, where its resource moves. */
  origin?: Origin | undefined;
  /** Why the chosen source did not serve it after all. */
  fallback?: FallbackCause | undefined;
  /** The trace of the request; absent: none is continued. */
  spans?: UpstreamTrace | undefined;
  /** What bounds calls such as these: work of Portico's own that follows from them takes a slot, too. */
  readonly slots?: Pick<Semaphore, 'run'> | undefined;
};

/** What one exchange of a call needs of it. */
export type ExchangedCall = {
  readonly signal: AbortSignal;
  readonly priority: Priority;
  /** Counts the exchanges; absent: they are not counted. */
  readonly usage?: Usage;
  /** Where the time of its request goes; absent: nobody asks for it. */
  readonly timings?: RequestTimings | undefined;
  /** The trace that the exchanges belong to; absent: none. */
  readonly trace?: UpstreamTrace | undefined;
  readonly method: string;
  /** The rows that are asked for, where they are a window. */
  readonly window?: UpstreamRequest['window'];
};

/** How an exchange is done at a base URL, and what its result says about the upstream. */
export type ExchangeSteps<R> = {
  readonly send: (base: string, trace: TraceHeaders | undefined) => Promise<R>;
  readonly statusOf: (result: R) => number;
  /** Whether a result of this status is a failure; absent: who reads the reply finds out. */
  readonly failureOf?: (status: number) => CallFailure | undefined;
  /** The reason of the call's abort, if it may say something about the upstream. */
  readonly abandonReason?: () => unknown;
};

/**
 * Counts one exchange: `outcome` is a status class such as `2xx`, an error code, `cancelled` or, without `seconds`,
 * `not_sent`. `failure`: it brought no usable answer from `base`, for this `error`.
 */
export type OnExchange = (
  outcome: string,
  failure: CallFailure | undefined,
  seconds?: number,
  base?: string,
  error?: unknown,
) => void;

/** An attempt, where it was sent last, how often, and its last exchange while the reply is not read and so not counted. */
export type PlacedAttempt = {
  readonly attempt: CallAttempt;
  base: string | undefined;
  exchanges: number;
  unread: string | undefined;
  seconds: number;
};

/** Places an attempt that was not sent yet. */
export function placeAttempt(attempt: CallAttempt): PlacedAttempt {
  return { attempt, base: undefined, exchanges: 0, unread: undefined, seconds: 0 };
}

/**
 * Counts the exchange whose reply was read; `error`: reading it failed. A refused credential that was renewed is no failure,
 * and a source that has answered is not to blame for a caller that gave up meanwhile.
 */
export function countRead(
  placed: PlacedAttempt,
  onExchange: OnExchange,
  { aborted }: Pick<AbortSignal, 'aborted'>,
  error?: unknown,
): void {
  const { unread, seconds } = placed;
  if (unread === undefined) return;
  placed.unread = undefined;
  onExchange(unread, aborted ? undefined : callFailureOf(error), seconds, placed.base, error);
}

/** Waits for what sends and reads one exchange, and counts it. */
export async function countedOnce<T>(
  placed: PlacedAttempt,
  onExchange: OnExchange,
  signal: AbortSignal,
  act: Promise<T>,
): Promise<T> {
  try {
    return await act;
  } catch (error) {
    countRead(placed, onExchange, signal, error);
    throw error;
  } finally {
    countRead(placed, onExchange, signal);
  }
}

/** Makes the function that runs and measures one exchange. A failure finishes the attempt. */
export function createExchange(name: string | undefined, onExchange: OnExchange) {
  function start(attempt: CallAttempt): string {
    try {
      return attempt.start();
    } catch (error) {
      onExchange('not_sent', 'not_asked');
      throw error;
    }
  }

  return async function exchange<R>(
    call: ExchangedCall,
    placed: PlacedAttempt,
    { send, statusOf, failureOf, abandonReason = () => call.signal.reason as unknown }: ExchangeSteps<R>,
  ): Promise<R> {
    const { signal, usage, timings, trace } = call;
    const { attempt } = placed;
    countRead(placed, onExchange, signal);
    const base = start(attempt);
    placed.base = base;
    const span = trace?.startCall();
    const startMs = performance.now();
    let outcome = 'cancelled';
    let status: number | undefined;
    let failure: unknown;
    try {
      const result = await send(base, span?.headers);
      status = statusOf(result);
      outcome = `${Math.floor(status / 100)}xx`;
      return result;
    } catch (error) {
      failure = error;
      if (error instanceof GatewayError) outcome = error.code;
      attempt.finish(signal.aborted ? abandonReason() : error, signal.aborted);
      throw error;
    } finally {
      const endMs = performance.now();
      const ms = endMs - startMs;
      timings?.add('upstream', startMs, endMs, base, status ?? outcome);
      if (usage !== undefined) {
        usage.upstreamCalls += 1;
        usage.upstreamMs += ms;
      }
      placed.seconds = ms / 1_000;
      if (status !== undefined && failureOf === undefined) placed.unread = outcome;
      else
        onExchange(
          outcome,
          status === undefined ? callFailureOf(failure) : failureOf?.(status),
          placed.seconds,
          base,
          failure,
        );
      const { method, window } = call;
      span?.end?.({ source: name, base, method, window, resends: placed.exchanges, status, error: failure });
      placed.exchanges += 1;
    }
  };
}
