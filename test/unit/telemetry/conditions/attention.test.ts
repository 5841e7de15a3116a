import { readFileSync } from 'node:fs';
import { findConditions } from '../../../../src/telemetry/conditions/conditions.ts';

type Gauge = readonly [name: string, labels: Readonly<Record<string, string>>, value: number];

const NOW = Date.UTC(2026, 0, 31, 3, 10, 0);

/** What is found of some gauges, and of what a minute has counted. */
function found(
  gauges: readonly Gauge[],
  grown: Readonly<Record<string, number>> = {},
  lastHour: Readonly<Record<string, number>> = {},
  stale?: { since: string; why: string },
  latest = grown,
) {
  return findConditions({
    now: NOW,
    gauges: (name) => gauges.filter(([of]) => of === name).map(([, labels, value]) => ({ labels, value })),
    grown: new Map(Object.entries(grown)),
    latest: new Map(Object.entries(latest)),
    lastHour: new Map(Object.entries(lastHour)),
    stale,
  }).map(({ item }) => item);
}

/** What a gateway says of a caller that limits refused for the first time a minute ago, and for the last time so long ago. */
function refusedGauges(caller: string, name: string, lastMs: number, share = 0.4): readonly Gauge[] {
  const gauge = (of: string, value: number): Gauge => [`portico_caller_${of}`, { caller, name }, value];
  return [
    gauge('refused_share', share),
    gauge('refused_since_seconds', (NOW - 60_000) / 1_000),
    gauge('refused_last_seconds', (NOW - lastMs) / 1_000),
    gauge('refused_requests', 30),
    gauge('sent_requests', 100),
  ];
}

/** Everything at its worst. */
const WORST = found(
  [
    ['portico_redis_state', { role: 'keys', state: 'lost' }, 2],
    ['portico_redis_state', { role: 'limits', state: 'refusing' }, 1],
    ['portico_redis_state', { role: 'cache', state: 'full' }, 1],
    ['portico_breaker_state', { source: 'crm' }, 2],
    ['portico_breaker_state', { source: 'catalog' }, 1],
    ['portico_source_load', { source: 'crm', state: 'in_flight' }, 8],
    ['portico_source_load', { source: 'crm', state: 'allowed' }, 8],
    ['portico_source_load', { source: 'crm', state: 'waiting' }, 3],
    ['portico_claims_fallen', { source: 'crm', resource: 'users', claim: 'sort.name.asc' }, 1],
    ['portico_claims_fallen', { source: 'crm', resource: 'users', claim: 'total' }, 1],
    ['portico_source_field_alarm', { source: 'crm', resource: 'users', field: 'email', kind: 'gone' }, 1],
    ['portico_migration_breaker_open', { resource: 'users' }, 1],
    ['portico_migration_transient_exceeded', { resource: 'users', operation: 'users.get' }, 1],
    ['portico_migration_hold', { resource: 'users', by: 'judge' }, 1],
    ['portico_migration_hold', { resource: 'products', by: 'operator' }, 1],
    ['portico_migration_stale_seconds', {}, 31],
    ['portico_migration_gate_ready', { resource: 'users' }, 1],
    ['portico_config_info', { digest: 'one' }, 2],
    ['portico_config_info', { digest: 'other' }, 1],
    ['portico_issuer_lost', {}, 1],
    ...refusedGauges('billing', 'Billing', 10_000),
    ['portico_keys_lost', {}, 3],
    ['portico_keys_expiring', { kept: 'redis' }, 1],
    ['portico_keys_expiring', { kept: 'configuration' }, 2],
  ],
  {
    'requests|users.list|2xx|stale': 40,
    'requests|users.list|2xx|hit': 40,
    'requests|users.list|5xx|miss': 20,
    'calls|crm|2xx': 90,
    'calls|crm|5xx': 6,
    'calls|crm|upstream_timeout': 4,
    'calls|crm|cancelled': 1_000,
    'failures|crm|error': 6,
    'failures|crm|timeout': 4,
    'refusals|event_loop': 1,
    'refusals|in_flight': 2,
    'refusals|limiter_unavailable': 3,
    'refusals|credential_unavailable': 4,
    'refusals|credential_limited': 5,
    'refusals|rate_limit': 6,
    'cache|redis|failed': 7,
    'serverErrors|users.list': 1,
    // All above the last bound.
    'latency|users.list|14': 100,
    'limitsAlone|standard': 9,
    'invalidReplies|crm|users': 2,
    'fallbacks|users': 12,
    'spansLost|failed': 10,
  },
  {
    ...{ 'differences|users|users.get': 11, 'differences|users|users.list': 1 },
    ...{ 'regressions|users': 1, 'webhooks|dead|hooks.example': 8 },
  },
  { since: '2026-03-01T00:00:00.000Z', why: 'a problem' },
);

