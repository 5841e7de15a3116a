// The span of one request in a distributed trace, and the trace headers for its calls to upstreams.

import type { Clock } from '../kernel/clock.ts';
import {
  type ExchangeFacts,
  clientAttributes,
  type ServerFacts,
  serverAttributes,
} from './http-attributes.ts';
import { newSpanId, newTraceId } from './span-ids.ts';
import { readTraceparent, readTracestate, type TraceParent, traceparentOf } from './trace-context.ts';
import type { Tracing } from './tracing.ts';

/** The headers that continue a trace at an upstream: `traceparent`, and `tracestate` if the caller sent one. */
export type TraceHeaders = Readonly<Record<string, string>>;

/** The span of one exchange with an upstream. */
export type CallSpan = {
  readonly headers: TraceHeaders;
  /** Ends and records the span; absent if the trace is not recorded. */
  readonly end?: (facts: ExchangeFacts) => void;
};

/** The part of a trace that exchanges with upstreams need. */
export type UpstreamTrace = {
  /** Whether the trace is recorded. */
  readonly isSampled: boolean;
  /** Absent for calls that belong to no trace. */
  readonly ids?: Pick<TraceParent, 'traceId'>;
  startCall(): CallSpan;
};

/** The trace headers of a caller, as they came; they are not trusted. */
export type TraceHeaderValues = {
  readonly traceparent: readonly string[];
  readonly tracestate: readonly string[];
};

/** What the span of a request needs. */
export type RequestSpanDeps = {
  readonly clock: Clock;
  /** Absent: no span is recorded. */
  readonly tracing: Tracing | undefined;
  /** Returns a random number from 0 to 1 for each request. */
  readonly random: () => number;
};

/**
 * Whether a request is recorded. The flag of a trusted caller decides; otherwise the configured ratio decides, because
 * anybody may set the flag. The decision is random and not by the trace id, because a caller could choose the id.
 */
function decide(parent: TraceParent | undefined, isTrusted: boolean, deps: RequestSpanDeps): boolean {
  const { tracing, random } = deps;
  if (parent !== undefined && isTrusted) return parent.isSampled;
  return tracing !== undefined && random() < tracing.ratio;
}

/**
 * The server span of one request in a distributed trace (W3C Trace Context). It continues the caller's trace, or begins a new
 * trace. Spans are made when they end, and only if the trace is recorded; ids are made when they are first needed.
 */
export class RequestSpan implements UpstreamTrace {
  readonly isSampled: boolean;
  /** Records the spans; `undefined` if the trace is not recorded. */
  readonly #tracing: Tracing | undefined;
  readonly #clock: Clock;
  readonly #parent: TraceParent | undefined;
  readonly #state: string;
  #self: TraceParent | undefined;
  #unrecorded: CallSpan | undefined;

  constructor(lines: TraceHeaderValues, isTrusted: boolean, deps: RequestSpanDeps) {
    this.#parent = readTraceparent(lines.traceparent);
    this.#state = this.#parent === undefined ? '' : readTracestate(lines.tracestate);
    this.isSampled = decide(this.#parent, isTrusted, deps);
    this.#tracing = this.isSampled ? deps.tracing : undefined;
    this.#clock = deps.clock;
  }

  /** The ids of the request's own span. */
  get ids(): TraceParent {
    this.#self ??= {
      traceId: this.#parent?.traceId ?? newTraceId(),
      spanId: newSpanId(),
      isSampled: this.isSampled,
      isRandom: this.#parent?.isRandom ?? true,
    };
    return this.#self;
  }

  startCall(): CallSpan {
    const [tracing, clock] = [this.#tracing, this.#clock];
    if (tracing === undefined) return (this.#unrecorded ??= { headers: this.#headers(this.ids.spanId) });
    const spanId = newSpanId();
    const startedMs = clock.monotonic();
    return {
      headers: this.#headers(spanId),
      end: (facts) => {
        const endMs = clock.now();
        tracing.record({
          name: facts.method,
          kind: 'client',
          spanId,
          endMs,
          state: this.#state,
          traceId: this.ids.traceId,
          parentSpanId: this.ids.spanId,
          startMs: endMs - (clock.monotonic() - startedMs),
          ...clientAttributes(facts),
        });
      },
    };
  }

  /** Whether this process records spans of the trace. */
  get isRecorded(): boolean {
    return this.#tracing !== undefined;
  }

  /** Records the span of the request, after its answer was sent. `seconds`: how long the request took. */
  end(facts: ServerFacts, seconds: number): void {
    const tracing = this.#tracing;
    if (tracing === undefined) return;
    const { traceId, spanId } = this.ids;
    const endMs = this.#clock.now();
    tracing.record({
      kind: 'server',
      traceId,
      spanId,
      endMs,
      state: this.#state,
      parentSpanId: this.#parent?.spanId,
      startMs: endMs - seconds * 1_000,
      ...serverAttributes(facts),
    });
  }

  #headers(spanId: string): TraceHeaders {
    const traceparent = traceparentOf(this.ids, spanId);
    return this.#state === '' ? { traceparent } : { traceparent, tracestate: this.#state };
  }
}
