import { parseDuration } from '../../kernel/duration.ts';
import type { ResourceQuality } from '../../pipeline/quality.ts';
import { type FigureSampler, MINUTE_MS, SLOT_MS } from '../../telemetry/figures/figure-sampler.ts';
import { type FigureSample, keyParts } from '../../telemetry/figures/figure-sample.ts';
import type { FigureTable, TableRange } from '../../telemetry/figures/figure-slots.ts';
import { ActionRefusal } from '../api/action.ts';
import type { ActionInput, ActionValue } from '../api/action-table.ts';
import { HOURLY } from '../../telemetry/conditions/condition.ts';
import {
  compileCacheView,
  compileQualityTrend,
  compileSourceView,
  type Counts,
  figureSeries,
  totalsOfTable,
} from '../figures/figure-views.ts';
import { compileOverview, type OverviewStatus } from '../figures/overview.ts';
import type { ServedSource, SourceDescription } from '../figures/served-source.ts';
import type { ActionHandlers } from './act.ts';
import { refuseIfRedisFails } from './redis-refusal.ts';

/**
 * Figures over time are from `sampler` and `readFleet`. The other functions are called anew for each question, so a
 * reload needs no new actions.
 */
export type FigureActionsDeps = {
  readonly sampler: FigureSampler;
  /** What an overview says that no metric does. */
  readonly status: () => OverviewStatus;
  /** What the files say of a source. */
  readonly describe: (source: ServedSource) => SourceDescription;
  readonly quality: () => readonly ResourceQuality[] | Promise<readonly ResourceQuality[]>;
  /** The most bytes of the local level of the cache, of all processes. */
  readonly cacheBytesMax: () => number;
  /** The figures of the fleet; absent: there is no Redis for the cache. */
  readonly readFleet?: ReadFleet | undefined;
};

/** Reads the figures of the fleet that begin with one of the prefixes. Rejects if Redis fails. */
export type ReadFleet = (range: TableRange, prefixes: readonly string[]) => Promise<FigureTable>;

type FiguresInput = ActionInput<'figures'>;

const HOUR_MS = 3_600_000;
const SPANS = {
  '1h': { spanMs: HOUR_MS, slotMs: SLOT_MS, stepMs: SLOT_MS },
  '48h': { spanMs: 48 * HOUR_MS, slotMs: MINUTE_MS, stepMs: 10 * MINUTE_MS },
} as const;
/** More slots than these would make an answer large and slow. */
const SLOTS_MAX = 2_880;

/** The families of figures that a view over time shows. */
const SERIES = ['requests|', 'latency|', 'refusals|', 'calls|', 'callLatency|', 'events|'];

const iso = (ms: number) => new Date(ms).toISOString();

function rangeOf({ span = '1h', step }: Pick<FiguresInput, 'span' | 'step'>, atMs: number): TableRange {
  const { spanMs, slotMs, stepMs } = SPANS[span];
  const asked = step === undefined ? stepMs : (parseDuration(step) ?? 0);
  if (asked < slotMs || asked % slotMs !== 0 || asked > spanMs || spanMs / asked > SLOTS_MAX) {
    const hint = `a step is a multiple of ${slotMs / 1_000}s and at most ${span}`;
    throw new ActionRefusal('bad_input', `${span} is not kept in steps of ${step ?? ''}`, hint);
  }
  return { fromMs: atMs - spanMs + asked, toMs: atMs, stepMs: asked };
}

/** Reads figures over time: the last hour from memory, 48 hours from Redis where there is one. */
function createFigureReader({ sampler, status, readFleet }: FigureActionsDeps) {
  return async function read(
    input: Pick<FiguresInput, 'span' | 'step'>,
    prefixes: readonly string[],
  ): Promise<{
    readonly scope: OverviewStatus['scope'];
    readonly since: string;
    readonly table: FigureTable;
  }> {
    const { at } = await sampler.now();
    const range = rangeOf(input, at);
    const isWanted = (key: string) => prefixes.some((prefix) => key.startsWith(prefix));
    if (input.span !== '48h' || readFleet === undefined) {
      const since = Math.max(sampler.since, at - HOUR_MS);
      return { scope: status().scope, since: iso(since), table: sampler.read(range, isWanted) };
    }
    const table = await refuseIfRedisFails('cache', () => readFleet(range, prefixes));
    const first = table.at[table.isCounted.indexOf(true)];
    return { scope: 'fleet', since: iso(first ?? at), table };
  };
}

/** The overview at the moment of a sample. */
export function overviewOf(
  { sampler, status }: Pick<FigureActionsDeps, 'sampler' | 'status'>,
  sample: FigureSample,
): ActionValue<'overview'> {
  const range = { fromMs: sample.at - HOUR_MS + SLOT_MS, toMs: sample.at, stepMs: SLOT_MS };
  const isHourly = (key: string) => HOURLY.includes(keyParts(key)[0] ?? '');
  const lastHour = totalsOfTable(sampler.read(range, isHourly));
  return compileOverview(sample, { ...sampler.lastMinute(sample), lastHour }, status());
}

/** Creates the actions that read figures. */
export function createFigureActions(deps: FigureActionsDeps) {
  const { sampler, status, describe, quality, cacheBytesMax } = deps;
  const read = createFigureReader(deps);

  function sourceNamed(name: string): ServedSource {
    const { sources } = status();
    const found = sources.find((source) => source.name === name);
    if (found !== undefined) return found;
    const names = sources.map((source) => source.name).join(', ');
    throw new ActionRefusal('not_found', `no source is named ${name}`, `sources: ${names}`);
  }

  /** The counts since the start, of which the last hour is a part, and where they come from. */
  async function countsOf(prefixes: readonly string[]) {
    const { scope, table } = await read({}, prefixes);
    const sample = await sampler.now();
    const counts: Counts = { total: sample.counters, lastHour: totalsOfTable(table) };
    return { counts, sample, head: { scope, at: iso(sample.at), since: iso(sampler.since) } };
  }

  return {
    async overview() {
      return overviewOf(deps, await sampler.now());
    },
    async figures({ source: name, ...input }) {
      const source = name === undefined ? undefined : sourceNamed(name);
      const { scope, since, table } = await read(input, SERIES);
      return { scope, since, stepMs: table.stepMs, at: table.at, series: figureSeries(table, source) };
    },
    async source({ name }) {
      const source = sourceNamed(name);
      const { counts, sample, head } = await countsOf(['calls|', 'rules|', 'events|', 'hosts|']);
      return { ...head, ...compileSourceView(source, describe(source), sample, counts, await quality()) };
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
