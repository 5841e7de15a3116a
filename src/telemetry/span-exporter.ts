// Exports spans to an OpenTelemetry collector in the background, so that a slow or missing collector affects no request.

import { createRequire } from 'node:module';
import type * as otelApi from '@opentelemetry/api';
import type * as otlpExporter from '@opentelemetry/exporter-trace-otlp-proto';
import type * as traceSdk from '@opentelemetry/sdk-trace';
import type { Logger } from 'pino';
import type { TracesConfig } from '../config/schema/telemetry.ts';
import { compileReadableSpan } from './readable-span.ts';
import type { Tracing } from './tracing.ts';

/** Loads a package of OpenTelemetry. Only a gateway that exports spans needs these; others start faster without them. */
type LoadPackage = (name: string) => unknown;

/** What tracing needs. `load` loads the packages of OpenTelemetry. */
export type TracingDeps = {
  readonly version: string;
  readonly log: Pick<Logger, 'warn'>;
  readonly load?: LoadPackage;
};

const PACKAGES = [
  '@opentelemetry/api',
  '@opentelemetry/sdk-trace',
  '@opentelemetry/exporter-trace-otlp-proto',
];

type Packages = [typeof otelApi, typeof traceSdk, typeof otlpExporter];

const BATCH_MAX = 512;
/** How often queued spans are sent. */
const BATCH_MS = 2_000;
/** How long the gateway waits for the collector when it stops. */
const CLOSE_MS = 2_000;
/** How often the log says at most that the collector fails. */
const WARN_MS = 60_000;

// Not imported at the top of the file, because a gateway that exports no spans runs without these packages.
const loadPackage: LoadPackage = createRequire(import.meta.url);

/** Loads all packages. @throws Error with the command that installs the missing packages */
function loadAll(load: LoadPackage): Packages {
  try {
    return PACKAGES.map((name) => load(name)) as Packages;
  } catch (cause) {
    const problem = cause instanceof Error ? cause.message : String(cause);
    throw new Error(
      `telemetry.traces needs packages that are not installed; install them, or remove telemetry.traces:\n  npm install ${PACKAGES.join(' ')}\n(${problem})`,
      { cause },
    );
  }
}

/** Counts spans, and logs failures of the collector, at most once a minute. */
function createSpanCounter(log: TracingDeps['log']) {
  const counts = { exported: 0, dropped: 0, failed: 0 };
  /** Spans that are queued or on their way. */
  let waiting = 0;
  let warnedAt = -Infinity;
  return {
    counts,
    /** Reserves a place in the queue; false if it is full. Dropped spans are counted here, because the SDK does not count them. */
    take(max: number): boolean {
      if (waiting >= max) {
        counts.dropped += 1;
        return false;
      }
      waiting += 1;
      return true;
    },
    leave(spans: number, error: Error | undefined): void {
      waiting -= spans;
      counts[error === undefined ? 'exported' : 'failed'] += spans;
      const now = performance.now();
      if (error === undefined || now - warnedAt < WARN_MS) return;
      warnedAt = now;
      const { failed, dropped } = counts;
      log.warn(
        { failed, dropped, problem: error.message },
        'spans cannot be sent to telemetry.traces.endpoint; requests are not affected',
      );
    },
  };
}

/** Wraps an exporter so that it reports each batch: the number of spans, and the error if it failed. */
function watchExporter(
  exporter: traceSdk.SpanExporter,
  onResult: (spans: number, error: Error | undefined) => void,
): traceSdk.SpanExporter {
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        onResult(spans.length, result.error);
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
  };
}

function exporterOf(config: TracesConfig, { OTLPTraceExporter }: typeof otlpExporter): traceSdk.SpanExporter {
  const headers = Object.entries(config.headers).map(([name, value]) => [name, value.reveal()]);
  const ca = config.tls?.ca;
  return new OTLPTraceExporter({
    url: config.endpoint,
    headers: Object.fromEntries(headers) as Record<string, string>,
    timeoutMillis: config.timeout,
    ...(ca !== undefined && { httpAgentOptions: { ca } }),
  });
}

/**
 * Creates the export of spans by OTLP over HTTP, as protobuf. A bounded queue is sent in batches in the background. Without a
 * configuration the result is `undefined`. @throws Error if the packages of OpenTelemetry are missing
 */
export function createTracing(
  config: TracesConfig | undefined,
  { version, log, load = loadPackage }: TracingDeps,
): Tracing | undefined {
  if (config === undefined) return undefined;
  const { ratio, service, queueMax, timeout } = config;
  const [api, { BatchSpanProcessor }, otlp] = loadAll(load);
  const spans = createSpanCounter(log);
  const batches = new BatchSpanProcessor({
    exporter: watchExporter(exporterOf(config, otlp), (count, error) => spans.leave(count, error)),
    maxQueueSize: queueMax,
    maxExportBatchSize: Math.min(BATCH_MAX, queueMax),
    scheduledDelayMillis: BATCH_MS,
    exportTimeoutMillis: timeout + 1_000,
  });
  const readable = compileReadableSpan(api, { service, version });
  return {
    ratio,
    record(span) {
      if (spans.take(queueMax)) batches.onEnd(readable(span));
    },
    counts: () => spans.counts,
    async close() {
      let timer: NodeJS.Timeout | undefined;
      const tooLate = new Promise((resolve) => (timer = setTimeout(resolve, CLOSE_MS)));
      await Promise.race([batches.shutdown().catch(() => undefined), tooLate]);
      clearTimeout(timer);
    },
  };
}
