// The types of a span and of what records spans; span-exporter.ts sends them. They are apart, because most gateways export none.

/** A finished span, ready for export. Times are milliseconds since the epoch. */
export type FinishedSpan = {
  readonly name: string;
  /** `server`: a request to the gateway. `client`: one exchange with an upstream. */
  readonly kind: 'server' | 'client';
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  /** The header `tracestate`; empty: there is none. */
  readonly state: string;
  readonly startMs: number;
  readonly endMs: number;
  /** Attributes of OpenTelemetry, without any path, id, query or credential of a caller. */
  readonly attributes: Readonly<Record<string, string | number | boolean>>;
  readonly hasFailed: boolean;
};

/** Records spans for export. If tracing is off, there is no such object. No function throws or waits. */
export type Tracing = {
  /** The share of the traces that begin at the gateway and are recorded, from 0 to 1. */
  readonly ratio: number;
  record(span: FinishedSpan): void;
  /** How many spans were exported, not sent because the queue was full, and not taken by the collector. */
  counts(): Readonly<Record<'exported' | 'dropped' | 'failed', number>>;
  /** Sends the queued spans, for two seconds at most. Never rejects. */
  close(): Promise<void>;
};
