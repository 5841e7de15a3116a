// Builds the answers of the actions that read metrics: charts, `source`, `cache` and the trend of the quality.

import { isFieldAlarm } from '../../source/adapter/spec/capability.ts';
import type { ResourceQuality } from '../../pipeline/quality.ts';
import type { MetricsSnapshot, SeriesCounts } from '../../telemetry/history/metric-sample.ts';
import type { SeriesTable } from '../../telemetry/history/series-ring.ts';
import type { ActionValue } from '../api/action-table.ts';
import {
  hitShareOf,
  type LabelFilter,
  latencySeries,
  seriesBy,
  sumOf,
  sumsBy,
} from '../../telemetry/history/series-sums.ts';
import { breakerOf, loadOf } from './overview.ts';
import type { ServedSource, SourceDescription } from './served-source.ts';

type Counted = { readonly total: number; readonly lastHour: number };

const NOTHING_COUNTED: Counted = { total: 0, lastHour: 0 };

/** The counts since the start, and what the last hour added. */
export type Counts = { readonly total: SeriesCounts; readonly lastHour: SeriesCounts };

/** The sums of a table's columns. */
export function totalsOfTable({ columns }: SeriesTable): SeriesCounts {
  return new Map([...columns].map(([key, counts]) => [key, counts.reduce((sum, count) => sum + count, 0)]));
}

function countedBy(
  { total, lastHour }: Counts,
  family: string,
  nameOf: (labels: readonly string[]) => string | undefined,
): Record<string, Counted> {
  const added = sumsBy(lastHour, family, nameOf);
  const all = [...sumsBy(total, family, nameOf)];
  return Object.fromEntries(all.map(([name, sum]) => [name, { total: sum, lastHour: added.get(name) ?? 0 }]));
}

/** The time series of everything that is served, or of one source. */
export function chartSeries(table: SeriesTable, source: ServedSource | undefined) {
  const isServed = (operation: string) => source?.operations.includes(operation) ?? true;
  const isAsked = (name: string) => source === undefined || source.name === name;
  const requests = (label: number) =>
    seriesBy(table, 'requests', (labels) => (isServed(labels[0] ?? '') ? labels[label] : undefined));
  const ofSources = (family: string) =>
    seriesBy(table, family, ([name = '', what]) => (isAsked(name) ? what : undefined));
  return {
    requests: { byStatusClass: requests(1), byCache: requests(2) },
    latency: latencySeries(table, 'latency', isServed),
    refusals: { byReason: source === undefined ? seriesBy(table, 'refusals', ([reason]) => reason) : {} },
    calls: { byOutcome: ofSources('calls'), byFailure: ofSources('failures') },
    callLatency: latencySeries(table, 'callLatency', isAsked),
    events: { byEvent: ofSources('events') },
  };
}

/** The invalid replies of a source, and the claims of its file that replies contradicted. */
function repliesOf(name: string, reports: readonly ResourceQuality[], { gauges }: MetricsSnapshot) {
  const own = reports.filter(({ source }) => source === name);
  const disabled = new Set(
    gauges('portico_claims_fallen').flatMap(({ labels, value }) =>
      value > 0 && labels['source'] === name ? [`${labels['resource']} ${labels['claim']}`] : [],
    ),
  );
  return {
    invalidReplies: own.flatMap(({ resource, invalidReplies }) =>
      invalidReplies.map((invalid) => ({ resource, ...invalid })),
    ),
    claims: own.flatMap(({ resource, contradicted }) =>
      contradicted.map(({ claim, file, line, at }) => ({
        ...{ resource, claim, file, at },
        ...(line === undefined ? {} : { line }),
        isDisabled: isFieldAlarm(claim) || disabled.has(`${resource} ${claim}`),
      })),
    ),
  };
}

/** The scan caches of a source in memory, and when the oldest began to be read. */
function scanCachesOf(name: string, { at, gauges }: MetricsSnapshot): ActionValue<'source'>['scanCaches'] {
  const ofSource = (gauge: string) => gauges(gauge).filter(({ labels }) => labels['source'] === name);
  const oldest = ofSource('portico_scan_caches_oldest_seconds');
  return ofSource('portico_scan_caches').map(({ labels: { resource }, value: count }) => {
    const seconds = oldest.find(({ labels }) => labels['resource'] === resource)?.value ?? 0;
    const oldestAt = count === 0 ? null : new Date(Math.round(at - seconds * 1_000)).toISOString();
    return { resource: String(resource), count, oldestAt };
  });
}

/** The answer of `source`; metric-actions.ts adds which processes it covers, and its times. */
export function sourceViewOf(
  source: ServedSource,
  { hosts, rules, ...description }: SourceDescription,
  sample: MetricsSnapshot,
  counts: Counts,
  reports: readonly ResourceQuality[],
): Omit<ActionValue<'source'>, 'scope' | 'at' | 'since'> {
  const { name } = source;
  const ofSource = (family: string) =>
    countedBy(counts, family, ([of, what]) => (of === name ? what : undefined));
  const eventsOf = (host: string) =>
    countedBy(counts, 'hosts', ([of, at, event]) => (of === name && at === host ? event : undefined));
  const replies = countedBy(counts, 'rules', ([of, rule, is]) => (of === name ? `${rule} ${is}` : undefined));
  return {
    ...source,
    breaker: breakerOf(sample, name),
    ...loadOf(sample, name),
    ...description,
    hosts: hosts.map((host) => ({ name: host, events: eventsOf(host) })),
    outcomes: ofSource('calls'),
    failures: ofSource('failures'),
    rules: rules.map((one) => ({ ...one, replies: replies[`${one.rule} ${one.is}`] ?? NOTHING_COUNTED })),
    events: ofSource('events'),
    ...repliesOf(name, reports, sample),
    scanCaches: scanCachesOf(name, sample),
  };
}

/** The answer of `cache`; metric-actions.ts adds which processes it covers, and its times. */
export function compileCacheView(counts: Counts, sample: MetricsSnapshot, bytesMax: number) {
  const namesOf = (family: string) => [...sumsBy(counts.total, family, ([name]) => name).keys()].sort();
  const gaugeOf = (name: string) => sample.gauges(name).reduce((sum, { value }) => sum + value, 0);
  return {
    operations: namesOf('requests').flatMap((operation) => {
      // Operations that never look into the cache are left out.
      const isCached: LabelFilter = ([name, , cache]) => name === operation && cache !== 'none';
      if (sumOf(counts.total, 'requests', isCached) === 0) return [];
      const resultOf = ([name, , cache]: readonly string[]) => (name === operation ? cache : undefined);
      const results = countedBy(counts, 'requests', resultOf);
      return [{ operation, results, hitShare: hitShareOf(sumsBy(counts.lastHour, 'requests', resultOf)) }];
    }),
    levels: namesOf('cache').map((level) => ({
      level,
      results: countedBy(counts, 'cache', ([of, result]) => (of === level ? result : undefined)),
    })),
    local: {
      bytes: gaugeOf('portico_cache_local_bytes'),
      bytesMax,
      entries: gaugeOf('portico_cache_local_entries'),
    },
  };
}

/** The time series of fields that became null. */
export function compileQualityTrend(table: SeriesTable) {
  const series = seriesBy(table, 'fields', (labels) => labels.join('|'));
  return Object.entries(series).map(([name, counts]) => {
    const [source = '', field = '', reason = ''] = name.split('|');
    return { source, field, reason, counts };
  });
}
