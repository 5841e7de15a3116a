import { createMetrics } from '../../../src/admin/metrics/metrics.ts';

describe('the metrics', () => {
  const make = () => createMetrics({ operations: ['users.list'], version: '1', nodeVersion: 'v24' });

  it('count requests by operation, status and cache, with their durations', async () => {
    const metrics = make();
    metrics.request('users.list', 200, 'hit', 0.002);
    metrics.request('users.list', 200, 'hit', 0.2);

    const text = await metrics.text();
    expect(text).toContain('portico_requests_total{operation="users.list",status="200",cache="hit"} 2');
    expect(text).toContain(
      'portico_request_duration_seconds_bucket{le="0.0025",operation="users.list",status="200",cache="hit"} 1',
    );
    expect(text).toContain(
      'portico_request_duration_seconds_count{operation="users.list",status="200",cache="hit"} 2',
    );
  });

  it('show how many requests are in flight', async () => {
    const metrics = make();
    for (const change of [1, 1, -1] as const) metrics.inFlight(change);
    expect(await metrics.text()).toContain('\nportico_requests_in_flight 1\n');
  });

  it('show the breaker of the newest client of a source, whatever an earlier one still says', async () => {
    const metrics = make();
    const state = async () => /^portico_breaker_state\{source="crm"\} (\d)$/m.exec(await metrics.text())?.[1];
    const [replaced, inForce] = [{}, {}];
    metrics.breakerState('crm', 'open', replaced);
    expect(metrics.breakerState('crm', 'closed', inForce)).toBe(true);
    expect(metrics.breakerState('crm', 'open', replaced)).toBe(false);
    expect(await state()).toBe('0');
    metrics.breakerState('crm', undefined, inForce);
    expect(await state()).toBe('2');
    metrics.breakerState('crm', undefined, replaced);
    expect(await state()).toBeUndefined();
  });

  it('never take a label from a request: an unknown operation becomes none', async () => {
    const metrics = make();
    metrics.request('/v1/users/42', 404, 'none', 0.001);

    const text = await metrics.text();
    expect(text).toContain('portico_requests_total{operation="none",status="404",cache="none"} 1');
    expect(text).not.toContain('/v1/users');
  });

  it('count comparisons with their differences by path, and those of too many paths together', async () => {
    const metrics = make();
    const found = { resource: 'users', operation: 'users.get', verdict: 'mismatch' };
    const differAt = (...paths: string[]) =>
      metrics.migrationCompared({ ...found, differences: paths.map((path) => ({ path })) });
    differAt('data.email', 'data.name');
    differAt('data.email');
    for (let field = 0; field < 60; field += 1) differAt(`data.f${field}`);
    metrics.migrationCompared({ ...found, verdict: 'match', differences: [], lagMs: 700 });
    const text = await metrics.text();
    for (const line of [
      'portico_migration_compare_total{resource="users",operation="users.get",verdict="mismatch"} 62',
      'portico_migration_diff_total{resource="users",path_group="data.email"} 2',
      'portico_migration_diff_total{resource="users",path_group="data.name"} 1',
      'portico_migration_diff_total{resource="users",path_group="(other)"} 12',
      'portico_migration_lag_seconds_bucket{le="0.5",resource="users",operation="users.get"} 0',
      'portico_migration_lag_seconds_bucket{le="1",resource="users",operation="users.get"} 1',
    ])
      expect(text).toContain(`${line}\n`);
    expect(text.match(/^portico_migration_diff_total\{/gm)).toHaveLength(51);
  });

  it('tell how long both sources take for callers and for comparisons', async () => {
    const metrics = make();
    metrics.migrationAnswered('users', 'legacy', false, 20);
    metrics.migrationAnswered('users', 'new', true, 200);
    const text = await metrics.text();
    for (const line of [
      'bucket{le="0.025",resource="users",origin="legacy",shadow="false"} 1',
      'bucket{le="0.1",resource="users",origin="new",shadow="true"} 0',
      'count{resource="users",origin="new",shadow="true"} 1',
    ])
      expect(text).toContain(`portico_migration_upstream_seconds_${line}\n`);
  });

  it('count everything else that happens under its own labels', async () => {
    const metrics = make();
    metrics.upstreamCall('crm', 'ok', undefined, 0.1);
    metrics.limiterDecision('standard', 'refused', 'redis');
    metrics.credential('key', 'unknown');
    metrics.cacheEvent('local', 'hit');
    metrics.records('crm', 'users', 'list', 100, 0);
    metrics.records('crm', 'users', 'list', 40, 2);
    metrics.unreadableField('crm', 'users.created_at', 'unreadable');
    metrics.unreadableField('crm', 'users.created_at', 'missing');
    metrics.unreadableField('crm', 'users.created_at', 'unreadable');
    metrics.invalidReply('crm', 'users', 'syntax');
    metrics.guardTrip('crm', 'users', 'order');
    metrics.ruleReplies('crm', 'outcomes[0]', 'ok').add();

    const text = await metrics.text();
    for (const line of [
      'portico_upstream_calls_total{source="crm",outcome="ok",failure=""} 1',
      'portico_upstream_call_duration_seconds_count{source="crm",outcome="ok"} 1',
      'portico_upstream_replies_total{source="crm",rule="outcomes[0]",is="ok"} 1',
      'portico_limiter_decisions_total{tier="standard",outcome="refused",by="redis"} 1',
      'portico_credentials_total{kind="key",outcome="unknown"} 1',
      'portico_cache_events_total{level="local",result="hit"} 1',
      'portico_records_total{source="crm",resource="users",view="list"} 140',
      'portico_dropped_records_total{source="crm",resource="users",view="list"} 2',
      'portico_unreadable_fields_total{source="crm",field="users.created_at",reason="unreadable"} 2',
      'portico_unreadable_fields_total{source="crm",field="users.created_at",reason="missing"} 1',
      'portico_invalid_replies_total{source="crm",resource="users",reason="syntax"} 1',
      'portico_guard_trips_total{source="crm",resource="users",rule="order"} 1',
    ]) {
      expect(text).toContain(line);
    }
  });

  it('read the callers that limits refuse once per scrape, for all gauges about them', async () => {
    const metrics = make();
    let reads = 0;
    metrics.watchRefusedCallers(() => {
      reads += 1;
      return [
        { id: 'a', label: 'Web', share: 0.5, since: reads * 1_000, last: 9_000, limited: 3, requests: 6 },
      ];
    });
    for (const scrape of [1, 2])
      expect([await metrics.text(), reads]).toEqual([
        expect.stringContaining(`portico_caller_refused_since_seconds{caller="a",name="Web"} ${scrape}\n`),
        scrape,
      ]);
  });

  it('of two gateways in one process are apart', async () => {
    const [one, other] = [make(), make()];
    one.cacheEvent('local', 'hit');

    expect(await other.text()).not.toContain('portico_cache_events_total{');
  });
});
