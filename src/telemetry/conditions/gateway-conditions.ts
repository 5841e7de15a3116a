// The conditions of a gateway itself: its Redis, its answers, its configuration, its cache, its keys and its spans.

import { bucketsOf, shareOf, sumsBy } from '../history/series-sums.ts';
import { quantileMs } from '../history/latency-buckets.ts';
import { callerRefused, keysLost } from './caller-conditions.ts';
import {
  burnRate,
  type GatewayCondition,
  type Find,
  gaugesAbove,
  isJudged,
  label,
  percentText,
  sumAbove,
} from './condition.ts';

/** Fewer answers than this are not judged, because the slowest percent would be a single answer. */
const SLOW_COUNTED_MIN = 100;

/** What happens while the Redis of a role is missing. */
const WITHOUT_REDIS: Readonly<Record<string, string>> = {
  keys: 'keys that are not known yet are answered 503',
  limits: 'each process counts limits alone, and closed tiers are answered 503',
  cache: 'each process keeps its answers alone, and a purge fails',
};

/** The condition that a Redis is in this state. If it is the Redis of keys, the condition is critical. */
const inRedisState = (state: string) => ({
  ...{
    id: `redis_${state}`,
    expr: `max by (role) (portico_redis_state{state="${state}"}) > $above`,
    pages: true,
  },
  find({ gauges }: Parameters<Find>[0], above: number) {
    const roles = gauges('portico_redis_state').flatMap((gauge) =>
      gauge.value > above && label(gauge, 'state') === state ? [label(gauge, 'role')] : [],
    );
    const effects = roles.map((role) => WITHOUT_REDIS[role] ?? role).join('; ');
    const urgency = roles.includes('keys') ? { severity: 'critical' } : {};
    return roles.length === 0 ? [] : [{ roles: roles.join(', '), effects, ...urgency }];
  },
});

/** Finds requests that were refused for one of these reasons; the values explain the reasons in the text. */
const refusedFor = (reasons: Readonly<Record<string, string>>): Pick<GatewayCondition, 'text' | 'find'> => ({
  text: '{count} {request|requests} of the last minute {was|were} refused{why}.',
  find({ grown }, above) {
    const counts = sumsBy(grown, 'refusals', ([reason = '']) => (reason in reasons ? reason : undefined));
    return [...counts].flatMap(([reason, count]) =>
      count > above ? [{ count, why: reasons[reason] ?? '' }] : [],
    );
  },
});

function findSlow(facts: Parameters<Find>[0], above: number) {
  const { grown } = facts;
  return [...sumsBy(grown, 'latency', ([operation]) => operation)].flatMap(([operation, count]) => {
    const buckets = bucketsOf(grown, 'latency', (of) => of === operation);
    return isJudged(facts, count, SLOW_COUNTED_MIN) && (quantileMs(buckets, 0.99) ?? 0) > above * 1_000
      ? [{ operation }]
      : [];
  });
}

function findStaleServed(facts: Parameters<Find>[0], above: number) {
  const results = sumsBy(facts.grown, 'requests', ([, , cache]) => (cache === 'none' ? undefined : cache));
  const looked = [...results.values()].reduce((sum, count) => sum + count, 0);
  const share = shareOf(results.get('stale') ?? 0, looked) ?? 0;
  return isJudged(facts, looked) && share > above ? [{ percent: percentText(share) }] : [];
}

/** The conditions of a gateway as a whole, and of its Redis. */
export const standingConditions: readonly GatewayCondition[] = [
  {
    ...{ id: 'gone', severity: 'critical', entry: 'PorticoGone', lasts: '1m' },
    note: 'Also if discovery finds none: then nothing is down.',
    expr: 'absent(up{job="$job"} == 1)',
    summary: 'No gateway answers on its admin listener.',
  },
  {
    ...{ id: 'down', severity: 'critical', entry: 'PorticoDown', lasts: '1m' },
    expr: 'up{job="$job"} == 0',
    summary: 'A gateway does not answer on its admin listener.',
  },
  {
    ...{ ...inRedisState('lost'), severity: 'warning', entry: 'PorticoRedisLost', lasts: '2m' },
    note: 'The sum over the workers of a gateway: one that has lost it is enough.',
    summary: 'A process of a gateway does not reach the Redis of a role.',
    text: 'The Redis of {roles} is out of reach: {effects}.',
  },
  {
    ...{ ...inRedisState('full'), severity: 'critical', entry: 'PorticoRedisFull', lasts: '2m' },
    note: 'Full until 3 % of its memory are free, so it does not come and go.',
    summary: 'The Redis of a role is full, and takes nothing new.',
    text: 'The Redis of {roles} is full and takes nothing new.',
  },
  {
    ...{ ...inRedisState('refusing'), severity: 'warning', entry: 'PorticoRedisRefusing', lasts: '2m' },
    summary: 'The Redis of a role answers, but takes no writes.',
    text: 'The Redis of {roles} answers, but takes no writes.',
  },
];

