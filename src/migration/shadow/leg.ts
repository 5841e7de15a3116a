// Asks one source for a comparison: with the lowest priority, a time-out, and no scan.

import type { Query } from '../../contract/query.ts';
import { GatewayError } from '../../errors/fault.ts';
import type { Clock } from '../../kernel/clock.ts';
import { isBeyondBounds } from '../../reading/scan/scan-faults.ts';
import type { SourceAnswer, SourceHandler } from '../../policy/call.ts';
import type { Usage } from '../../upstream/exchange.ts';
import type { Slots } from './slots.ts';

/** What a source has answered, and how long it took. */
export type Answered = {
  readonly kind: 'answered';
  readonly answer: SourceAnswer;
  readonly ms: number;
  /** Whether it was read for this question, not from rows of an earlier scan. */
  readonly isFresh: boolean;
};

/**
 * One question asked of one source. `failed`: the source was asked, and did not answer as it should. `skipped`: it was
 * not asked, because a slot, a scan or the source itself was not to be had, which says nothing about it.
 */
export type Leg =
  | Answered
  | { readonly kind: 'failed'; readonly isTimeout: boolean }
  | { readonly kind: 'skipped'; readonly reason: SkipReason };

/** `cap`: no slot of ours; `scan`: the answer takes a scan; `bounds`: no caller would get it either; `source`: its breaker or its queue refused the call. */
export type SkipReason = 'cap' | 'scan' | 'bounds' | 'source' | 'closed';

/** Asks a source, if a slot is free at once; one that `waits` waits for it within its time-out. It never rejects. */
export type AskLeg = (
  source: SourceHandler,
  query: Query,
  spans: Usage['spans'],
  signal: AbortSignal,
  waits?: 'waits',
) => Promise<Leg>;

export type AskLegDeps = {
  readonly slots: Slots;
  readonly timeoutMs: number;
  readonly clock: Clock;
};

/** By how much a clock that is read twice may seem to differ. */
const ROUNDING_MS = 2;

/** Whether an answer was read after an instant. That there is no record is kept by no source. */
export function isReadSince(answer: SourceAnswer, startedAt: number): boolean {
  return !answer.found || answer.storedAt >= startedAt - ROUNDING_MS;
}

function legOf(error: unknown, usage: Usage, signal: AbortSignal): Leg {
  if (signal.aborted) return { kind: 'skipped', reason: 'closed' };
  const code = error instanceof GatewayError ? error.code : undefined;
  if (isBeyondBounds(error)) return { kind: 'skipped', reason: 'bounds' };
  if (code === 'scan_limit_exceeded') return { kind: 'skipped', reason: 'scan' };
  // Without any exchange, the source cannot have failed: its breaker is open, or other calls are more urgent.
  if (code === 'overloaded' || usage.upstreamCalls === 0) return { kind: 'skipped', reason: 'source' };
  const isOver = error instanceof DOMException && error.name === 'TimeoutError';
  return { kind: 'failed', isTimeout: isOver || code === 'upstream_timeout' };
}

/**
 * Creates what asks a source behind everybody's back: as the lowest priority of its own budget, without a scan of its
 * own, within a time-out, in a slot of ours.
 */
export function createAskLeg({ slots, timeoutMs, clock }: AskLegDeps): AskLeg {
  return async function askLeg(source, query, spans, closing, waits) {
    const signal = AbortSignal.any([closing, AbortSignal.timeout(timeoutMs)]);
    if (!(waits === undefined ? slots.enter() : await slots.waitToEnter(signal)))
      return { kind: 'skipped', reason: 'cap' };
    const usage: Usage = { upstreamCalls: 0, upstreamMs: 0, spans };
    const [startedAt, startedMs] = [clock.now(), clock.monotonic()];
    try {
      const answer = await source({ query, usage, signal, priority: 'shadow', mayScan: false });
      const ms = clock.monotonic() - startedMs;
      return { kind: 'answered', answer, ms, isFresh: isReadSince(answer, startedAt) };
    } catch (error) {
      return legOf(error, usage, closing);
    } finally {
      slots.leave();
    }
  };
}
