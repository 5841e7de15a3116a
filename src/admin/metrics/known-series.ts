// Lists the series of counters that alerts and boards read, for a configuration. The gateway sets them to 0 when it comes
// into force, because an alert cannot see the first event of a series that did not exist before.

import { countedRules } from '../../source/adapter/read/outcome.ts';
import { sortAndFilterClaims } from '../../source/adapter/spec/capability.ts';
import { type RecordView, viewSpecOf } from '../../source/adapter/map/row-fields.ts';
import type { GatewayConfig } from '../../config/schema/gateway.ts';
import type { CallFailure } from '../../kernel/errors/call-failure.ts';
import { invalidReasons } from '../../kernel/errors/fault.ts';
import { fallbackCauses } from '../../kernel/migration-origin.ts';
import { comparisonVerdicts } from '../../migration/compare/comparison.ts';
import { uncomparedWords } from '../../migration/shadow/uncompared.ts';
import { type CompiledResource, withTargets } from '../../source/compile-sources.ts';
import { redisProfile } from '../../store/redis/redis-profile.ts';
import type { KnownSeries } from '../../telemetry/metrics/metric-factories.ts';

/** The statuses that alerts count. */
const FAILURES = ['500', '502', '503', '504'];
/** The cache results of requests that fail. */
const UNCACHED = ['none', 'miss'];
const VIEWS: readonly RecordView[] = ['list', 'details', 'get'];
/** The outcomes of calls that brought an answer, or that do not show whether the source works. */
const CALL_OUTCOMES = ['2xx', '3xx', '4xx', '5xx', 'cancelled', 'overloaded'];
/** The outcomes of calls that failed, and why. */
const CALL_FAILURES: readonly (readonly [outcome: string, failure: CallFailure])[] = [
  ...(['credential', 'shape', 'outcome', 'limited'] as const).map((why) => ['4xx', why] as const),
  ...[['2xx', 'shape'] as const, ['2xx', 'outcome'] as const, ['5xx', 'error'] as const],
  ['upstream_unavailable', 'unreachable'],
  ['upstream_timeout', 'timeout'],
  ['upstream_error', 'error'],
  ['upstream_invalid_response', 'shape'],
  ['not_sent', 'not_asked'],
  ['not_sent', 'credential'],
];
const SOURCE_EVENTS = [
  ...['breaker_open', 'breaker_half_open', 'breaker_closed'],
  ...['question_breaker_open', 'question_breaker_half_open', 'question_breaker_closed'],
  'retry_sent',
  'retry_over_budget',
];

const ORIGINS = ['legacy', 'new'];
/** The rules by which the judge takes a migration back; `rehearsal` is a failure drill. */
const JUDGED_BY = ['failures', 'difference', 'transient', 'latency', 'rehearsal'];

/** Every combination of one value from each list. */
function combine(...lists: readonly (readonly string[])[]): readonly (readonly string[])[] {
  return lists.reduce<readonly (readonly string[])[]>(
    (all, list) => all.flatMap((values) => list.map((value) => [...values, value])),
    [[]],
  );
}

/** The claims of a source's file on a resource that replies may contradict. */
function claimsOf({ resource, source }: CompiledResource): readonly string[] {
  const spec = source.spec.resources[resource.name];
  if (spec === undefined) return [];
  if (!resource.hasList) return ['get'];
  return [
    'total',
    'window',
    ...(spec.list.order === 'unknown' ? [] : ['order']),
    ...(spec.get === undefined ? [] : ['get']),
    ...sortAndFilterClaims(spec.list),
  ];
}

function seriesOfReplies(compiled: CompiledResource) {
  const { resource, source } = compiled;
  const spec = source.spec.resources[resource.name];
  const views = VIEWS.filter((view) => spec && viewSpecOf(spec, resource, view) !== undefined);
  const fields = ['id', 'total', ...resource.fieldNames].map((field) => `${resource.name}.${field}`);
  const [name, at] = [[source.spec.name], [resource.name]];
  return {
    portico_records_total: combine(name, at, views),
    portico_dropped_records_total: combine(name, at, views),
    portico_unreadable_fields_total: combine(name, fields, ['missing', 'unreadable']),
    portico_invalid_replies_total: combine(name, at, [...invalidReasons, 'other']),
    portico_guard_trips_total: combine(name, at, claimsOf(compiled)),
  };
}