/** The conditions of the answers of a gateway: they fail, are slow, or are limited by each process alone. */
export const answerConditions: readonly GatewayCondition[] = [
  {
    ...{ id: 'server_errors', severity: 'critical', entry: 'PorticoServerErrors', lasts: '5m' },
    expr: 'sum by (operation) (rate(portico_requests_total{status="500"}[2m])) > $above',
    summary: 'The gateway itself fails to answer.',
    text: '{count} {answer|answers} of the last minute {is|are} 500: the gateway itself has failed.',
    ...{ view: '#/requests?status=5xx', find: sumAbove('serverErrors') },
  },
  {
    ...{ id: 'slow', severity: 'warning', entry: 'PorticoSlow', above: 1, unit: 'seconds', lasts: '5m' },
    expr: 'histogram_quantile(0.99, sum by (operation, le) (rate(portico_request_duration_seconds_bucket[2m]))) > $above and sum by (operation) (increase(portico_request_duration_seconds_count[30m])) >= 20',
    summary: 'At least one answer in a hundred takes more than $above.',
    text: 'At least one answer in a hundred of {operation} in the last minute took more than $above.',
    ...{ view: '#/requests', find: findSlow },
  },
  {
    ...{ id: 'limits_alone', severity: 'warning', entry: 'PorticoLimiterAlone', lasts: '5m', pages: true },
    note: 'A gateway without a Redis for its limits counts alone by design, and has no such gauge.',
    expr: 'sum by (instance) (rate(portico_limiter_decisions_total{by="local"}[2m])) > $above and on (instance) portico_redis_connected{role="limits"}',
    summary: 'A gateway that has a Redis for its limits counts them alone.',
    text: '{count} {limit|limits} of the last minute {was|were} counted by each process alone, so a caller may use them once for each.',
    find(facts, above) {
      const isShared = facts.gauges('portico_redis_state').some((gauge) => label(gauge, 'role') === 'limits');
      return isShared ? sumAbove('limitsAlone')(facts, above) : [];
    },
  },
];

/** The conditions that requests are refused, such as for overload or because their credentials cannot be checked. */
export const refusalConditions: readonly GatewayCondition[] = [
  {
    ...{ id: 'shedding', severity: 'critical', entry: 'PorticoOverloaded', lasts: '5m' },
    expr: 'sum by (operation, reason) (rate(portico_overload_refusals_total[2m])) > $above',
    summary: 'Requests are refused because there is more work than can be done.',
    ...refusedFor({
      event_loop: ' with 503, because the gateway has more work than it can do',
      in_flight: ' with 503, because too many of their operation are under way',
    }),
  },
  {
    ...{ id: 'limiter_unavailable', severity: 'critical', entry: 'PorticoLimiterUnavailable', lasts: '1m' },
    expr: burnRate('tier', 'portico_limiter_decisions_total', 'by="unavailable"').replaceAll(
      '$above',
      '0.05',
    ),
    summary: 'Callers of a tier are refused because Redis cannot be asked.',
    ...refusedFor({ limiter_unavailable: ', because Redis cannot be asked for their limits' }),
  },
  {
    ...{ id: 'credentials_unavailable', severity: 'critical', entry: 'PorticoCredentialsUnavailable' },
    lasts: '1m',
    expr: burnRate('job', 'portico_credentials_total', 'outcome="unavailable"').replaceAll('$above', '0.05'),
    summary: 'Credentials cannot be checked.',
    ...refusedFor({ credential_unavailable: ', because their credential cannot be checked' }),
  },
  keysLost,
  {
    ...{ id: 'issuer_lost', severity: 'critical', entry: 'PorticoIssuerLost', lasts: '2m' },
    expr: 'max by (job) (portico_issuer_lost) > $above',
    summary:
      'The key set of the token issuer cannot be read; tokens are checked by the last one while that is good.',
    text: 'The key set of the token issuer cannot be read: the last one serves while it is good, and then tokens get 503.',
    find: gaugesAbove('portico_issuer_lost'),
  },
  callerRefused,
  {
    ...{ id: 'guessing', severity: 'warning', entry: 'PorticoGuessing', lasts: '5m', view: '#/callers' },
    expr: 'sum(rate(portico_credentials_total{outcome="limited"}[2m])) > $above',
    summary: 'More wrong credentials are tried than may be.',
    ...refusedFor({
      credential_limited: ', because somebody tries wrong credentials again and again',
    }),
  },
];

