// Serves a call from the new source, or from the legacy source if the new one fails or is late.

import { queryShape } from '../../contract/query.ts';
import type { Resource } from '../../contract/resource.ts';
import { isEmptyList } from '../../contract/response-body.ts';
import { fault, GatewayError } from '../../kernel/errors/fault.ts';
import type { FallbackCause } from '../../kernel/migration-origin.ts';
import type { Call, CallAnswer, Handler } from '../../pipeline/stages/call.ts';
import { isBeyondBounds } from '../../pipeline/reading/windows/scan-faults.ts';
import { queryKind } from '../compare/query-kind.ts';
import type { NewSourceCall } from '../counts/migration-counts.ts';
import { GenerationReplaced, type SourceGeneration } from './new-source-generations.ts';
import type { LocalBreaker } from './local-breaker.ts';
import { AbortableCall } from './abortable-call.ts';

/** The new source gets at most half of the time, so that the legacy source has the other half. */
const DEADLINE_SHARE = 0.5;
/** A call may take this many times as long as nearly all calls of the legacy source. A later answer hardly ever comes. */
const TIMES_LEGACY = 3;
/** Even if both sources are very fast, a short pause of this process must not look like a failure of the source. */
const LIMIT_MS_MIN = 500;

/**
 * The time limit of a call to the new source, in milliseconds. `legacyP99Ms` is the 99th percentile of the legacy source, if it
 * is known; `slackMs` is by how much the gate lets the new source be slower.
 */
export function attemptLimitMs(deadlineMs: number, legacyP99Ms: number | undefined, slackMs: number): number {
  const mostMs = deadlineMs * DEADLINE_SHARE;
  if (legacyP99Ms === undefined) return mostMs;
  return Math.min(mostMs, Math.max(LIMIT_MS_MIN, TIMES_LEGACY * (legacyP99Ms + slackMs)));
}

/** The handler of one operation at the new source, and the running attempts of its generation. */
export type GenerationHandler = Pick<SourceGeneration<unknown>, 'attempts'> & { readonly handler: Handler };

/** What is needed to serve a call with a fallback. */
export type ServeWithFallbackDeps = {
  readonly resource: string;
  readonly contract: Resource;
  readonly operation: string;
  /** The handler that serves if the new source fails. */
  readonly legacy: Handler;
  /** How long the new source may take before the legacy source is asked, in milliseconds. Called for each attempt. */
  readonly attemptMs: () => number;
  /** A monotonic clock in milliseconds. */
  readonly monotonic: () => number;
  readonly breaker: Pick<LocalBreaker, 'count'>;
  /** Called for each call that reached the new source, but not if its cache has answered. */
  readonly onServed: (call: Omit<NewSourceCall, 'resource' | 'operation'>) => void;
  readonly metrics: { migrationFallback(resource: string, operation: string, cause: FallbackCause): void };
};

/** A failed attempt: its cause, and how long it took. */
type Failed = { readonly cause: FallbackCause; readonly ms: number; readonly refused?: string | undefined };

const isNotFound = (error: unknown) => error instanceof GatewayError && error.code === 'not_found';

function causeOf(error: unknown): FallbackCause {
  if (!(error instanceof GatewayError)) return 'failed';
  if (error.code === 'upstream_timeout') return 'timeout';
  if (error.code === 'upstream_invalid_response') return 'invalid';
  if (error.code === 'not_found') return 'missing';
  // An open breaker also gives `upstream_unavailable`, but only a call that was sent is retryable.
  const isUnreached = error.code === 'upstream_unavailable' && error.sourceHealth?.isRetryable === true;
  return isUnreached && error.sourceHealth.hasReplied !== true ? 'connect' : 'failed';
}

/**
 * Creates the function that serves a call from the legacy source after the new source has failed. A failure counts against the new
 * source (`isAttributable`) only if the legacy source, and not its cache, has just answered with at least one record. If the
 * legacy source has no record for the question, the failure is `odd`: otherwise one caller with such questions could roll the
 * migration back for all.
 */
function createFallBack(deps: ServeWithFallbackDeps) {
  const { legacy, resource, operation, metrics, breaker, onServed } = deps;
  function count({ principal, query }: Call, { cause, ...rest }: Failed, isAttributable: boolean): void {
    metrics.migrationFallback(resource, operation, cause);
    const shape = query === undefined ? '' : queryShape(query);
    const failing = isAttributable ? { subject: principal?.subject ?? '', shape } : undefined;
    onServed({ ...rest, fallback: cause, isAttributable, failing });
    if (isAttributable && cause !== 'missing') breaker.count('failed');
  }

  function countOdd(call: Call, { ms }: Failed): void {
    call.summary.fallback = 'odd';
    count(call, { cause: 'odd', ms }, false);
  }

  return async function fallBack(call: Call, failed: Failed): Promise<CallAnswer> {
    const { summary } = call;
    summary.fallback = failed.cause;
    try {
      const reply = await legacy(call);
      if (isEmptyList(reply.body)) countOdd(call, failed);
      else count(call, failed, reply.cache === 'miss');
      return reply;
    } catch (error) {
      if (call.signal.aborted) throw error;
      if (!isNotFound(error)) count(call, failed, false);
      else if (failed.cause !== 'missing') countOdd(call, failed);
      else {
        // The legacy source has no such record either, so the new source was right.
        summary.fallback = undefined;
        onServed({ ms: failed.ms, isAttributable: false });
      }
      throw error;
    }
  };
}

/**
 * Creates the function that serves a call from the new source, or from the legacy source if the new source fails, is late, gives no
 * usable answer or has no such record. A cache hit is returned at once, without a promise.
 */
export function createServeWithFallback(
  deps: ServeWithFallbackDeps,
): (call: Call, newSource: GenerationHandler) => CallAnswer | Promise<CallAnswer> {
  const { legacy, contract, attemptMs, monotonic, breaker, onServed } = deps;
  const fallBack = createFallBack(deps);

  function afterFailure(call: Call, error: unknown, startedMs: number): CallAnswer | Promise<CallAnswer> {
    if (call.signal.aborted) throw error;
    if (!(error instanceof GenerationReplaced))
      return fallBack(call, {
        ...{ cause: causeOf(error), ms: monotonic() - startedMs },
        refused:
          call.query !== undefined && isBeyondBounds(error) ? queryKind(call.query, contract) : undefined,
      });
    // A rollback has aborted the attempt. The new source has not failed, so nothing is counted.
    call.summary.origin = 'legacy';
    return legacy(call);
  }

  /** Waits for an answer, and aborts the attempt after `attemptMs` or when its generation is replaced. */
  async function within(
    attempt: AbortableCall,
    { attempts }: GenerationHandler,
    answer: Promise<CallAnswer>,
  ): Promise<CallAnswer> {
    const limitMs = attemptMs();
    const late = () => attempt.end(fault('upstream_timeout', { detail: `${limitMs} ms of the new source` }));
    const timer = setTimeout(late, limitMs);
    attempts.add(attempt);
    try {
      return await answer;
    } finally {
      clearTimeout(timer);
      attempts.delete(attempt);
    }
  }

  async function awaitNew(call: Call, answer: () => Promise<CallAnswer>): Promise<CallAnswer> {
    const startedMs = monotonic();
    let reply: CallAnswer;
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