describe('what needs attention', () => {
  it('is nothing while all is well, whatever is counted', () => {
    const well: Gauge[] = [
      ['portico_redis_state', { role: 'keys', state: 'ready' }, 2],
      ['portico_redis_state', { role: 'keys', state: 'lost' }, 0],
      ['portico_breaker_state', { source: 'crm' }, 0],
      ['portico_source_load', { source: 'crm', state: 'in_flight' }, 8],
      ['portico_source_load', { source: 'crm', state: 'allowed' }, 8],
      ['portico_source_load', { source: 'crm', state: 'waiting' }, 0],
      ['portico_migration_hold', { resource: 'users', by: 'judge' }, 0],
      ['portico_migration_stale_seconds', {}, 2],
      ['portico_migration_gate_ready', { resource: 'users' }, 0],
      ['portico_config_info', { digest: 'one' }, 2],
      ['portico_config_info', { digest: 'before' }, 0],
      ['portico_keys_expiring', { kept: 'redis' }, 0],
      ['portico_keys_lost', {}, 0],
    ];
    const counts = { 'requests|users.list|2xx|hit': 900, 'calls|crm|2xx': 100, 'calls|crm|5xx': 5 };
    expect(found(well, { ...counts, 'refusals|rate_limit': 50, 'refusals|credential_refused': 9 })).toEqual(
      [],
    );
  });

  it('names each trouble in words, the most urgent first', () => {
    expect(WORST.map(({ severity, code, text }) => `${severity} ${code}: ${text}`)).toEqual([
      'critical redis_lost: The Redis of keys is out of reach: keys that are not known yet are answered 503.',
      'critical redis_full: The Redis of cache is full and takes nothing new.',
      'critical breaker_open: crm fails so often that its breaker keeps calls back.',
      'critical breaker_half_open: catalog fails so often that its breaker keeps calls back.',
      'critical field_lost: Many users of crm no longer have email: callers get null.',
      'critical migration_breaker: The new source of users fails: 1 process serves it from the legacy source.',
      'critical migration_transient: Answers of the new source of users.get differ once, more often than writes explain.',
      'critical migration_stopped: The judge has stopped the migration of users.',
      'critical migration_stale: The state of migrations could not be read anew for 31 s.',
      'critical server_errors: 1 answer of the last minute is 500: the gateway itself has failed.',
      'critical migration_lost: Redis had lost the last changes of the migration of users; the gateway has put them back.',
      'critical shedding: 1 request of the last minute was refused with 503, because the gateway has more work than it can do.',
      'critical shedding: 2 requests of the last minute were refused with 503, because too many of their operation are under way.',
      'critical limiter_unavailable: 3 requests of the last minute were refused, because Redis cannot be asked for their limits.',
      'critical credentials_unavailable: 4 requests of the last minute were refused, because their credential cannot be checked.',
      'critical keys_lost: The Redis of keys has lost its data: 3 keys that this gateway knew are refused as unknown.',
      'critical issuer_lost: The key set of the token issuer cannot be read: the last one serves while it is good, and then tokens get 503.',
      'critical errors: 20 % of the answers of the last minute are errors of the gateway or of a service behind it.',
      'warning redis_refusing: The Redis of limits answers, but takes no writes.',
      'warning saturated: 3 calls wait for crm: all 8 that may be under way are.',
      'warning claims_fallen: crm has contradicted its file (users sort.name.asc, users total): answers are computed without it, which costs more calls.',
      'warning slow: At least one answer in a hundred of users.list in the last minute took more than a second.',
      'warning limits_alone: 9 limits of the last minute were counted by each process alone, so a caller may use them once for each.',
      'warning replies_invalid: 2 replies of crm in the last minute cannot be made into records.',
      'warning migration_differs: 12 differences between both sources of users in the last hour.',
      'warning migration_fallback: 12 requests for the new source of users in the last minute were served by the legacy one.',
      'warning webhooks_dead: 8 events of the last hour were given up, because hooks.example did not take them.',
      'warning guessing: 5 requests of the last minute were refused, because somebody tries wrong credentials again and again.',
      'warning source_failing: 10 % of the calls to crm in the last minute brought no usable answer; most because it answers that it fails, or breaks off.',
      'warning config_stale: The files of the configuration were refused, so an older configuration is in force.',
      'warning config_differs: The processes of this gateway serve 2 different configurations, with the digests one, other.',
      'warning cache_failing: The shared cache failed 7 times in the last minute, or holds what Portico did not put there.',
      'info migration_held: An operator holds the migration of products.',
      'info migration_ready: The next step of the migration of users may be taken.',
      'info caller_refused: Billing (billing) asks for more than its limits allow: they refused 30 of 100 requests (30 %) since 03:09:00 UTC, as counted up to ten seconds ago; others are not affected.',
      'info spans_lost: 10 spans of the last minute did not reach the collector; requests are not affected.',
      'info keys_expiring: 3 API keys end within 14 days.',
      'info stale_served: 40 % of the answers from the cache in the last minute were stale: their source is late or fails.',
    ]);
  });

  it('says since when limits refuse a caller, what happens by itself, and what to do', () =>
    expect(WORST.find(({ code }) => code === 'caller_refused')).toMatchObject({
      since: '2026-01-31T03:09:00.000Z',
      next: [
        'it gets answers whenever its windows have points again; it ends once limits have refused nothing for 15 seconds, or less than 20 % for a minute',
      ],
      todo: {
        line: 'Tell who sends them to wait for Retry-After. If they need more, give its key a larger tier; if nobody knows the key, portico keys revoke billing.',
        command: 'portico keys update billing --tier <tier>',
      },
      entry: 'PorticoCallerRefused',
      view: '#/requests?status=429&caller=billing',
    }));

  it.each([
    ['anonymous', 'raise the tier limits.anonymousTier'],
    ['jwt:ada', 'auth.jwt.tierClaim'],
  ])('names no command for keys to %s, who has none', (caller, remedy) => {
    const [item] = found(refusedGauges(caller, '', 0));
    expect(item?.todo?.line).toContain(remedy);
    expect(item?.todo?.command).toBe(`portico requests --status 429 --caller ${caller}`);
  });

  it.each([
    ['limits refuse nothing to it for some seconds', 16_000, 0.4],
    ['limits refuse no considerable part any more', 5_000, 0],
  ])('says that a caller was refused, and when that ended, once %s', (_, lastMs, share) => {
    const [item] = found(refusedGauges('billing', 'Billing', lastMs, share));
    const end = new Date(NOW - lastMs).toISOString().slice(11, 19);
    expect(item?.text).toBe(
      `Billing (billing) asks for more than its limits allow: they refused 30 of 100 requests (30 %) from 03:09:00 to ${end} UTC; others are not affected.`,
    );
    expect(item?.next).toEqual(['it has ended, and stays here for ten minutes']);
  });

  it('tells the refusals of a caller for ten minutes after the last one in any process, with the counts of all', () => {
    expect(found(refusedGauges('billing', 'Billing', 600_000, 0))).toHaveLength(1);
    expect(found(refusedGauges('billing', 'Billing', 601_000, 0))).toEqual([]);
  });

  it('names entries that the runbook has', () => {
    const runbook = readFileSync('config/docs/runbook.md', 'utf8');
    const entries = new Set(WORST.map(({ entry }) => entry));
    expect([...entries].filter((entry) => !runbook.includes(`\n### \`${entry}\`\n`))).toEqual([]);
    expect(entries.size).toBeGreaterThan(12);
  });

  it('has a counterpart of every alert, but for those that no gateway can tell of itself', () => {
    const untold = {
      PorticoGone: 'no gateway is there to tell of it',
      PorticoDown: 'a gateway that does not answer shows no console',
      PorticoMigrationBehind:
        'a gateway knows the state that it serves by, and not those of the others; the view of the migration has them',
    };
    const alerts = [...readFileSync('config/alerts.yaml', 'utf8').matchAll(/- alert: (\w+)/g)];
    const told = new Set(WORST.map(({ entry }) => entry));
    expect(alerts.flatMap(([, alert = '']) => (told.has(alert) ? [] : [alert]))).toEqual(Object.keys(untold));
  });

  it('leaves limits that each process counts alone by design, where no Redis is configured for them', () => {
    expect(found([], { 'limitsAlone|standard': 9 })).toEqual([]);
  });

  it.each([
    ['critical', { 'requests|users.list|5xx|miss': 2, 'requests|users.list|2xx|miss': 30 }],
    ['critical', { 'refusals|credential_unavailable': 1 }],
    ['warning', { 'latency|users.list|14': 100 }],
    ['warning', { 'calls|crm|5xx': 20, 'failures|crm|timeout': 20 }],
  ])('is %s only while it goes on: %j', (severity, grown) => {
    const told = (latest: Readonly<Record<string, number>>) => found([], grown, {}, undefined, latest);
    const isSaidOver = expect.stringMatching(/\. It was last seen more than 10 s ago\.$/) as string;
    expect(told(grown)).toMatchObject([
      { severity, text: expect.not.stringContaining('last seen') as string },
    ]);
    expect(told({})).toMatchObject([{ severity: 'info', text: isSaidOver }]);
  });

  it('does not call a part of a few requests or calls a trouble', () => {
    expect(found([], { 'requests|users.list|5xx|miss': 10, 'calls|crm|5xx': 19 })).toEqual([]);
  });
});
