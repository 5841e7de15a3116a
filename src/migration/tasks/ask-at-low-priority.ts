// Asks a source for an operator: with the lowest priority, and again later if the source is busy with callers.

import type { Query } from '../../contract/query.ts';
import type { ErrorCode } from '../../kernel/errors/catalogue.ts';
import { fault, GatewayError } from '../../kernel/errors/fault.ts';
import type { SourceAnswer, SourceHandler } from '../../pipeline/stages/call.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../kernel/clock.ts';

/** Waits for a number of milliseconds; tests replace it. */
export type Wait = (ms: number, signal: AbortSignal) => Promise<unknown>;

/** Waits by a timer that does not keep the process alive. Rejects with an `AbortError` when the signal aborts. */
export const waitMs: Wait = (ms, signal) => sleep(ms, undefined, { signal, ref: false });

/** Keeps calls to a rate: it waits until `calls` further calls are within the rate. */
export type Pacer = (calls: number, signal: AbortSignal) => Promise<void>;

/** Creates a pacer that allows `perSecond` calls a second. */
export function createPacer(perSecond: number, clock: Pick<Clock, 'monotonic'>, wait: Wait): Pacer {
  let freeAtMs = clock.monotonic();
  return async function pace(calls, signal) {
    freeAtMs = Math.max(freeAtMs, clock.monotonic()) + (calls * 1_000) / perSecond;
    const ms = freeAtMs - clock.monotonic();
    if (ms > 0) await wait(ms, signal);
  };
}

/** The reply of a source: an answer, or the error that a caller would get. */
export type LowPriorityReply = { readonly answer: SourceAnswer } | { readonly error: GatewayError };

/** How a source is asked. Without `pace` there is no rate limit; without `timeLimitMs` the time limits of the source apply. */
export type LowPriorityOptions = {
  /** Keeps the calls to a rate. */
  readonly pace?: Pacer;
  /** The time for each attempt, in milliseconds. */
  readonly timeLimitMs?: number;
  readonly wait?: Wait;
};

/** Asks a source. It rejects if `stop` aborts, or with an error that is no `GatewayError`. */
export type AskAtLowPriority = (
  source: SourceHandler,
  query: Query,
  stop: AbortSignal,
) => Promise<LowPriorityReply>;

/** How often a source that is busy with callers is asked; then the reply is `overloaded`. */
const ATTEMPTS_MAX = 5;
const RETRY_MS = 1_000;

/** Creates the function that asks a source with the lowest priority. The source may scan, as for a caller. */
export function createAskAtLowPriority({
  pace,
  timeLimitMs,
  wait = waitMs,
}: LowPriorityOptions): AskAtLowPriority {
  async function askOnce(source: SourceHandler, query: Query, stop: AbortSignal): Promise<LowPriorityReply> {
    const limits = timeLimitMs === undefined ? [] : [AbortSignal.timeout(timeLimitMs)];
    const signal = AbortSignal.any([stop, ...limits]);
    const usage = { upstreamCalls: 0, upstreamMs: 0 };
    try {
      const answer = await source({ query, usage, signal, priority: 'shadow' });
      await pace?.(usage.upstreamCalls, stop);
      return { answer };
    } catch (error) {
      stop.throwIfAborted();
      if (error instanceof GatewayError) return { error };
      if (!signal.aborted) throw error;
      return { error: fault('upstream_timeout', { cause: error }) };
    }
  }

  return async function askQuietly(source, query, stop) {
    for (let attempt = 1; ; attempt += 1) {
      const reply = await askOnce(source, query, stop);
      if ('answer' in reply || reply.error.code !== 'overloaded' || attempt === ATTEMPTS_MAX) return reply;
      await wait(RETRY_MS, stop);
    }
  };
}

/** The body of a reply, or the code of the error that a caller would get; `not_found` if there is no such record. */
export function bodyOrCode(
  reply: LowPriorityReply,
): { readonly body: string } | { readonly code: ErrorCode } {
  if ('error' in reply) return { code: reply.error.code };
  return reply.answer.found ? { body: reply.answer.body.toString() } : { code: 'not_found' };
}

/** The answer in a reply. @throws Error with the name of the source if it has failed */
export function answerOf(reply: LowPriorityReply): SourceAnswer {
  if ('answer' in reply) return reply.answer;
  const { error } = reply;
  throw new Error(`${error.upstream?.source ?? 'a source'} fails: ${error.code}`, { cause: error });
}
