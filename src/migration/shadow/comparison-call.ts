// Asks one source for a comparison, with the lowest priority and a time-out, and never by a scan, so that no caller waits.

import type { Query } from '../../contract/query.ts';
import { GatewayError } from '../../kernel/errors/fault.ts';
import type { Clock } from '../../kernel/clock.ts';
import { isBeyondBounds } from '../../pipeline/reading/windows/scan-faults.ts';
import type { SourceAnswer, SourceHandler } from '../../pipeline/stages/call.ts';
import type { Usage } from '../../source/client/guard/exchange.ts';
import type { Semaphore } from '../../kernel/semaphore.ts';

/** The answer of a source, and how long it took. */
export type Answered = {
  readonly kind: 'answered';
  readonly answer: SourceAnswer;
  readonly ms: number;
  /** Whether the answer was read for this question; false if it comes from the rows of an earlier scan. */
  readonly isFresh: boolean;
};

/**
 * The outcome of one question to one source. `failed`: the source was asked and gave no usable answer. `skipped`: the source was
 * not asked, for a reason that does not count against it.
 */
export type ComparisonCall =
  | Answered
  | { readonly kind: 'failed'; readonly isTimeout: boolean }
  | { readonly kind: 'skipped'; readonly reason: SkipReason; readonly detail?: string | undefined };

/**
 * `cap`: no slot was free; `scan`: the answer needs a scan; `bounds`: the answer is beyond the limits of the source, so callers do
 * not get it either; `source`: its breaker or its queue refused; `closed`: the gateway is closing.
 */
export type SkipReason = 'cap' | 'scan' | 'bounds' | 'source' | 'closed';

/** Two readings of the clock may differ by this much because of rounding. */
const ROUNDING_MS = 2;

/** Whether an answer was read after an instant (ms since the epoch). A missing record always was, because it is not cached. */
export function isReadSince(answer: SourceAnswer, startedAt: number): boolean {
  return !answer.found || answer.storedAt >= startedAt - ROUNDING_MS;
}

function failedOrSkipped(error: unknown, usage: Usage, signal: AbortSignal): ComparisonCall {
  if (signal.aborted) return { kind: 'skipped', reason: 'closed' };
  const code = error instanceof GatewayError ? error.code : undefined;
  if (isBeyondBounds(error)) return { kind: 'skipped', reason: 'bounds' };
  if (code === 'scan_limit_exceeded') return { kind: 'skipped', reason: 'scan' };
  // If no call was sent, the source cannot have failed: its breaker is open, or other calls were more urgent.
  if (code === 'overloaded' || usage.upstreamCalls === 0)
    return {
      kind: 'skipped',
      reason: 'source',
      detail: error instanceof GatewayError ? error.detail : undefined,
    };
  const isOver = error instanceof DOMException && error.name === 'TimeoutError';
  return { kind: 'failed', isTimeout: isOver || code === 'upstream_timeout' };
}

/**
 * Creates the function that asks a source without harm to callers: with the lowest priority, never by a scan, and only if a slot
 * is free. With `waits` it waits for a slot; `timeoutMs` includes this wait.
 */
export function createAskForComparison({
  slots,
  timeoutMs,
  clock,
}: {
  readonly slots: Semaphore;
  readonly timeoutMs: number;
  readonly clock: Clock;
}) {
  return async function askForComparison(
    source: SourceHandler,
    query: Query,
    spans: Usage['spans'],
    closing: AbortSignal,
    waits?: 'waits',
  ): Promise<ComparisonCall> {
    const signal = AbortSignal.any([closing, AbortSignal.timeout(timeoutMs)]);
    if (!(waits === undefined ? slots.tryAcquire() : await slots.acquire(signal)))
      return { kind: 'skipped', reason: 'cap' };
    const usage: Usage = { upstreamCalls: 0, upstreamMs: 0, spans, query, slots };
    const [startedAt, startedMs] = [clock.now(), clock.monotonic()];
    try {
      const answer = await source({ query, usage, signal, priority: 'shadow', mayScan: false });
      const ms = clock.monotonic() - startedMs;
      return { kind: 'answered', answer, ms, isFresh: isReadSince(answer, startedAt) };
    } catch (error) {
      return failedOrSkipped(error, usage, closing);
    } finally {
      slots.release();
    }
  };
}
