// Converts Portico's own spans to the form that the exporter of OpenTelemetry expects, for span-exporter.ts.

import type * as otelApi from '@opentelemetry/api';
import type { HrTime, SpanContext } from '@opentelemetry/api';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import type { FinishedSpan } from './tracing.ts';

/** The flag `sampled` of `traceparent`; all converted spans have it, because only recorded spans are exported. */
const SAMPLED = 1;

/** Milliseconds as a pair of seconds and nanoseconds. */
function timeOf(ms: number): HrTime {
  const seconds = Math.floor(ms / 1_000);
  return [seconds, Math.round((ms - seconds * 1_000) * 1e6)];
}

/** A `tracestate` that can only be written out. */
function stateOf(text: string): NonNullable<SpanContext['traceState']> {
  const state = {
    get: () => undefined,
    set: () => state,
    unset: () => state,
    serialize: () => text,
  };
  return state;
}

function contextOf(traceId: string, spanId: string, state: string): SpanContext {
  const context = { traceId, spanId, traceFlags: SAMPLED };
  return state === '' ? context : { ...context, traceState: stateOf(state) };
}

/** Compiles the function that converts a span to the form that OpenTelemetry exports. */
export function compileReadableSpan(
  { SpanKind, SpanStatusCode }: Pick<typeof otelApi, 'SpanKind' | 'SpanStatusCode'>,
  about: { readonly service: string; readonly version: string },
): (span: FinishedSpan) => ReadableSpan {
  const kinds = { server: SpanKind.SERVER, client: SpanKind.CLIENT } as const;
  const resource: ReadableSpan['resource'] = {
    attributes: { 'service.name': about.service, 'service.version': about.version },
    merge: () => resource,
    getRawAttributes: () => [],
  };
  const instrumentationScope = { name: 'portico', version: about.version };
  return ({ traceId, spanId, parentSpanId, state, ...span }) => {
    const context = contextOf(traceId, spanId, state);
    return {
      name: span.name,
      kind: kinds[span.kind],
      spanContext: () => context,
      ...(parentSpanId !== undefined && {
        parentSpanContext: { ...contextOf(traceId, parentSpanId, ''), isRemote: span.kind === 'server' },
      }),
      startTime: timeOf(span.startMs),
      endTime: timeOf(span.endMs),
      duration: timeOf(span.endMs - span.startMs),
      status: { code: span.hasFailed ? SpanStatusCode.ERROR : SpanStatusCode.UNSET },
      attributes: { ...span.attributes },
      links: [],
      events: [],
      ended: true,
      resource,
      instrumentationScope,
      droppedAttributesCount: 0,
      droppedEventsCount: 0,
      droppedLinksCount: 0,
    };
  };
}
