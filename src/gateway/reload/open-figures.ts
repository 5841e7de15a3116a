// Opens everything that shows a gateway's metrics to operators: samples, overview, incidents, and the stream of the console.

import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { countedRules } from '../../source/adapter/read/outcome.ts';
import {
  type MetricActionsDeps,
  createMetricActions,
  type ReadFleet,
} from '../../admin/actions/metric-actions.ts';
import { createFleetOverview, type FleetOverviewDeps } from '../../admin/actions/fleet-overview.ts';
import { createIncidentActions } from '../../admin/actions/incident-actions.ts';
import { createEventStream } from '../../admin/event-stream.ts';
import type { OverviewStatus } from '../../admin/views/overview.ts';
import { servedSources, type SourceDescription } from '../../admin/views/served-source.ts';
import { queryCosts } from '../../pipeline/query-costs.ts';
import type { Clock } from '../../kernel/clock.ts';
import { createSerialQueue } from '../../kernel/semaphore.ts';
import { type CompiledResource, withTargets } from '../../source/compile-sources.ts';
import { type SeriesTable, pointTimes } from '../../telemetry/history/series-ring.ts';
import { createMetricSampler, type MetricSamplerDeps } from '../../telemetry/history/metric-sampler.ts';
import type { MetricsSnapshot } from '../../telemetry/history/metric-sample.ts';
import type { Fleet } from '../../store/fleet/fleet.ts';
import { openIncidents, type OpenIncidentsDeps } from './open-incidents.ts';
import type { ServedConfig } from './snapshot.ts';

/** What the figures need. `served`: the configuration in force. `act`: carries out the other actions. */
export type OpenFiguresDeps = Pick<MetricActionsDeps, 'quality'> &
  Pick<FleetOverviewDeps, 'callers'> &
  Pick<OpenIncidentsDeps, 'tracker' | 'workers' | 'served' | 'act' | 'reloads' | 'tell' | 'fleet'> & {
    /** The name of this gateway, for people. */
    readonly name: string;
    /** Reads the metrics of all processes of the gateway. */
    readonly sampled: MetricSamplerDeps['metrics'];
    readonly clock: Clock;
    readonly log: Pick<Logger, 'warn'>;
    /** The parts of an overview that are neither in the metrics nor in the configuration. */
    readonly status: () => Omit<OverviewStatus, 'sources'>;
  };

/** For how long the figures of 48 hours that were read once are reused for the same question. */
const SHARED_MS = 10_000;

/** Creates the function that reads figures of the fleet once for equal questions, and one at a time, because they are many keys. */
function createSharedReads({ readFigures }: Fleet, clock: Clock): ReadFleet {
  const oneByOne = createSerialQueue();
  let last: { readonly key: string; readonly at: number; readonly table: Promise<SeriesTable> } | undefined;
  async function read(...asked: Parameters<ReadFleet>): Promise<SeriesTable> {
    const table = await readFigures(...asked);
    return { ...table, columns: new Map(table.columns) };
  }
  return function readShared(range, prefixes) {
    const [first] = pointTimes(range);
    const key = [range.stepMs, first, ...prefixes].join();
    const at = clock.monotonic();
    if (last?.key === key && at - last.at < SHARED_MS) return last.table;
    const table = oneByOne(() => read(range, prefixes));
    last = { key, at, table };
    table.catch(() => {
      if (last?.table === table) last = undefined;
    });
    return table;
  };
}

/** The outcome rules of a source, each with its file and line. */
function rulesOf({ source: { spec, yaml } }: CompiledResource): SourceDescription['rules'] {
  return countedRules(spec).map((rule, index) => {
    if (index === spec.outcomes.length) return rule;
    const { file, line } = yaml.problemAt(['outcomes', index], '');
    return { ...rule, file, ...(line !== undefined && { line }) };
  });
}

/** Describes a source or a pass-through route from its file. */
function describeSource({ gateway, compiled }: ServedConfig, name: string): SourceDescription {
  const hostsOf = (bases: readonly string[]) => bases.map((base) => new URL(base).host);
  const own = withTargets(compiled).filter(({ source }) => source.spec.name === name);
  const [first] = own;
  if (first === undefined) {
    const route = gateway.passthrough.find((one) => `passthrough.${one.name}` === name);
    const hosts = route ? hostsOf([route.upstream, ...route.otherUpstreams]) : [];
    return { hosts, rules: [], costs: [] };
  }
  const { net, budget } = first.source.spec;
  const { rows, calls, bytes, time: timeMs, snapshot } = budget;
  return {
    hosts: hostsOf([net.baseUrl, ...net.otherUrls]),
    rules: rulesOf(first),
    budget: { rows, calls, bytes, timeMs, snapshotMs: snapshot * 1_000 },
    costs: own.flatMap((one) => queryCosts(one).map((cost) => ({ resource: one.resource.name, ...cost }))),
  };
}

/** Opens the figures of a gateway; nothing is sampled before `start`. */
export function openFigures({ sampled, clock, log, served, status, quality, fleet, ...of }: OpenFiguresDeps) {
  const sampler = createMetricSampler({
    ...{ metrics: sampled, clock },
    // If Redis fails, the minute is missing there, but the memory of this process has it for an hour.
    keepMinute: fleet && ((atMs, counts) => fleet.writeFigures(atMs, [...counts]).catch(() => undefined)),
    onSample: (sample: MetricsSnapshot) => overviews.say(sample),
  });
  const fullStatus = () => {
    const { gateway, compiled } = served();
    return { ...status(), sources: servedSources(gateway, compiled) };
  };
  const overviews = createFleetOverview({
    ...{ sampler, clock, callers: of.callers, status: fullStatus, fleet },
    self: { id: randomUUID(), name: of.name },
  });
  const incidents = openIncidents({
    ...{ clock, fleet, served, alone: status().scope, config: () => status().config },
    ...{ tracker: of.tracker, workers: of.workers, act: of.act, reloads: of.reloads, tell: of.tell },
  });
  const deps: MetricActionsDeps = {
    ...{ sampler, quality, fleet: overviews },
    status: fullStatus,
    describe: ({ name }) => describeSource(served(), name),
    cacheBytesMax: () => served().gateway.cache.localBytes * status().processes,
    readFleet: fleet && createSharedReads(fleet, clock),
    incidents: incidents.read,
  };
  const events = createEventStream({
    sampler,
    log,
    tickOf: (sample) => overviews.tick(sample, incidents.latest().incidents),
  });
  const incidentActions = createIncidentActions({
    clock,
    known: incidents.read,
    describe: incidents.describe,
    conditions: () => overviews.conditions(),
    served: () => fullStatus().sources,
  });
  return {
    actions: { ...createMetricActions(deps), ...incidentActions },
    events,
    start(): void {
      sampler.start();
      incidents.start();
    },
    /** Ends all streams and timers. */
    close(): Promise<void> {
      events.end();
      incidents.close();
      return sampler.close();
    },
  };
}
