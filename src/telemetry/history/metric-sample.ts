// Makes samples of the metrics: the counters and gauges that the console and the conditions need, under short names of series.

import type { MetricObjectWithValues, MetricValue } from 'prom-client';
import { BUCKETS, DURATION_BOUNDS_SECONDS } from './latency-buckets.ts';

/** Metrics in prom-client's JSON form, of one process or merged from several. */
export type MetricsJson = readonly MetricObjectWithValues<MetricValue<string>>[];

type Labels = Readonly<Record<string, string | number>>;

/** The value of a gauge with some labels at the moment of a sample. */
export type GaugeValue = { readonly labels: Labels; readonly value: number };

/** Counts by the names of their series, either of an interval or since the start of the process. */
export type SeriesCounts = ReadonlyMap<string, number>;

/** A sample: the values of the metrics at one moment. */
export type MetricsSnapshot = {
  /** The moment, in milliseconds since the epoch. */
  readonly at: number;
  /** The counts since the start, by the name of their series. */
  readonly counters: SeriesCounts;
  readonly gauges: (name: string) => readonly GaugeValue[];
};

/** The name of a series: its family, then its labels, such as `calls|crm|2xx`. */
const seriesName = (...parts: readonly (string | number)[]): string => parts.join('|');

/** Splits the name of a series into its family and its labels. */
export const seriesNameParts = (key: string): readonly string[] => key.split('|');

/** Names the series to which a counter with these labels adds: none, one or several. */
type SeriesOf = (label: (name: string) => string) => string | readonly string[];

const refusalReasons: Readonly<Record<string, string>> = {
  'limiter refused': 'rate_limit',
  'limiter unavailable': 'limiter_unavailable',
  'credential missing': 'credential_missing',
  'credential refused': 'credential_refused',
  'credential limited': 'credential_limited',
  'credential unavailable': 'credential_unavailable',
};

function refusal(kind: string, outcome: string): readonly string[] {
  const reason = refusalReasons[`${kind} ${outcome}`];
  return reason === undefined ? [] : [seriesName('refusals', reason)];
}

/** The series with this name if the condition holds, otherwise none. */
const onlyIf = (condition: boolean, ...parts: readonly string[]) => (condition ? [seriesName(...parts)] : []);

/** The series to which each counter adds. */
const COUNTERS: Readonly<Record<string, SeriesOf>> = {
  portico_requests_total: (label) => [
    seriesName('requests', label('operation'), `${label('status').charAt(0)}xx`, label('cache')),
    ...onlyIf(label('status') === '500', 'serverErrors', label('operation')),
  ],
  portico_overload_refusals_total: (label) => seriesName('refusals', label('reason')),
  portico_limiter_decisions_total: (label) => [
    ...refusal('limiter', label('outcome')),
    ...onlyIf(label('by') === 'local', 'limitsAlone', label('tier')),
  ],
  portico_credentials_total: (label) => refusal('credential', label('outcome')),
  portico_upstream_calls_total: (label) => [
    label('outcome') === 'not_sent'
      ? seriesName('unsent', label('source'))
      : seriesName('calls', label('source'), label('outcome')),
    ...onlyIf(label('failure') !== '', 'failures', label('source'), label('failure')),
  ],
  portico_upstream_replies_total: (label) => seriesName('rules', label('source'), label('rule'), label('is')),
  portico_source_events_total: (label) => seriesName('events', label('source'), label('event')),
  portico_host_events_total: (label) => seriesName('hosts', label('source'), label('host'), label('event')),
  portico_cache_events_total: (label) => seriesName('cache', label('level'), label('result')),
  portico_unreadable_fields_total: (label) =>
    seriesName('fields', label('source'), label('field'), label('reason')),
  portico_invalid_replies_total: (label) => seriesName('invalidReplies', label('source'), label('resource')),
  portico_migration_compare_total: (label) =>
    onlyIf(label('verdict') === 'mismatch', 'differences', label('resource'), label('operation')),
  portico_migration_fallback_total: (label) =>
    onlyIf(label('cause') !== 'odd', 'fallbacks', label('resource')),
  portico_migration_rev_regressed_total: (label) => seriesName('regressions', label('resource')),
  portico_spans_total: (label) => onlyIf(label('outcome') !== 'exported', 'spansLost', label('outcome')),
  portico_webhooks_total: (label) => seriesName('webhooks', label('outcome'), label('receiver')),
};

