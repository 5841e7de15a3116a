// Wraps a source, so that each answer that it reads for callers is offered for comparison.

import type { Query } from '../../contract/query.ts';
import type { Origin } from '../../kernel/migration-origin.ts';
import type { SourceAnswer, SourceHandler } from '../../pipeline/stages/call.ts';
import type { Usage } from '../../source/client/guard/exchange.ts';

/** An answer that a source has just given to a question of callers, and how long it took (`ms`). */
export type OfferedAnswer = {
  readonly operation: string;
  readonly origin: Origin;
  readonly query: Query;
  readonly answer: SourceAnswer;
  readonly ms: number;
  /** The trace of the caller's request, if there is one. */
  readonly spans: Usage['spans'];
};

/**
 * Wraps a source, so that the answers that it reads for callers can be compared. Refreshes are offered, too, because the most
 * frequent questions reach the source only by refreshes if stale answers are served. A fallback is not offered, because its
 * question has just failed at the new source. `offerAnswer` must not throw, and must return at once.
 */
export function offerAnswers(
  { operation, origin }: Pick<OfferedAnswer, 'operation' | 'origin'>,
  source: SourceHandler,
  deps: { readonly monotonic: () => number; readonly offerAnswer: (read: OfferedAnswer) => void },
): SourceHandler {
  const { monotonic, offerAnswer } = deps;
  return async function offered(call) {
    const { query, usage } = call;
    if (usage.fallback !== undefined) return source(call);
    const startedMs = monotonic();
    const answer = await source(call);
    offerAnswer({ operation, origin, query, answer, ms: monotonic() - startedMs, spans: usage.spans });
    return answer;
  };
}
