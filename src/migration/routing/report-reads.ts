// Wraps a source: reports each answer that it has read for a caller, so that it can be compared.

import type { Query } from '../../contract/query.ts';
import type { Origin } from '../../kernel/upstream-call.ts';
import type { SourceAnswer, SourceHandler } from '../../policy/call.ts';
import type { Usage } from '../../upstream/exchange.ts';

/** What a source has just answered a caller, and how long that took. */
export type ReportedRead = {
  readonly operation: string;
  /** Who has answered. */
  readonly origin: Origin;
  readonly query: Query;
  readonly answer: SourceAnswer;
  readonly ms: number;
  /** The trace of the caller's request; absent: none is continued. */
  readonly spans: Usage['spans'];
};

/** Learns of an answer that was just read. It never throws, and nobody waits for it. */
export type OnReportedRead = (read: ReportedRead) => void;

/**
 * Wraps a source, so that what it reads for callers can be compared: not what it reads for a refresh or a shadow, nor in
 * place of a new source that has just failed.
 */
export function reportReads(
  { operation, origin }: Pick<ReportedRead, 'operation' | 'origin'>,
  source: SourceHandler,
  {
    monotonic,
    onReportedRead,
  }: { readonly monotonic: () => number; readonly onReportedRead: OnReportedRead },
): SourceHandler {
  return async function reported(call) {
    const { query, usage, priority } = call;
    if (priority !== undefined || usage.fallback !== undefined) return source(call);
    const startedMs = monotonic();
    const answer = await source(call);
    onReportedRead({ operation, origin, query, answer, ms: monotonic() - startedMs, spans: usage.spans });
    return answer;
  };
}
