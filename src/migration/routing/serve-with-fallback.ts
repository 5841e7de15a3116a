// Serves a call from the new source, and from the legacy one where that fails or is late.

import { fault, GatewayError } from '../../errors/fault.ts';
import type { FallbackCause } from '../../kernel/upstream-call.ts';
import type { Call, Handler, Reply } from '../../policy/call.ts';
import { isBeyondBounds } from '../../reading/scan/scan-faults.ts';
import { queryKind } from '../compare/query-kind.ts';
import type { NewSourceCall } from '../evidence/evidence.ts';
import { type SourceGeneration, GenerationReplaced } from './current-generation.ts';
import type { LocalBreaker } from './local-breaker.ts';
import { AbortableCall } from './abortable-call.ts';

/** What the new source answers an operation with, under one generation. */
export type GenerationHandler = Pick<SourceGeneration<unknown>, 'attempts'> & { readonly handler: Handler };

/** Learns of each call of a caller that the new source was asked for: not of those that its cache answered. */
export type OnServed = (call: Omit<NewSourceCall, 'resource' | 'operation'>) => void;

export type ServeWithFallbackDeps = {
  readonly resource: string;
  readonly operation: string;
  /** Serves where the new source does not. */
  readonly legacy: Handler;
  readonly attemptMs: number;
  /** Milliseconds. */
  readonly monotonic: () => number;
  readonly breaker: Pick<LocalBreaker, 'count'>;
  readonly onServed: OnServed;
  readonly metrics: { migrationFallback(resource: string, operation: string, cause: FallbackCause): void };
};

/** An attempt that has failed: why, and after how long. */
type Failed = { readonly cause: FallbackCause; readonly ms: number; readonly refused?: string | undefined };

const isNotFound = (error: unknown) => error instanceof GatewayError && error.code === 'not_found';

function causeOf(error: unknown): FallbackCause {
  if (!(error instanceof GatewayError)) return 'failed';
  if (error.code === 'upstream_timeout') return 'timeout';
  if (error.code === 'upstream_invalid_response') return 'invalid';
  return error.code === 'not_found' ? 'missing' : 'failed';
}

/**
 * Makes the function that serves a call in place of the new source. Its answer shows whose failure it was: that of the
 * new source alone only where the legacy source has just answered. What a cache answers shows nothing.
 */
function createFallBack({ legacy, resource, operation, metrics, breaker, onServed }: ServeWithFallbackDeps) {
  function count({ cause, ...rest }: Failed, isAttributable: boolean): void {
    metrics.migrationFallback(resource, operation, cause);
    onServed({ ...rest, fallback: cause, isAttributable });
    if (isAttributable && cause !== 'missing') breaker.count('failed');
  }

  return async function fallBack(call: Call, failed: Failed): Promise<Reply> {
    const { trace } = call;
    trace.fallback = failed.cause;
    try {
      const reply = await legacy(call);
      count(failed, reply.cache === 'miss');
      return reply;
    } catch (error) {
      if (call.signal.aborted) throw error;
      const isAgreed = failed.cause === 'missing' && isNotFound(error);
      // There is no such record: the new source was right.
      if (isAgreed) {
        trace.fallback = undefined;
        onServed({ ms: failed.ms, isAttributable: false });
      } else count(failed, isNotFound(error) && trace.cache === 'miss');
      throw error;
    }
  };
}

/**
 * Creates the function that serves a call from the new source, and from the legacy one where that fails, is late, answers
 * nothing usable or has no such record. A hit is answered without a promise.
 */
export function createServeWithFallback(
  deps: ServeWithFallbackDeps,
): (call: Call, newSource: GenerationHandler) => Reply | Promise<Reply> {
  const { legacy, attemptMs, monotonic, breaker, onServed } = deps;
  const fallBack = createFallBack(deps);

  function afterFailure(call: Call, error: unknown, startedMs: number): Reply | Promise<Reply> {
    if (call.signal.aborted) throw error;
    if (!(error instanceof GenerationReplaced))
      return fallBack(call, {
        ...{ cause: causeOf(error), ms: monotonic() - startedMs },
        refused: call.query !== undefined && isBeyondBounds(error) ? queryKind(call.query) : undefined,
      });
    // A rollback came in between, which says nothing about this call.
    call.trace.origin = 'legacy';
    return legacy(call);
  }

  /** Waits for the answer to an attempt as long as it may take, and while its generation lasts. */
  async function within(
    attempt: AbortableCall,
    { attempts }: GenerationHandler,
    answer: Promise<Reply>,
  ): Promise<Reply> {
    const late = () =>
      attempt.end(fault('upstream_timeout', { detail: `${attemptMs} ms of the new source` }));
    const timer = setTimeout(late, attemptMs);
    attempts.add(attempt);
    try {
      return await answer;
    } finally {
      clearTimeout(timer);
      attempts.delete(attempt);
    }
  }

  async function awaitNew(call: Call, answer: () => Promise<Reply>): Promise<Reply> {
    const startedMs = monotonic();
    let reply: Reply;
    try {
      reply = await answer();
    } catch (error) {
      return afterFailure(call, error, startedMs);
    }
    if (reply.cache !== 'miss') return reply;
    breaker.count('answered');
    onServed({ ms: monotonic() - startedMs, isAttributable: false });
    return reply;
  }

  return function serveNew(call, newSource) {
    const attempt = new AbortableCall(call);
    try {
      const answer = newSource.handler(attempt);
      return answer instanceof Promise ? awaitNew(call, () => within(attempt, newSource, answer)) : answer;
    } catch (error) {
      return afterFailure(call, error, monotonic());
    }
  };
}
