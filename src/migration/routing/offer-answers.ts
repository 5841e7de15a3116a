// Wraps a source: offers each answer that it has read for the cache of callers, so that it can be compared.

import type { Query } from '../../contract/query.ts';
import type { Origin } from '../../kernel/upstream-call.ts';
import type { SourceAnswer, SourceHandler } from '../../pipeline/stages/call.ts';
import type { Usage } from '../../source/client/guard/exchange.ts';

/** An answer that a source has just given to a question of callers, and how long it took. */
export type OfferedAnswer = {
  readonly operation: string;
  readonly origin: Origin;
  readonly query: Query;
  readonly answer: SourceAnswer;
  readonly ms: number;
  /** The trace of the caller's request; absent: none is continued. */
  readonly spans: Usage['spans'];
};

/** Called with an answer that was just read. It must not throw, and must return at once. */
export type OfferAnswer = (read: OfferedAnswer) => void;

/**
 * Wraps a source, so that the answers that it reads for callers can be compared. Refreshes are offered, too, although nobody
 * waits for them: where stale answers are served, the most frequent questions reach the source only by refreshes. A fallback
 * is not offered: its question has just failed at the new source.
 */
export function offerAnswers(
  { operation, origin }: Pick<OfferedAnswer, 'operation' | 'origin'>,
  source: SourceHandler,
  { monotonic, offerAnswer }: { readonly monotonic: () => number; readonly offerAnswer: OfferAnswer },
): SourceHandler {
  return async function offered(call) {
    const { query, usage } = call;
    if (usage.fallback !== undefined) return source(call);
    const startedMs = monotonic();
    const answer = await source(call);
    offerAnswer({ operation, origin, query, answer, ms: monotonic() - startedMs, spans: usage.spans });
    return answer;
  };
}
