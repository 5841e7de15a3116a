// The actions that read metrics, for the console: the overview, one source, the cache, and how they were over time.

import { parseDuration } from '../../kernel/duration.ts';
import type { ResourceQuality } from '../../pipeline/quality.ts';
import { type MetricSampler, MINUTE_MS, POINT_MS } from '../../telemetry/history/metric-sampler.ts';
import type { SeriesTable, TableRange } from '../../telemetry/history/series-ring.ts';
import { ActionRefusal } from '../api/action.ts';
import type { ActionInput } from '../api/action-table.ts';
import {
  compileCacheView,
  compileQualityTrend,
  sourceViewOf,
  type Counts,
  chartSeries,
  totalsOfTable,
} from '../views/metric-views.ts';
import type { ScopedIncidents } from '../../telemetry/incidents/fleet-incidents.ts';
import type { OverviewStatus } from '../views/overview.ts';
import type { ServedSource, SourceDescription } from '../views/served-source.ts';
import type { createFleetOverview } from './fleet-overview.ts';
import { type ActionHandlers, refuseIfRedisFails } from './act.ts';

/** What the actions that read metrics need. The functions are called anew for each request, so the actions survive a reload. */
export type MetricActionsDeps = {
  readonly sampler: MetricSampler;
  /** The part of an overview that does not come from metrics. */
  readonly status: () => OverviewStatus;
  /** What the files say of a source. */
  readonly describe: (source: ServedSource) => SourceDescription;
  readonly quality: () => readonly ResourceQuality[] | Promise<readonly ResourceQuality[]>;
  /** The most bytes of the local level of the cache, of all processes. */
  readonly cacheBytesMax: () => number;
  readonly fleet: ReturnType<typeof createFleetOverview>;
  /** Absent: there is no Redis for the cache. */
  readonly readFleet?: ReadFleet | undefined;
  /** What is wrong, read anew for a question. */
  readonly incidents: () => Promise<ScopedIncidents>;
};

/** Reads the series of the fleet whose names begin with one of the prefixes. Rejects if Redis fails. */
export type ReadFleet = (range: TableRange, prefixes: readonly string[]) => Promise<SeriesTable>;

type HistoryInput = ActionInput<'metrics.history'>;

const HOUR_MS = 3_600_000;
/** How far back a view may go; its counts are kept `pointMs` apart, and shown `stepMs` apart by default. */
const SPANS = {
  '1h': { spanMs: HOUR_MS, pointMs: POINT_MS, stepMs: POINT_MS },
  '48h': { spanMs: 48 * HOUR_MS, pointMs: MINUTE_MS, stepMs: 10 * MINUTE_MS },
} as const;
/** More data points than these would make an answer large and slow. */
const POINTS_MAX = 2_880;

/** The time series that a view over time shows, by the beginnings of their names; label values come after them. */
const SERIES = ['requests|', 'latency|', 'refusals|', 'calls|', 'failures|', 'callLatency|', 'events|'];

const iso = (ms: number) => new Date(ms).toISOString();

function rangeOf({ span = '1h', step }: Pick<HistoryInput, 'span' | 'step'>, atMs: number): TableRange {
  const { spanMs, pointMs, stepMs } = SPANS[span];
  const asked = step === undefined ? stepMs : (parseDuration(step) ?? 0);
  if (asked < pointMs || asked % pointMs !== 0 || asked > spanMs || spanMs / asked > POINTS_MAX) {
    const hint = `a step is a multiple of ${pointMs / 1_000}s and at most ${span}`;
    throw new ActionRefusal('bad_input', `${span} is not kept in steps of ${step ?? ''}`, hint);
  }
  return { fromMs: atMs - spanMs + asked, toMs: atMs, stepMs: asked };
}

/** Reads time series: the last hour from memory, 48 hours from Redis if there is one. */
function createHistoryReader({ sampler, status, readFleet }: MetricActionsDeps) {
  return async function read(input: Pick<HistoryInput, 'span' | 'step'>, prefixes: readonly string[]) {
    const { at } = await sampler.now();
    const range = rangeOf(input, at);
    const isWanted = (key: string) => prefixes.some((prefix) => key.startsWith(prefix));
    if (input.span !== '48h' || readFleet === undefined) {
      const since = Math.max(sampler.since, at - HOUR_MS);
      return { scope: status().scope, since: iso(since), table: sampler.read(range, isWanted) };
    }
    const table = await refuseIfRedisFails('cache', () => readFleet(range, prefixes));
    const first = table.at[table.isCounted.indexOf(true)];
    return { scope: 'fleet' as const, since: iso(first ?? at), table };
  };
}

/** Creates the actions that read metrics. */
export function createMetricActions(deps: MetricActionsDeps) {
  const { sampler, status, describe, quality, cacheBytesMax, fleet, incidents } = deps;
  const read = createHistoryReader(deps);

  function sourceNamed(name: string): ServedSource {
    const { sources } = status();
    const found = sources.find((source) => source.name === name);
    if (found !== undefined) return found;
    const names = sources.map((source) => source.name).join(', ');
    throw new ActionRefusal('not_found', `no source is named ${name}`, `sources: ${names}`);
  }

  /** The counts since the start and those of the last hour; `head`: which processes the answer covers, and its times. */
  async function countsOf(prefixes: readonly string[]) {
    const { scope, table } = await read({}, prefixes);
    const sample = await sampler.now();
    const counts: Counts = { total: sample.counters, lastHour: totalsOfTable(table) };
    return { counts, sample, head: { scope, at: iso(sample.at), since: iso(sampler.since) } };
  }

  return {
    overview: ({ process }) => fleet.overview(incidents(), process),
    callers: () => fleet.callers(),
    async 'metrics.history'({ source: name, ...input }) {
      const source = name === undefined ? undefined : sourceNamed(name);
      const { scope, since, table } = await read(input, SERIES);
      return { scope, since, stepMs: table.stepMs, at: table.at, series: chartSeries(table, source) };
    },
    async source({ name }) {
      const source = sourceNamed(name);
      const { counts, sample, head } = await countsOf(['calls|', 'failures|', 'rules|', 'events|', 'hosts|']);
      return { ...head, ...sourceViewOf(source, describe(source), sample, counts, await quality()) };
    },
    async cache() {
      const { counts, sample, head } = await countsOf(['requests|', 'cache|']);
      return { ...head, ...compileCacheView(counts, sample, cacheBytesMax()) };
    },
    async quality({ span }) {
      const step = span === '48h' ? undefined : '1m';
      const { scope, since, table } = await read({ span, step }, ['fields|']);
      const trend = { scope, since, stepMs: table.stepMs, at: table.at, fields: compileQualityTrend(table) };
      return { sources: await quality(), trend };
    },
  } satisfies ActionHandlers;
}
