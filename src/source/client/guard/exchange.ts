// Runs single exchanges (one request and its reply) for the guarded client, measures them, and counts each once its reply is
// read.

import type { Query } from '../../../contract/query.ts';
import { type CallFailure, callFailureOf } from '../../../kernel/errors/call-failure.ts';
import { GatewayError } from '../../../kernel/errors/fault.ts';
import type { Semaphore } from '../../../kernel/semaphore.ts';
import type { Priority, UpstreamRequest } from '../../../kernel/upstream-call.ts';
import type { FallbackCause, Origin } from '../../../kernel/migration-origin.ts';
import type { TraceHeaders, UpstreamTrace } from '../../../telemetry/request-span.ts';
import type { TimingsCarrier, RequestTimings } from '../../../telemetry/requests/request-timings.ts';
import type { CallAttempt } from '../../resilience/call-attempt.ts';

/** The plan of a query, for logs. `dependsOn`: claims of the file. `reason`: why it is a scan. It holds no value of a caller. */
type PlanNote = {
  readonly kind: string;
  readonly dependsOn?: readonly string[];
  readonly reason?: string;
};

/** What is recorded about the upstream calls of one client request: how many, why, and where the time went. */
export type Usage = TimingsCarrier & {
  upstreamCalls: number;
  upstreamMs: number;
  plan?: PlanNote | undefined;
  /** The principal that caused the calls; the first one, if several share them. Absent: no caller caused them. */
  principal?: string | undefined;
  /** The query of the caller; absent: no caller asked. */
  query?: Query | undefined;
  /** For a resource that moves: the source that was chosen for the request. */
  origin?: Origin | undefined;
  /** Why the chosen source did not serve the request after all. */
  fallback?: FallbackCause | undefined;
  /** The trace of the request; absent: the request is not traced. */
  spans?: UpstreamTrace | undefined;
  /** The slots that limit calls such as these. Background work that follows from them takes a slot, too. */
  readonly slots?: Pick<Semaphore, 'run'> | undefined;
};

/** What an exchange needs to know of its call. */
export type ExchangedCall = {
  readonly signal: AbortSignal;
  readonly priority: Priority;
  /** Counts the exchanges; absent: nobody counts them. */
  readonly usage?: Usage;
  /** Records where the time of the client request goes; absent: nobody asks for it. */
  readonly timings?: RequestTimings | undefined;
  /** The trace that the exchanges belong to; absent: none. */
  readonly trace?: UpstreamTrace | undefined;
  readonly method: string;
  /** The range of rows that is asked for, if the request is for one. */
  readonly window?: UpstreamRequest['window'];
};

/** How an exchange is done, and what its result says about the upstream. */
export type ExchangeSteps<R> = {
  readonly send: (base: string, trace: TraceHeaders | undefined) => Promise<R>;
  readonly statusOf: (result: R) => number;
  /** The failure that a status means; absent: the reader of the reply finds out. */
  readonly failureOf?: (status: number) => CallFailure | undefined;
  /** The reason why the call was aborted, which may say something about the upstream; absent: that of the signal. */
  readonly abandonReason?: () => unknown;
};

/**
 * Counts one exchange: `outcome` is a status class such as `2xx`, an error code, `cancelled` or, without `seconds`, `not_sent`.
 * `failure`: why `base` gave no usable answer, with the `error`.
 */
export type OnExchange = (
  outcome: string,
  failure: CallFailure | undefined,
  seconds?: number,
  base?: string,
  error?: unknown,
) => void;

/** An attempt, with the base URL of its last exchange, the number of exchanges, and (`unread`) an outcome not yet counted. */
export type MeasuredAttempt = {
  readonly attempt: CallAttempt;
  base: string | undefined;
  exchanges: number;
  unread: string | undefined;
  seconds: number;
};

/** Prepares an attempt that was not sent yet. */
export function measuredAttempt(attempt: CallAttempt): MeasuredAttempt {
  return { attempt, base: undefined, exchanges: 0, unread: undefined, seconds: 0 };
}

/**
 * Counts an exchange once its reply was read; `error`: reading it failed. A refused credential that was renewed is no failure,
 * and a source that has answered is not to blame for a caller that gave up meanwhile.
 */
export function countRead(
  measured: MeasuredAttempt,
  onExchange: OnExchange,
  { aborted }: Pick<AbortSignal, 'aborted'>,
  error?: unknown,
): void {
  const { unread, seconds } = measured;
  if (unread === undefined) return;
  measured.unread = undefined;
  onExchange(unread, aborted ? undefined : callFailureOf(error), seconds, measured.base, error);
}

/** Waits for `act`, which sends an exchange and reads its reply, and then counts the exchange. */
export async function countedOnce<T>(
  measured: MeasuredAttempt,
  onExchange: OnExchange,
  signal: AbortSignal,
  act: Promise<T>,
): Promise<T> {
  try {
    return await act;
  } catch (error) {
    countRead(measured, onExchange, signal, error);
    throw error;
  } finally {
    countRead(measured, onExchange, signal);
  }
}

/** Creates the function that runs and measures one exchange. A failure finishes the attempt. */
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
    measured: MeasuredAttempt,
    { send, statusOf, failureOf, abandonReason = () => call.signal.reason as unknown }: ExchangeSteps<R>,
  ): Promise<R> {
    const { signal, usage, timings, trace } = call;
    const { attempt } = measured;
    countRead(measured, onExchange, signal);
    const base = start(attempt);
    measured.base = base;
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
      measured.seconds = ms / 1_000;
      if (status !== undefined && failureOf === undefined) measured.unread = outcome;
      else
        onExchange(
          outcome,
          status === undefined ? callFailureOf(failure) : failureOf?.(status),
          measured.seconds,
          base,
          failure,
        );
      const { method, window } = call;
      span?.end?.({
        source: name,
        base,
        method,
        window,
        resends: measured.exchanges,
        status,
        error: failure,
      });
      measured.exchanges += 1;
    }
  };
}
