/** A span that is over. Times are milliseconds since the epoch. */
export type FinishedSpan = {
  readonly name: string;
  /** `server`: a request to the gateway. `client`: one exchange with an upstream. */
  readonly kind: 'server' | 'client';
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  /** `tracestate`; empty for none. */
  readonly state: string;
  readonly startMs: number;
  readonly endMs: number;
  /** Never a path, an id, a query or a credential of a caller. */
  readonly attributes: Readonly<Record<string, string | number | boolean>>;
  readonly hasFailed: boolean;
};

/** How many spans were exported, dropped or failed so far. */
export type SpanCounts = {
  readonly exported: number;
  /** The queue was full. */
  readonly dropped: number;
  /** The collector could not be reached, or refused them. */
  readonly failed: number;
};

/** Records spans. If tracing is off, there is no such object. Nothing here throws or waits. */
export type Tracing = {
  /** The share of traces beginning at the gateway that are recorded, 0 to 1. */
  readonly ratio: number;
  record(span: FinishedSpan): void;
  counts(): SpanCounts;
  /** Sends what is queued, for a bounded time. Never rejects. */
  close(): Promise<void>;
};
