import type { LengthCase } from './fault-lengths.ts';

const from = 'instance="a",job="portico"';

/** A gauge that is 0 while nothing is wrong. */
const state = (alert: string, series: string, value = 1, firesBy = 3): LengthCase => ({
  ...{ alert, kind: 'state', firesBy },
  series: [[series.replace('}', `,${from}}`), 0, value]],
});

/** Some of what a counter counts is wrong; the rest goes on. */
const counted = (alert: string, series: string, firesBy: number, well?: string): LengthCase => ({
  ...{ alert, kind: 'counted', firesBy },
  series: [
    [series.replace('}', `,${from}}`), 0, 30],
    ...(well === undefined ? [] : [[well.replace('}', `,${from}}`), 150, 100] as const]),
  ],
});

const up = (instance: string) => `up{job="portico",instance="${instance}"}`;
const digest = (name: string, instance: string) =>
  `portico_config_info{digest="${name}",job="portico",instance="${instance}"}`;
const duration = (le: string) =>
  `portico_request_duration_seconds_bucket{le="${le}",operation="users.list",${from}}`;
const requests = (status: string) =>
  `portico_requests_total{operation="users.list",status="${status}",cache="miss"}`;
const limits = (by: string) =>
  `portico_limiter_decisions_total{tier="partner",by="${by}",outcome="${by === 'redis' ? 'admitted' : 'refused'}"}`;

/** A fault for each alert on what lasts. */
export const lengthCases: readonly LengthCase[] = [
  {
    ...{ alert: 'PorticoGone', kind: 'state', firesBy: 2 },
    series: [
      [up('a'), 1, undefined],
      [up('b'), 1, 0],
    ],
  },
  {
    ...{ alert: 'PorticoDown', kind: 'state', firesBy: 2 },
    series: [
      [up('a'), 1, 0],
      [up('b'), 1, 1],
    ],
  },
  ...['lost', 'full', 'refusing'].map((is) =>
    state(
      `PorticoRedis${is.charAt(0).toUpperCase()}${is.slice(1)}`,
      `portico_redis_state{role="keys",state="${is}"}`,
    ),
  ),
  state('PorticoSourceNotAsked', 'portico_breaker_state{source="crm"}', 2),
  state('PorticoUpstreamFailing', 'portico_source_failed_share{source="crm"}', 0.4),
  state('PorticoKeysLost', 'portico_keys_lost{pid="1"}', 3),
  state('PorticoIssuerLost', 'portico_issuer_lost{pid="1"}'),
  state(
    'PorticoFieldLost',
    'portico_source_field_alarm{source="crm",resource="users",field="email",kind="gone"}',
  ),
  state('PorticoSourceDrift', 'portico_claims_fallen{source="crm",resource="users",claim="order"}'),
  state('PorticoConfigStale', 'portico_config_stale{pid="1"}'),
  state('PorticoMigrationStale', 'portico_migration_stale_seconds{pid="1"}', 60),
  state('PorticoMigrationReady', 'portico_migration_gate_ready{resource="users"}', 1, 6),
  {
    ...state('PorticoCallerRefused', 'portico_caller_refused_share{caller="a",name="A"}', 0.5, 11),
    minutes: 13,
  },
  { ...state('PorticoKeysExpiring', 'portico_keys_expiring{kept="redis"}', 1, 11), minutes: 13 },
  {
    ...{ alert: 'PorticoMigrationBehind', kind: 'state', firesBy: 2 },
    series: [
      [`portico_migration_rev{resource="users",${from}}`, 7, 8],
      ['portico_migration_rev{resource="users",job="portico",instance="b"}', 7, 7],
    ],
  },
  {
    ...{ alert: 'PorticoConfigDiffers', kind: 'state', firesBy: 6 },
    series: [
      [digest('one', 'a'), 1, 1],
      [digest('one', 'b'), 1, undefined],
      [digest('other', 'b'), undefined, 1],
    ],
  },
  counted('PorticoAnswersFailing', requests('502'), 9, requests('200')),
  counted('PorticoServerErrors', requests('500'), 6, requests('200')),
  counted('PorticoLimiterUnavailable', limits('unavailable'), 9, limits('redis')),
  counted(
    'PorticoCredentialsUnavailable',
    'portico_credentials_total{kind="unknown",outcome="unavailable"}',
    9,
    'portico_credentials_total{kind="key",outcome="accepted"}',
  ),
  {
    ...{ alert: 'PorticoSlow', kind: 'counted', firesBy: 7 },
    series: [
      [duration('1'), 100, 90],
      [duration('2.5'), 100, 100],
      [duration('+Inf'), 100, 100],
      [`portico_request_duration_seconds_count{operation="users.list",${from}}`, 100, 100],
    ],
  },
  {
    ...{ alert: 'PorticoLimiterAlone', kind: 'counted', firesBy: 7 },
    series: [
      [`portico_limiter_decisions_total{tier="partner",by="local",outcome="admitted",${from}}`, 0, 30],
      [`portico_redis_connected{role="limits",${from}}`, 1, 0],
    ],
  },
  counted(
    'PorticoOverloaded',
    'portico_overload_refusals_total{operation="users.list",reason="in_flight"}',
    7,
  ),
  counted(
    'PorticoRepliesInvalid',
    'portico_invalid_replies_total{source="crm",resource="users",reason="rows"}',
    7,
  ),
  counted('PorticoGuessing', 'portico_credentials_total{kind="unknown",outcome="limited"}', 7),
  counted('PorticoCacheFailing', 'portico_cache_events_total{level="redis",result="failed"}', 7),
  counted('PorticoSpansLost', 'portico_spans_total{outcome="dropped"}', 7),
  counted(
    'PorticoMigrationFallback',
    'portico_migration_fallback_total{resource="users",operation="users.get",cause="timeout"}',
    7,
  ),
];

/** Alerts on what has happened once and does not pass by itself, so a short fault raises them as well. */
export const toldAtOnce: readonly string[] = [
  'PorticoMigrationTransient',
  'PorticoMigrationStopped',
  'PorticoMigrationDiffers',
  'PorticoMigrationRevRegressed',
  'PorticoWebhooksDead',
];

/** What is no fault: a service of whose records a few have no id, and one call that a closed tier refuses. */
export const silentCases: readonly LengthCase['series'][] = [
  [
    [`portico_dropped_records_total{source="crm",resource="users",view="list",${from}}`, 1, 1],
    [`portico_records_total{source="crm",resource="users",view="list",${from}}`, 100, 100],
  ],
  [
    [limits('redis').replace('}', `,${from}}`), 10, 10],
    [limits('unavailable').replace('}', `,${from}}`), 0, 0.05],
  ],
];
