// Merges what all gateways on one Redis have counted, so that the console of any of them shows the whole fleet.

import * as z from 'zod';
import type { Clock } from '../../kernel/clock.ts';
import type { DeepReadonly } from '../../kernel/deep-readonly.ts';
import { resultWithin } from '../../kernel/result-within.ts';
import type { Fleet } from '../../store/fleet/fleet.ts';
import { latestStates } from '../../store/fleet/fleet-states.ts';
import {
  callerSnapshot,
  type CallerSnapshot,
  mergeCallers,
  topCallers,
} from '../../telemetry/caller-counts.ts';
import { JUDGED_BY_HOUR } from '../../telemetry/conditions/condition.ts';
import {
  type GaugeValue,
  type MetricsSnapshot,
  sampledMetrics,
  type SeriesCounts,
  seriesNameParts,
} from '../../telemetry/history/metric-sample.ts';
import { type MetricSampler, POINT_MS } from '../../telemetry/history/metric-sampler.ts';
import { aggregatorOf } from '../../telemetry/metrics/aggregators.ts';
import { ActionRefusal } from '../api/action.ts';
import type { ActionValue } from '../api/action-table.ts';
import { scope } from '../api/metric-specs.ts';
import { totalsOfTable } from '../views/metric-views.ts';
import { findConditions } from '../../telemetry/conditions/conditions.ts';
import type { FleetIncident, ScopedIncidents } from '../../telemetry/incidents/fleet-incidents.ts';
import { timeSchema } from '../../telemetry/incidents/incident.ts';
import { compileOverview, conditionFacts, type OverviewStatus } from '../views/overview.ts';
import { callersView } from './caller-actions.ts';

const count = z.number();
const counts = z.array(z.tuple([z.string(), count]));
const labels = z.record(z.string(), z.union([z.string(), z.number()]));
const config = z.object({
  digest: z.string(),
  rev: count,
  stale: z.object({ since: z.string(), why: z.string() }).optional(),
});
/**
 * The state that a gateway writes to Redis for the others. `grown`: what it counted in the last `overMs`; `latest`: in the last
 * ten seconds or a little more, which an older gateway does not say.
 */
const gatewayState = z.object({
  ...{ id: z.string(), name: z.string(), at: timeSchema, overMs: timeSchema },
  status: z.object({ scope, version: z.string(), processes: count, draining: z.boolean(), config }),
  ...{ grown: counts, latest: counts.optional(), lastHour: counts },
  gauges: z.record(z.string(), z.array(z.object({ labels, value: z.number() }))),
  callers: callerSnapshot,
});

type GatewayState = DeepReadonly<z.output<typeof gatewayState>>;

const readState = (value: unknown): GatewayState | undefined =>
  gatewayState.safeParse(value).success ? (value as GatewayState) : undefined;

/** What the overview needs. If `fleet` is absent, there is no Redis, and all numbers are of this gateway. */
export type FleetOverviewDeps = {
  readonly sampler: Pick<MetricSampler, 'now' | 'lastMinute' | 'read'>;
  readonly status: () => OverviewStatus;
  /** This gateway: its unique id, and the name that people see. */
  readonly self: { readonly id: string; readonly name: string };
  readonly callers: () => CallerSnapshot | Promise<CallerSnapshot>;
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
  readonly fleet?: Pick<Fleet, 'writeState' | 'readStates'> | undefined;
};

const HOUR_MS = 3_600_000;
/** How often a gateway writes its state, and how often it reads those of the others, however many people look. */
const WRITE_EVERY_MS = 5_000;
const READ_EVERY_MS = 2_000;
/** How long a person waits for the states of the others; a later answer counts for the next question. */
const READ_MS = 1_500;
/** A gateway that has written no state for longer counts as gone. */
const GONE_MS = 30_000;
/** The most callers in the state of a gateway. */
const CALLERS_MAX = 100;

function sumCounts(all: readonly (readonly (readonly [string, number])[])[]): SeriesCounts {
  const sums = new Map<string, number>();
  for (const [key, count] of all.flat()) sums.set(key, (sums.get(key) ?? 0) + count);
  return sums;
}

/** The values of a gauge of several gateways, put together as those of several workers are. */
function mergeGauges(name: string, states: readonly GatewayState[]): readonly GaugeValue[] {
  const merged = new Map<string, GaugeValue>();
  for (const gauge of states.flatMap(({ gauges }) => gauges[name] ?? [])) {
    const key = JSON.stringify(gauge.labels);
    const before = merged.get(key)?.value;
    const combine = { max: Math.max, min: Math.min, sum: (a: number, b: number) => a + b }[
      aggregatorOf(name)
    ];
    merged.set(key, before === undefined ? gauge : { ...gauge, value: combine(before, gauge.value) });
  }
  return [...merged.values()];
}

const countsOf = (states: readonly GatewayState[]) => ({
  grown: sumCounts(states.map(({ grown }) => grown)),
  latest: sumCounts(states.map(({ grown, latest = grown }) => latest)),
  lastHour: sumCounts(states.map(({ lastHour }) => lastHour)),
  overMs: Math.max(...states.map(({ overMs }) => overMs)),
});

