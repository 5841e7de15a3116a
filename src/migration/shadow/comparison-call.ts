// Asks one source for a comparison: with the lowest priority, a time-out, and no scan.

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
  /** Whether it was read for this question; false where it comes from the rows of an earlier scan. */
  readonly isFresh: boolean;
};

/**
 * One question to one source. `failed`: the source was asked, and gave no usable answer. `skipped`: it was not asked, for a
 * reason that says nothing about the source.
 */
export type ComparisonCall =
  | Answered
  | { readonly kind: 'failed'; readonly isTimeout: boolean }
  | { readonly kind: 'skipped'; readonly reason: SkipReason; readonly detail?: string | undefined };

/**
 * `cap`: no slot was free; `scan`: the answer needs a scan; `bounds`: the answer is beyond the bounds of the source, so no
 * caller would get it either; `source`: its breaker or its queue refused; `closed`: the gateway ends.
 */
export type SkipReason = 'cap' | 'scan' | 'bounds' | 'source' | 'closed';

/** Asks a source if a slot is free. With `waits` it waits for a slot, within the time-out. It never rejects. */
export type AskForComparison = (
  source: SourceHandler,
  query: Query,
  spans: Usage['spans'],
  signal: AbortSignal,
  waits?: 'waits',
) => Promise<ComparisonCall>;

/** `timeoutMs` bounds a call, its wait for a slot included. */
export type AskForComparisonDeps = {
  readonly slots: Semaphore;
  readonly timeoutMs: number;
  readonly clock: Clock;
};

/** Two readings of the clock may differ by that much through rounding. */
const ROUNDING_MS = 2;

/** Whether an answer was read after an instant. A missing record is always read anew: no source keeps that. */
export function isReadSince(answer: SourceAnswer, startedAt: number): boolean {
  return !answer.found || answer.storedAt >= startedAt - ROUNDING_MS;
}

function failedOrSkipped(error: unknown, usage: Usage, signal: AbortSignal): ComparisonCall {
  if (signal.aborted) return { kind: 'skipped', reason: 'closed' };
  const code = error instanceof GatewayError ? error.code : undefined;
  if (isBeyondBounds(error)) return { kind: 'skipped', reason: 'bounds' };
  if (code === 'scan_limit_exceeded') return { kind: 'skipped', reason: 'scan' };
  // Without any exchange, the source cannot have failed: its breaker is open, or other calls are more urgent.
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
 * Creates the function that asks a source without harm to callers: with the lowest priority of the source's budget, never
 * by a scan, within a time-out, and only in a free slot.
 */
export function createAskForComparison({ slots, timeoutMs, clock }: AskForComparisonDeps): AskForComparison {
  return async function askForComparison(source, query, spans, closing, waits) {
    const signal = AbortSignal.any([closing, AbortSignal.timeout(timeoutMs)]);
    if (!(waits === undefined ? slots.tryAcquire() : await slots.acquire(signal)))
      return { kind: 'skipped', reason: 'cap' };
    const usage: Usage = { upstreamCalls: 0, upstreamMs: 0, spans, query };
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
