import {
  collectDefaultMetrics,
  Counter,
  Gauge,
  type MetricObjectWithValues,
  type MetricValue,
  Registry,
} from 'prom-client';
import { type CompressionMetrics, createCompressionMetrics } from './compression-metrics.ts';
import { describeMetrics, type MetricDescription } from './describe-metrics.ts';
import { createRedisMetrics, type RedisMetrics } from './redis-metrics.ts';
import { createResilienceMetrics, type ResilienceMetrics } from './resilience-metrics.ts';
import { createCounter, createTimedCounter } from './counters.ts';

/** What the gateway counts. Label values come from the configuration and from the code, never from a request. */
export type Metrics = RedisMetrics &
  CompressionMetrics &
  ResilienceMetrics & {
    /** A finished exchange; `operation` is `none` for what is not one of the known ones. */
    readonly request: (operation: string, status: number, cache: string, seconds: number) => void;
    /** One exchange more under way, or one less. */
    readonly inFlight: (change: 1 | -1) => void;
    /** A request that was refused because there is more to do than can be done, and what told so. */
    readonly overloaded: (operation: string, reason: string) => void;
    /** One call to a source's upstream, with how it ended. */
    readonly upstreamCall: (source: string, outcome: string, seconds: number) => void;
    /** A decision of the rate limit: what was decided, and by which store. */
    readonly limiterDecision: (tier: string, outcome: string, by: string) => void;
    /** A credential that was looked at: its kind, and what it was found to be. */
    readonly credential: (kind: string, outcome: string) => void;
    /** A look into one level of the cache, or something else that happened there. */
    readonly cacheEvent: (level: string, result: string) => void;
    /** Records of a source's replies, and how many of them were left out for want of an id. */
    readonly records: (
      source: string,
      resource: string,
      view: string,
      received: number,
      dropped: number,
    ) => void;
    /** A value of a source's field that is missing, or not what the contract promises. */
    readonly unreadableField: (source: string, field: string, reason: string) => void;
    /** A reply that could not be used, and why. */
    readonly invalidReply: (source: string, resource: string, reason: string) => void;
    /** A claim of a source's file that a reply contradicted. */
    readonly guardTrip: (source: string, resource: string, rule: string) => void;
    /** Everything counted, in the Prometheus text format. */
    readonly text: () => Promise<string>;
    /** The same as values, to be merged with those of other processes. */
    readonly values: () => Promise<readonly MetricObjectWithValues<MetricValue<string>>[]>;
    /** The media type of `text`. */
    readonly contentType: string;
    /** Portico's own metrics, for the documents. */
    readonly describe: () => readonly MetricDescription[];
  };

/** What the labels may say, and what is said about the build. */
export type MetricsDeps = {
  /** The names of all endpoints. */
  readonly operations: readonly string[];
  readonly version: string;
  readonly nodeVersion: string;
  /** How many lines of the log were given up so far; absent: none. */
  readonly droppedLogLines?: (() => number) | undefined;
};

/** From a cache hit on a busy machine to the longest deadline that makes sense. */
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** Makes the gateway's metrics in a registry of their own, beside those of the process. */
export function createMetrics(deps: MetricsDeps): Metrics {
  const { operations, version, nodeVersion, droppedLogLines = () => 0 } = deps;
  const registry = new Registry();
  const known = new Set(operations);
  collectDefaultMetrics({ register: registry });

  const timed = (name: string, help: string, durationHelp: string, labelNames: readonly string[]) =>
    createTimedCounter(registry, { name: `portico_${name}`, help, durationHelp, labelNames }, SECONDS);
  const counted = (name: string, help: string, labelNames: readonly string[]) =>
    createCounter(registry, { name, help, labelNames });

  const requests = timed(
    'request',
    'Requests that were answered; operation "none" is a request to no known route.',
    'Seconds from a request to the end of its answer.',
    ['operation', 'status', 'cache'],
  );
  const calls = timed(
    'upstream_call',
    'Calls to sources that ended, by what the reply meant.',
    'Seconds that a call to a source took.',
    ['source', 'outcome'],
  );
  const decisions = counted(
    'portico_limiter_decisions_total',
    'Decisions of the rate limiter, and the store that decided; would_refuse is a refusal of a dryRun tier.',
    ['tier', 'outcome', 'by'],
  );
  const credentials = counted(
    'portico_credentials_total',
    'Credentials that were checked, and what the check found.',
    ['kind', 'outcome'],
  );
  const cacheEvents = counted(
    'portico_cache_events_total',
    'Look-ups and writes of each cache level: hit, stale, miss, stored, failed, damaged.',
    ['level', 'result'],
  );
  const view = ['source', 'resource', 'view'];
  const records = counted('portico_records_total', 'Records in the replies of sources.', view);
  const dropped = counted(
    'portico_dropped_records_total',
    'Records that were left out because they have no usable id.',
    view,
  );
  const unreadable = counted(
    'portico_unreadable_fields_total',
    'Fields that became null because the value was missing or unreadable.',
    ['source', 'field', 'reason'],
  );
  const invalid = counted(
    'portico_invalid_replies_total',
    'Replies of sources that could not be used, and why.',
    ['source', 'resource', 'reason'],
  );
  const trips = counted('portico_guard_trips_total', 'Claims of a source file that a reply contradicted.', [
    'source',
    'resource',
    'rule',
  ]);
  const overloads = counted(
    'portico_overload_refusals_total',
    'Requests refused with 503 overloaded: event_loop, they would have waited too long; in_flight, too many of the operation.',
    ['operation', 'reason'],
  );
  let inFlight = 0;
  new Gauge({
    name: 'portico_requests_in_flight',
    help: 'Requests in flight: received, and not answered yet.',
    registers: [registry],
    collect() {
      this.set(inFlight);
    },
  });
  new Counter({
    name: 'portico_log_lines_dropped_total',
    help: 'Log lines that were dropped because the log was not read fast enough.',
    registers: [registry],
    collect() {
      this.reset();
      this.inc(droppedLogLines());
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

  return {
    ...createRedisMetrics(registry),
    ...createResilienceMetrics(registry),
    ...createCompressionMetrics(registry),
    request(operation, status, cache, seconds) {
      requests(known.has(operation) ? operation : 'none', String(status), cache).add(seconds);
    },
    inFlight: (change) => void (inFlight += change),
    overloaded: (operation, reason) => overloads(operation, reason).add(),
    upstreamCall: (source, outcome, seconds) => calls(source, outcome).add(seconds),
    limiterDecision: (tier, outcome, by) => decisions(tier, outcome, by).add(),
    credential: (kind, outcome) => credentials(kind, outcome).add(),
    cacheEvent: (level, result) => cacheEvents(level, result).add(),
    records(source, resource, kind, received, left) {
      records(source, resource, kind).add(received);
      if (left > 0) dropped(source, resource, kind).add(left);
    },
    unreadableField: (source, field, reason) => unreadable(source, field, reason).add(),
    invalidReply: (source, resource, reason) => invalid(source, resource, reason).add(),
    guardTrip: (source, resource, rule) => trips(source, resource, rule).add(),
    text: () => registry.metrics(),
    values: () => registry.getMetricsAsJSON(),
    contentType: registry.contentType,
    describe: () => describeMetrics(registry),
  };
}