/** The condition that API keys expire soon. */
export const keysExpiring: GatewayCondition & { readonly above: number } = {
  ...{ id: 'keys_expiring', severity: 'info', entry: 'PorticoKeysExpiring', above: 14, unit: 'days' },
  ...{ webhook: 'key.expiring', lasts: '10m', view: '#/callers' },
  // The gauge counts the keys that expire within the threshold, so a single key is enough for the alert.
  expr: 'max by (kept) (portico_keys_expiring) > 0',
  summary: 'An API key ends within $above.',
  text: '{count} API {key ends|keys end} within $above.',
  find({ gauges }) {
    const count = gauges('portico_keys_expiring').reduce((sum, { value }) => sum + value, 0);
    return count > 0 ? [{ count }] : [];
  },
};

/** The conditions of configuration, cache, spans and keys, which mostly do not affect answers yet. */
export const backgroundConditions: readonly GatewayCondition[] = [
  {
    ...{ id: 'config_stale', severity: 'warning', entry: 'PorticoConfigStale', lasts: '1m' },
    expr: 'portico_config_stale > $above',
    summary: 'The files of a gateway were refused, so it serves an older configuration.',
    text: 'The files of the configuration were refused, so an older configuration is in force.',
    ...{ webhook: 'config.refused', view: '#/config' },
    find: ({ stale }) => (stale === undefined ? [] : [{}]),
  },
  {
    ...{ id: 'config_differs', severity: 'warning', entry: 'PorticoConfigDiffers', above: 1, lasts: '5m' },
    note: 'Longer than a change takes to reach every replica.',
    expr: 'count by (job) (count by (job, digest) (portico_config_info)) > $above',
    summary: 'Replicas serve different configurations.',
    text: 'The processes of this gateway serve {size} different configurations, with the digests {digests}.',
    next: 'it ends once all serve the same one',
    todo: 'Bring the same files and variables to all replicas, and reload those that lag; portico config of each shows its digest.',
    ...{ command: 'portico config diff --with <another replica>', view: '#/config' },
    find({ gauges }, above) {
      const served = gauges('portico_config_info').filter(({ value }) => value > 0);
      const digests = [...new Set(served.map((gauge) => label(gauge, 'digest')))].sort();
      return digests.length > above ? [{ size: digests.length, digests: digests.join(', ') }] : [];
    },
  },
  {
    ...{ id: 'cache_failing', severity: 'warning', entry: 'PorticoCacheFailing', lasts: '5m' },
    expr: 'sum by (level, result) (rate(portico_cache_events_total{level="redis",result=~"failed|damaged"}[2m])) > $above',
    summary: 'The shared cache fails, or holds what Portico did not put there.',
    text: 'The shared cache failed {count} {time|times} in the last minute, or holds what Portico did not put there.',
    view: '#/cache',
    find: sumAbove(
      'cache',
      ([level, result]) => level === 'redis' && (result === 'failed' || result === 'damaged'),
    ),
  },
  {
    ...{ id: 'spans_lost', severity: 'info', entry: 'PorticoSpansLost', lasts: '5m' },
    expr: 'sum by (instance, outcome) (rate(portico_spans_total{outcome=~"failed|dropped"}[3m])) > $above',
    summary: 'Spans do not reach the collector; requests are not affected.',
    text: '{count} {span|spans} of the last minute did not reach the collector; requests are not affected.',
    find: sumAbove('spansLost'),
  },
  keysExpiring,
  {
    // Not 0, because some stale answers are usual.
    ...{ id: 'stale_served', severity: 'info', entry: 'upstream_timeout', above: 0.1, unit: 'share' },
    text: '{percent} of the answers from the cache in the last minute were stale: their source is late or fails.',
    ...{ view: '#/cache', find: findStaleServed },
  },
];
