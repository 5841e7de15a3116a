import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { countedRules } from '../../source/adapter/read/outcome.ts';
import {
  type MetricActionsDeps,
  createMetricActions,
  type ReadFleet,
} from '../../admin/actions/metric-actions.ts';
import type { Act } from '../../admin/actions/act.ts';
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
import type { FleetStates } from '../../store/fleet/fleet-states.ts';
import type { FleetFigures } from '../../store/fleet/fleet-figures.ts';
import type { IncidentLedger } from './incident-ledger.ts';
import { openIncidentDescriber } from './open-incidents.ts';
import type { ServedConfig } from './snapshot.ts';

/** A gateway of one process reads and writes `fleet` itself; the primary of several has a worker do it. */
export type OpenFiguresDeps = Pick<MetricActionsDeps, 'quality'> &
  Pick<FleetOverviewDeps, 'callers'> & {
    /** What people call this gateway. */
    readonly name: string;
    /** The metrics of the gateway, of all its processes. */
    readonly sampled: MetricSamplerDeps['metrics'];
    readonly clock: Clock;
    readonly log: Pick<Logger, 'warn'>;
    /** The configuration in force. */
    readonly served: () => ServedConfig;
    /** The parts of an overview that are neither in the metrics nor in the configuration. */
    readonly status: () => Omit<OverviewStatus, 'sources'>;
    readonly incidents: Pick<IncidentLedger, 'latest' | 'read'>;
    /** Carries out the other actions. */
    readonly act: Act;
    /** Absent: there is no Redis for the cache. */
    readonly fleet?:
      | {
          readonly read: ReadFleet;
          readonly write: NonNullable<MetricSamplerDeps['keepMinute']>;
          readonly states: NonNullable<FleetOverviewDeps['fleet']>;
        }
      | undefined;
  };

const FLEET_MS = 10_000;

/** Reads and writes the figures of the fleet, each within 10 s. */
export function boundedFleetFigures(
  fleet: FleetFigures,
  states: FleetStates,
): NonNullable<OpenFiguresDeps['fleet']> {
  return {
    states,
    read: (range, prefixes) => fleet.read(range, prefixes, AbortSignal.timeout(FLEET_MS)),
    // If Redis does not take a minute, Redis lacks it; memory has it for an hour.
    write: (atMs, figures) => fleet.write(atMs, figures).catch(() => undefined),
  };
}

/** For how long a reading of 48 hours is reused for others who ask for the same. */
const SHARED_MS = 10_000;

/** Reads the figures of the fleet once for all who ask for the same. It does one reading at a time, because 48 hours are many keys. */
function createSharedReads(read: ReadFleet, clock: Clock): ReadFleet {
  const oneByOne = createSerialQueue();
  let last: { readonly key: string; readonly at: number; readonly table: Promise<SeriesTable> } | undefined;
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

/** The outcome rules of a source, with the line of each. */
function rulesOf({ source: { spec, yaml } }: CompiledResource): SourceDescription['rules'] {
  return countedRules(spec).map((rule, index) => {
    if (index === spec.outcomes.length) return rule;
    const { file, line } = yaml.problemAt(['outcomes', index], '');
    return { ...rule, file, ...(line !== undefined && { line }) };
  });
}

/** A source or pass-through route, as its file describes it. */
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
  const onSample = (sample: MetricsSnapshot) => overviews.say(sample);
  const sampler = createMetricSampler({ metrics: sampled, clock, keepMinute: fleet?.write, onSample });
  const fullStatus = () => {
    const { gateway, compiled } = served();
    return { ...status(), sources: servedSources(gateway, compiled) };
  };
  const overviews = createFleetOverview({
    ...{ sampler, clock, callers: of.callers, status: fullStatus, fleet: fleet?.states },
    self: { id: randomUUID(), name: of.name },
  });
  const deps: MetricActionsDeps = {
    ...{ sampler, quality, fleet: overviews },
    status: fullStatus,
    describe: ({ name }) => describeSource(served(), name),
    cacheBytesMax: () => served().gateway.cache.localBytes * status().processes,
    readFleet: fleet && createSharedReads(fleet.read, clock),
    incidents: of.incidents.read,
  };
  const events = createEventStream({
    sampler,
    log,
    tickOf: (sample) => overviews.tick(sample, of.incidents.latest().incidents),
  });
  const incidentActions = createIncidentActions({
    clock,
    known: of.incidents.read,
    describe: openIncidentDescriber({ clock, act: of.act, served }),
    conditions: async () => overviews.conditions(await sampler.now()),
    served: () => fullStatus().sources,
  });
  return {
    actions: { ...createMetricActions(deps), ...incidentActions },
    events,
    start: () => sampler.start(),
    /** Ends all streams and timers. */
    close(): Promise<void> {
      events.end();
      return sampler.close();
    },
  };
}
