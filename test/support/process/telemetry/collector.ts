import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import protobuf from 'protobufjs';
import { createCondition } from '../../time/eventually.ts';

/** A span as a collector reads it. Ids are hexadecimal; attributes are plain values. */
export type CollectedSpan = {
  readonly name: string;
  readonly kind: 'server' | 'client';
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly traceState: string;
  readonly ms: number;
  readonly hasFailed: boolean;
  readonly attributes: Readonly<Record<string, string | number | boolean>>;
  readonly resource: Readonly<Record<string, string | number | boolean>>;
};

/** A receiver of OTLP over HTTP on a free port, which reads protobuf by the published schema. */
export type Collector = {
  /** What `telemetry.traces.endpoint` is. */
  readonly endpoint: string;
  readonly spans: readonly CollectedSpan[];
  /** The header lines of the latest request. */
  readonly headers: Readonly<Record<string, unknown>>;
  /** The spans that match, once there are `count`, now or later. */
  spansOf(matches: (span: CollectedSpan) => boolean, count?: number): Promise<readonly CollectedSpan[]>;
  /** What is answered from now on: a status, or nothing at all. */
  behave(how: number | 'hang'): void;
  close(): Promise<void>;
};

type Value = { stringValue?: string; intValue?: number; doubleValue?: number; boolValue?: boolean };
type Attributes = readonly { key: string; value: Value }[];
type RawSpan = Record<'name' | 'traceId' | 'spanId' | 'parentSpanId' | 'traceState', string> & {
  kind: string;
  attributes: Attributes;
  status: { code: string };
  startTimeUnixNano: string;
  endTimeUnixNano: string;
};
type Request = {
  resourceSpans: { resource: { attributes: Attributes }; scopeSpans: { spans: RawSpan[] }[] }[];
};

const SCHEMA = join(import.meta.dirname, 'schema');
const root = new protobuf.Root();
root.resolvePath = (_origin, target) => join(SCHEMA, target);
root.loadSync('opentelemetry/proto/collector/trace/v1/trace_service.proto');
const Export = root.lookupType('opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest');

const hexOf = (base64: string) => Buffer.from(base64, 'base64').toString('hex');
const plain = (attributes: Attributes) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]!]));

function spansIn(bytes: Buffer): CollectedSpan[] {
  const options = { longs: String, enums: String, bytes: String, defaults: false, arrays: true } as const;
  const { resourceSpans } = Export.toObject(Export.decode(bytes), { ...options, longs: Number }) as Request;
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        name: span.name,
        kind: span.kind === 'SPAN_KIND_SERVER' ? 'server' : 'client',
        traceId: hexOf(span.traceId),
        spanId: hexOf(span.spanId),
        parentSpanId: hexOf((span.parentSpanId as string | undefined) ?? ''),
        traceState: (span.traceState as string | undefined) ?? '',
        ms: (Number(span.endTimeUnixNano) - Number(span.startTimeUnixNano)) / 1e6,
        hasFailed: span.status.code === 'STATUS_CODE_ERROR',
        attributes: plain(span.attributes),
        resource: plain(resource.attributes),
      })),
    ),
  );
}

/** Starts a receiver. */
export async function startCollector(): Promise<Collector> {
  const spans: CollectedSpan[] = [];
  const changes = createCondition();
  let headers: Collector['headers'] = {};
  let how: number | 'hang' = 200;
  const server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      headers = req.headers;
      if (how === 'hang') return;
      if (how === 200) spans.push(...spansIn(Buffer.concat(chunks)));
      res.writeHead(how, { 'Content-Type': 'application/x-protobuf' }).end();
      changes.announce();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`,
    spans,
    get headers() {
      return headers;
    },
    spansOf: (matches, count = 1) =>
      changes.until(() => {
        const found = spans.filter(matches);
        return found.length >= count ? found : undefined;
      }, 60_000),
    behave: (next) => void (how = next),
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