const mergedSample = (states: readonly GatewayState[], sample: MetricsSnapshot) => ({
  ...sample,
  gauges: (name: string) => mergeGauges(name, states),
});

/** The state of this gateway, without its callers. */
function stateOf(
  { sampler, status, self }: FleetOverviewDeps,
  sample: MetricsSnapshot,
): Omit<GatewayState, 'callers'> {
  const range = { fromMs: sample.at - HOUR_MS + POINT_MS, toMs: sample.at, stepMs: POINT_MS };
  const isHourly = (key: string) => JUDGED_BY_HOUR.includes(seriesNameParts(key)[0] ?? '');
  const { grown, latest, overMs } = sampler.lastMinute(sample);
  const { sources: _, ...own } = status();
  const shown = sampledMetrics.map((name) => [name, sample.gauges(name).filter(({ value }) => value !== 0)]);
  return {
    ...self,
    at: sample.at,
    overMs,
    status: own,
    grown: [...grown],
    latest: [...latest],
    lastHour: [...totalsOfTable(sampler.read(range, isHourly))],
    gauges: Object.fromEntries(shown) as GatewayState['gauges'],
  };
}

/** Creates the overview and the list of callers of all gateways on one Redis, or of one of them. */
export function createFleetOverview(deps: FleetOverviewDeps) {
  const { sampler, status, self, callers, clock, fleet } = deps;
  let others: readonly GatewayState[] = [];
  let readAt = -Infinity;
  let writtenAt = -Infinity;

  const ownState = (sample: MetricsSnapshot) => stateOf(deps, sample);

  /** Writes the state of this gateway, so that each gateway can answer for all. */
  async function writeOwnState(sample: MetricsSnapshot): Promise<void> {
    if (fleet === undefined || clock.monotonic() - writtenAt < WRITE_EVERY_MS) return;
    writtenAt = clock.monotonic();
    const all = await callers();
    const shown = { ...all, callers: topCallers(all, CALLERS_MAX) };
    await fleet.writeState(JSON.stringify({ ...ownState(sample), callers: shown }));
  }

  /** Reads the states of the others; there are none while Redis fails, and then this gateway answers for itself alone. */
  async function readOthers(): Promise<void> {
    if (fleet === undefined || clock.monotonic() - readAt < READ_EVERY_MS) return;
    readAt = clock.monotonic();
    const read = fleet.readStates().catch(() => []);
    const found = read.then((texts) => latestStates(texts, readState, ({ id }) => id, clock.now() - GONE_MS));
    const kept = found.then((states) => (others = states.filter(({ id }) => id !== self.id)));
    await resultWithin(READ_MS, kept);
  }

  function compile(
    states: readonly GatewayState[],
    sample: MetricsSnapshot,
    incidents: readonly FleetIncident[],
  ): ActionValue<'overview'> {
    const [first] = states as readonly [GatewayState];
    const processes = states.reduce((sum, one) => sum + one.status.processes, 0);
    const { sources } = status();
    const scope = states.length > 1 ? 'fleet' : first.status.scope;
    const gateways = [...states, ...others.filter((one) => !states.includes(one))].map((one) => one.name);
    return {
      ...compileOverview(
        mergedSample(states, sample),
        countsOf(states),
        { ...first.status, processes, scope, sources },
        incidents,
      ),
      gateways: [...new Set([self.name, ...gateways])].sort(),
    };
  }

  return {
    /** Gets each sample. It never rejects, because the overview has an item for a Redis that fails. */
    say: (sample: MetricsSnapshot) => writeOwnState(sample).catch(() => undefined),
    /** The overview of all gateways from the states that were last read; it starts the next reading without waiting for it. */
    tick(sample: MetricsSnapshot, incidents: readonly FleetIncident[]) {
      void readOthers();
      return compile([ownState(sample) as GatewayState, ...others], sample, incidents);
    },
    /** The overview of all gateways, or of one. @throws ActionRefusal if no gateway has this name */
    async overview(known: Promise<ScopedIncidents>, name?: string) {
      const [sample, { incidents }] = await Promise.all([sampler.now(), known, readOthers()]);
      const all = [ownState(sample) as GatewayState, ...others];
      const chosen = name === undefined ? all : all.filter((one) => one.name === name).slice(0, 1);
      if (chosen.length > 0) return compile(chosen, sample, incidents);
      const names = all.map((one) => one.name).join(', ');
      throw new ActionRefusal('not_found', `no gateway is named ${name ?? ''}`, `gateways: ${names}`);
    },
    /** The conditions that hold in any gateway. */
    async conditions() {
      const [sample] = await Promise.all([sampler.now(), readOthers()]);
      const states = [ownState(sample) as GatewayState, ...others];
      return findConditions(conditionFacts(mergedSample(states, sample), countsOf(states), status()));
    },
    async callers() {
      const [own] = await Promise.all([callers(), readOthers()]);
      const merged = mergeCallers([own, ...others.map((one) => one.callers)]);
      const scope = others.length > 0 ? 'fleet' : status().scope;
      return callersView(merged, scope, clock);
    },
  };
}
