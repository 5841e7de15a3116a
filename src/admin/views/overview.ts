// Builds the answer of the action `overview`, the first view of the console, from a sample of the metrics.

import type { MetricsSnapshot, SeriesCounts } from '../../telemetry/history/metric-sample.ts';
import { quantileMs, quantileUpToMs } from '../../telemetry/history/latency-buckets.ts';
import type { ActionValue } from '../api/action-table.ts';
import type { ConditionFacts } from '../../telemetry/conditions/condition.ts';
import { findConditions } from '../../telemetry/conditions/conditions.ts';
import type { FleetIncident } from '../../telemetry/incidents/fleet-incidents.ts';
import {
  bucketsOf,
  hitShareOf,
  failedCallsBySource,
  type LabelFilter,
  shareOf,
  sumOf,
  sumsBy,
} from '../../telemetry/history/series-sums.ts';
import { attentionOf } from './attention.ts';
import type { ServedSource } from './served-source.ts';

type Overview = Omit<ActionValue<'overview'>, 'gateways'>;

/** The part of an overview that does not come from metrics. */
export type OverviewStatus = Pick<Overview, 'scope' | 'version' | 'processes' | 'draining' | 'config'> & {
  readonly sources: readonly ServedSource[];
};

/** What was counted in the time before a sample. */
type RecentCounts = {
  /** What was counted in the last `overMs`. */
  readonly grown: SeriesCounts;
  /** What was counted in the last ten seconds or a little more. */
  readonly latest: SeriesCounts;
  /** A minute, or less after a start. */
  readonly overMs: number;
  /** What the last hour counted of the time series by which some conditions are judged. */
  readonly lastHour: SeriesCounts;
};

const BREAKERS = ['closed', 'half-open', 'open'] as const;
const REDIS_STATES = ['ready', 'refusing', 'full', 'lost'] as const;

/** The breaker of a source. */
export function breakerOf({ gauges }: MetricsSnapshot, name: string): Overview['sources'][number]['breaker'] {
  const found = gauges('portico_breaker_state').find(({ labels }) => labels['source'] === name);
  return BREAKERS[found?.value ?? 0] ?? 'closed';
}

/** How many calls of a source are under way, how many wait, and how many may be under way. */
export function loadOf({ gauges }: MetricsSnapshot, name: string) {
  const states = gauges('portico_source_load').filter(({ labels }) => labels['source'] === name);
  const of = (state: string) => states.find(({ labels }) => labels['state'] === state)?.value ?? 0;
  return { inFlight: of('in_flight'), waiting: of('waiting'), concurrency: of('allowed') };
}

/** The worst state of the Redis of each role in any process. */
function redisStates({ gauges }: MetricsSnapshot): Overview['redis'] {
  const found = gauges('portico_redis_state').filter(({ value }) => value > 0);
  const byRole = Map.groupBy(found, ({ labels }) => String(labels['role']));
  return [...byRole].map(([role, states]) => {
    const state = REDIS_STATES.findLast((one) => states.some(({ labels }) => labels['state'] === one));
    return { role, state: state ?? 'ready' };
  });
}

function latencyOf(grown: SeriesCounts, family: string, isMeant: (of: string) => boolean) {
  const buckets = bucketsOf(grown, family, isMeant);
  return {
    ...{ p50Ms: quantileMs(buckets, 0.5), p50UpToMs: quantileUpToMs(buckets, 0.5) },
    ...{ p99Ms: quantileMs(buckets, 0.99), p99UpToMs: quantileUpToMs(buckets, 0.99) },
  };
}

/** Counts some requests by what the cache had for them. */
const cacheResults = (grown: SeriesCounts, isMeant: LabelFilter) =>
  sumsBy(grown, 'requests', (labels) => (isMeant(labels) ? labels[2] : undefined));

function totalsOf(grown: SeriesCounts, seconds: number): Overview['totals'] {
  const requests = sumOf(grown, 'requests');
  const errors = sumOf(grown, 'requests', ([, status]) => status === '5xx');
  return {
    requestsPerSecond: requests / seconds,
    errorsShare: shareOf(errors, requests),
    // A refusal is counted at once, but its request only once it is answered, which may be after the minute.
    refusedShare: shareOf(Math.min(requests, sumOf(grown, 'refusals')), requests),
    ...latencyOf(grown, 'latency', () => true),
    hitShare: hitShareOf(cacheResults(grown, () => true)),
  };
}

function sourceOf(
  { name, kind, operations }: ServedSource,
  sample: MetricsSnapshot,
  grown: SeriesCounts,
  seconds: number,
): Overview['sources'][number] {
  const outcomes = sumsBy(grown, 'calls', ([source, outcome]) => (source === name ? outcome : undefined));
  const calls = [...outcomes.values()].reduce((sum, count) => sum + count, 0);
  const { calls: judged = 0, failed = 0, failure } = failedCallsBySource(grown).get(name) ?? {};
  const results = cacheResults(grown, ([operation = '']) => operations.includes(operation));
  const load = loadOf(sample, name);
  return {
    ...{ name, kind, breaker: breakerOf(sample, name) },
    callsPerSecond: calls / seconds,
    ...latencyOf(grown, 'callLatency', (source) => source === name),
    errorShare: shareOf(failed, judged),
    ...(failure === undefined ? {} : { failure }),
    hitShare: hitShareOf(results),
    stalePerSecond: (results.get('stale') ?? 0) / seconds,
    unreadablePerSecond:
      sumOf(grown, 'fields', ([source, , reason]) => source === name && reason === 'unreadable') / seconds,
    ...load,
    utilization: shareOf(Math.min(load.inFlight, load.concurrency), load.concurrency),
  };
}

/** What conditions are judged by at the moment of a sample. */
export const conditionFacts = (
  { at, gauges }: MetricsSnapshot,
  { grown, latest, lastHour }: Pick<RecentCounts, 'grown' | 'latest' | 'lastHour'>,
  { config }: Pick<OverviewStatus, 'config'>,
): ConditionFacts => ({ now: at, gauges, grown, latest, lastHour, stale: config.stale });

/** The overview at the moment of a sample. */
export function compileOverview(
  sample: MetricsSnapshot,
  { overMs, ...counts }: RecentCounts,
  { sources, ...status }: OverviewStatus,
  incidents: readonly FleetIncident[] = [],
): Overview {
  const { grown } = counts;
  const found = findConditions(conditionFacts(sample, counts, status));
  const seconds = Math.max(overMs, 1) / 1_000;
  return {
    ...status,
    at: new Date(sample.at).toISOString(),
    since: new Date(sample.at - overMs).toISOString(),
    redis: redisStates(sample),
    attention: attentionOf(found, incidents, sources),
    overMs: Math.round(overMs),
    totals: totalsOf(grown, seconds),
    sources: sources.map((source) => sourceOf(source, sample, grown, seconds)),
  };
}