/** The series of the decisions of the limiter. Without Redis, every process counts alone. */
function seriesOfTiers({ limits, redis }: GatewayConfig) {
  const by = redisProfile(redis, 'limits') === undefined ? ['local'] : ['redis', 'local'];
  return Object.entries(limits.tiers).flatMap(([tier, { dryRun, onStoreFailure }]) => {
    const [refused, unavailable] = dryRun ? ['would_refuse', 'would_refuse'] : ['refused', 'unavailable'];
    const decided = combine([tier], ['admitted', refused], by);
    return onStoreFailure === 'closed' ? [...decided, [tier, unavailable, 'unavailable']] : decided;
  });
}

function seriesOfMigration({ resource }: CompiledResource, operations: readonly string[]) {
  const own = operations.filter((operation) => operation.startsWith(`${resource.name}.`));
  const at = [resource.name];
  return {
    portico_migration_requests_total: combine(at, own, ORIGINS),
    portico_migration_rev_regressed_total: combine(at),
    portico_migration_fallback_total: combine(at, own, fallbackCauses),
    portico_migration_overrides_total: combine(at, ORIGINS),
    portico_migration_rollbacks_total: combine(at, JUDGED_BY),
    portico_migration_shadow_total: combine(at, Object.keys(uncomparedWords)),
    portico_migration_rechecks_total: combine(at, ['confirmed', 'gone', 'inconclusive']),
    portico_migration_compare_total: combine(at, own, comparisonVerdicts),
  };
}

/** The series of all of these, by the name of the counter. */
function merged(all: readonly KnownSeries[]): KnownSeries {
  const names = new Set(all.flatMap((one) => Object.keys(one)));
  return Object.fromEntries([...names].map((name) => [name, all.flatMap((one) => one[name] ?? [])]));
}

/**
 * The series of a configuration that alerts and boards use, declared before anything happens. Their number is known, because
 * label values come only from the configuration and the code.
 */
export function knownSeries(
  config: GatewayConfig,
  compiled: readonly CompiledResource[],
  operations: readonly string[],
): KnownSeries {
  const all = withTargets(compiled);
  const replies = all.map(seriesOfReplies);
  const rules = all.flatMap(({ source: { spec } }) =>
    countedRules(spec).map(({ rule, is }) => [spec.name, rule, is]),
  );
  const migrating = compiled
    .filter(({ migration }) => migration !== undefined)
    .map((one) => seriesOfMigration(one, operations));
  const endpoints = [...operations, 'none'];
  const sources = new Set(all.map(({ source }) => source.spec.name));
  const upstreams = [...sources, ...config.passthrough.map(({ name }) => `passthrough.${name}`)];
  const cached = ['hit', 'stale', 'miss'];
  const isShared = redisProfile(config.redis, 'cache') !== undefined;
  return {
    portico_requests_total: combine(endpoints, FAILURES, UNCACHED),
    portico_overload_refusals_total: combine(endpoints, ['event_loop', 'in_flight']),
    portico_limiter_decisions_total: seriesOfTiers(config),
    portico_credentials_total: combine(['unknown'], ['missing', 'refused', 'limited', 'unavailable']),
    portico_compressions_total: combine(['br', 'gzip'], ['made', 'useless', 'failed']),
    portico_cache_events_total: [
      ...combine(['local'], cached),
      ...(isShared ? combine(['redis'], [...cached, 'stored', 'failed', 'damaged']) : []),
    ],
    portico_upstream_calls_total: upstreams.flatMap((name) => [
      ...CALL_OUTCOMES.map((outcome) => [name, outcome, '']),
      ...CALL_FAILURES.map((failed) => [name, ...failed]),
    ]),
    portico_upstream_replies_total: rules,
    portico_source_events_total: combine(upstreams, [...SOURCE_EVENTS, 'paused']),
    ...merged([...replies, ...migrating]),
  };
}
