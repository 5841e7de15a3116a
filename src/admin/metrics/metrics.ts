// Creates all metrics of a gateway, which `/metrics` of the operator's listener shows. The files beside it have those of one
// subject each.

import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client';
import {
  createEventCounter,
  createTimedCounter,
  declareSeries,
  type KnownSeries,
  describeMetrics,
  type MetricPlace,
  registerGauge,
} from '../../telemetry/metrics/metric-factories.ts';
import { createComparisonMetrics } from '../../telemetry/metrics/comparison-metrics.ts';
import { createCredentialMetrics } from './credential-metrics.ts';
import { createConfigMetrics } from '../../telemetry/metrics/config-metrics.ts';
import { createJudgeMetrics } from '../../telemetry/metrics/judge-metrics.ts';
import { createMigrationMetrics } from '../../telemetry/metrics/migration-metrics.ts';
import { createSourceMetrics } from './source-metrics.ts';
import { createStoreMetrics } from './store-metrics.ts';
import { type MetricsJson, sampledMetrics } from '../../telemetry/history/metric-sample.ts';
import { DURATION_BOUNDS_SECONDS } from '../../telemetry/history/latency-buckets.ts';
import type { Tracing } from '../../telemetry/tracing.ts';
import { createWebhookMetrics } from '../../telemetry/webhooks/webhook-metrics.ts';

/** The gateway's metrics. Label values come from the configuration and from the code, never from a request. */
export type Metrics = ReturnType<typeof createMetrics>;

/** The label values that are known in advance, and the build. */
export type MetricsDeps = {
  /** The names of all endpoints. */
  readonly operations: readonly string[];
  readonly version: string;
  readonly nodeVersion: string;
  /** The number of dropped log lines so far; absent: none. */
  readonly droppedLogLines?: (() => number) | undefined;
  /** What became of spans; absent: tracing is off. */
  readonly tracing?: Pick<Tracing, 'counts'> | undefined;
};

const NO_SPANS = { exported: 0, dropped: 0, failed: 0 };

let ofProcess: Registry | undefined;

/**
 * A registry with the metrics of the process, too. All gateways of a process share those, because prom-client never stops to
 * observe a process for a registry, and would keep each gateway in memory.
 */
function withProcess(own: Registry): Registry {
  if (ofProcess === undefined) {
    ofProcess = new Registry();
    collectDefaultMetrics({ register: ofProcess });
  }
  return Registry.merge([ofProcess, own]);
}

/** Creates the gateway's metrics in a registry of its own; what is read of them has those of the process, too. */
export function createMetrics(deps: MetricsDeps) {
  const registry = new Registry();
  const place: MetricPlace = { registry, counters: new Map() };
  const operations = new Set(deps.operations);
  const requests = createTimedCounter(place, {
    name: 'portico_request',
    help: 'Requests that were answered; operation "none" is a request to no known route.',
    durationHelp: 'Seconds from a request to the end of its answer.',
    labelNames: ['operation', 'status', 'cache'],
    bounds: DURATION_BOUNDS_SECONDS,
  });
  let answered = 0;
  return {
    /** The metrics of the gateway alone. */
    registry,
    /** How many requests were counted so far. */
    answered: () => answered,
    /** Counts a finished request; an unknown `operation` becomes `none`. */
    request(operation: string, status: number, cache: string, seconds: number) {
      answered += 1;
      requests(operations.has(operation) ? operation : 'none', String(status), cache).add(seconds);
    },
    overloaded: createEventCounter(place, {
      name: 'portico_overload_refusals_total',
      help: 'Requests refused with 503 overloaded: event_loop, they would have waited too long; in_flight, too many of the operation.',
      labelNames: ['operation', 'reason'],
    }),
    limiterDecision: createEventCounter(place, {
      name: 'portico_limiter_decisions_total',
      help: 'Decisions of the rate limiter, and the store that decided; would_refuse is a refusal of a dryRun tier.',
      labelNames: ['tier', 'outcome', 'by'],
    }),
    credential: createEventCounter(place, {
      name: 'portico_credentials_total',
      help: 'Credentials that were checked, and what the check found.',
      labelNames: ['kind', 'outcome'],
    }),
    /**
     * Adds the endpoints of a configuration. Earlier endpoints and their series stay, because a counter must not
     * fall, and the last requests of a removed route are still to be counted and read.
     */
    knowEndpoints(names: readonly string[]) {
      for (const name of names) operations.add(name);
    },
    ...createProcessMetrics(registry, deps),
    ...createConfigMetrics(registry),
    ...createSourceMetrics(place, DURATION_BOUNDS_SECONDS),
    ...createStoreMetrics(place),
    ...createCredentialMetrics(place),
    ...createMigrationMetrics(place),
    ...createComparisonMetrics(place, DURATION_BOUNDS_SECONDS),
    ...createJudgeMetrics(place),
    ...createWebhookMetrics(registry),
    /** Creates series with the value 0 before their first event. */
    declare: (series: KnownSeries) => declareSeries(place, series),
    /** All metrics in the Prometheus text format. */
    text: () => withProcess(registry).metrics(),
    /** All metrics as values, to be merged with those of other processes. */
    values: () => withProcess(registry).getMetricsAsJSON(),
    /** The metrics whose history is sampled. Those of the process are left out: they take longer to read than all others. */
    async sampled(): Promise<MetricsJson> {
      const found = sampledMetrics.flatMap((name) => registry.getSingleMetric(name) ?? []);
      return Promise.all(found.map((metric) => metric.get()));
    },
    contentType: registry.contentType,
    /** Portico's own metrics, for the documents. */
    describe: () => describeMetrics(registry),
  };
}

/** Registers the metrics of the process as a whole. */
function createProcessMetrics(
  registry: Registry,
  { version, nodeVersion, droppedLogLines = () => 0, tracing }: MetricsDeps,
) {
  let inFlight = 0;
  const help = 'Requests in flight: received, and not answered yet.';
  registerGauge(
    { registry },
    { name: 'portico_requests_in_flight', help, labelNames: [], read: () => [[[], inFlight]] },
  );
  new Counter({
    name: 'portico_log_lines_dropped_total',
    help: 'Log lines that were dropped because the log was not read fast enough.',
    registers: [registry],
    collect() {
      this.reset();
      this.inc(droppedLogLines());
    },
  });
  new Counter({
    name: 'portico_spans_total',
    help: 'Spans for telemetry.traces: exported; dropped, the queue was full; failed, the collector was not reached or refused them.',
    labelNames: ['outcome'],
    registers: [registry],
    collect() {
      this.reset();
      const { exported, dropped, failed } = tracing?.counts() ?? NO_SPANS;
      this.inc({ outcome: 'exported' }, exported);
      this.inc({ outcome: 'dropped' }, dropped);
      this.inc({ outcome: 'failed' }, failed);
    },
  });
  new Gauge({
    name: 'portico_build_info',
    help: 'Always 1; the labels are the versions of Portico and of Node.',
    labelNames: ['version', 'node'],
    registers: [registry],
  })
    .labels(version, nodeVersion)
    .set(1);
  return { inFlight: (change: 1 | -1) => void (inFlight += change) };
}