/** The sampled histograms, each with the family of its series and the label that goes into the name of a series. */
const HISTOGRAMS: Readonly<Record<string, readonly [family: string, label: string]>> = {
  portico_request_duration_seconds: ['latency', 'operation'],
  portico_upstream_call_duration_seconds: ['callLatency', 'source'],
};

/** The names of all metrics that a sample needs. The gauges are those that a view or a condition needs. */
export const sampledMetrics: readonly string[] = [
  ...Object.keys(COUNTERS),
  ...Object.keys(HISTOGRAMS),
  'portico_breaker_state',
  'portico_source_failed_share',
  'portico_source_load',
  'portico_scan_caches',
  'portico_scan_caches_oldest_seconds',
  'portico_claims_fallen',
  'portico_source_field_alarm',
  'portico_redis_state',
  'portico_issuer_lost',
  'portico_caller_refused_share',
  'portico_caller_refused_since_seconds',
  'portico_caller_refused_last_seconds',
  'portico_caller_refused_requests',
  'portico_caller_sent_requests',
  'portico_keys_expiring',
  'portico_keys_lost',
  'portico_config_info',
  'portico_migration_gate_ready',
  'portico_migration_breaker_open',
  'portico_migration_transient_exceeded',
  'portico_migration_hold',
  'portico_migration_stale_seconds',
  'portico_cache_local_bytes',
  'portico_cache_local_entries',
];

const textOf = (labels: Labels) => (name: string) => String(labels[name] ?? '');

function addCounter({ name, values }: MetricsJson[number], sums: Map<string, number>): void {
  const seriesOf = COUNTERS[name];
  for (const { labels, value } of values)
    for (const series of [seriesOf?.(textOf(labels as Labels)) ?? []].flat())
      sums.set(series, (sums.get(series) ?? 0) + value);
}

/** Adds the buckets of a histogram. Prometheus counts everything up to a bound; the sums count only between two bounds. */
function addHistogram({ name, values }: MetricsJson[number], sums: Map<string, number>): void {
  const [family = '', label = ''] = HISTOGRAMS[name] ?? [];
  const cumulative = new Map<string, number[]>();
  for (const { labels, value, metricName } of values as readonly MetricWithName[]) {
    if (metricName !== undefined && !metricName.endsWith('_bucket')) continue;
    const upTo = labels['le'];
    if (upTo === undefined) continue;
    const index = upTo === '+Inf' ? BUCKETS - 1 : DURATION_BOUNDS_SECONDS.indexOf(Number(upTo));
    const of = textOf(labels)(label);
    const counts = cumulative.get(of) ?? Array.from({ length: BUCKETS }, () => 0);
    cumulative.set(of, counts);
    if (index >= 0) counts[index] = (counts[index] ?? 0) + value;
  }
  for (const [of, counts] of cumulative)
    counts.forEach((count, index) => {
      const inBucket = count - (counts[index - 1] ?? 0);
      if (inBucket > 0) sums.set(seriesName(family, of, index), inBucket);
    });
}

type MetricWithName = GaugeValue & { readonly metricName?: string };

/** Makes a sample from metrics; `at` is in milliseconds since the epoch. Counters and histograms that nobody needs are skipped. */
export function sampleMetrics(metrics: MetricsJson, at: number): MetricsSnapshot {
  const counters = new Map<string, number>();
  const gauges = new Map<string, readonly GaugeValue[]>();
  for (const metric of metrics) {
    if (metric.name in COUNTERS) addCounter(metric, counters);
    else if (metric.name in HISTOGRAMS) addHistogram(metric, counters);
    else gauges.set(metric.name, metric.values as readonly GaugeValue[]);
  }
  return { at, counters, gauges: (name) => gauges.get(name) ?? [] };
}

/**
 * The counts between two samples, without those that did not grow. A counter may fall, if a process has died before its
 * counts were read; that counts as 0.
 */
export function increments(before: SeriesCounts, after: SeriesCounts): SeriesCounts {
  const grown = new Map<string, number>();
  for (const [key, value] of after) {
    const increment = value - (before.get(key) ?? 0);
    if (increment > 0) grown.set(key, increment);
  }
  return grown;
}
