import type { ResourceQuality } from '../../../../src/pipeline/quality.ts';
import { createMetrics } from '../../../../src/admin/metrics/metrics.ts';
import { cumulativeMetrics, mergeMetrics } from '../../../../src/gateway/workers/merged-metrics.ts';
import { mergeQuality } from '../../../../src/gateway/workers/merge-quality.ts';

const make = () => createMetrics({ operations: ['users.list'], version: '1', nodeVersion: 'v24' });

describe('the merged metrics of several processes', () => {
  it('are sums for each set of labels, histograms included', async () => {
    const [one, other] = [make(), make()];
    one.request('users.list', 200, 'hit', 0.002);
    other.request('users.list', 200, 'hit', 0.2);
    other.request('users.list', 404, 'hit', 0.2);
    const text = await mergeMetrics([await one.values(), await other.values()]).metrics();
    expect(text).toContain('portico_requests_total{operation="users.list",status="200",cache="hit"} 2');
    expect(text).toContain('portico_requests_total{operation="users.list",status="404",cache="hit"} 1');
    expect(text).toMatch(
      /portico_request_duration_seconds_bucket\{[^}]*le="0.0025"[^}]*status="200"[^}]*\} 1|portico_request_duration_seconds_bucket\{le="0.0025",[^}]*status="200"[^}]*\} 1/,
    );
    expect(text).toMatch(/^portico_build_info\{.*\} 1$/m);
  });

  it('show the worst value of what is not an amount', async () => {
    const gauge = (name: string, value: number) =>
      [{ name, help: '', type: 'gauge', aggregator: 'average', values: [{ value, labels: {} }] }] as never;
    const merged = async (name: string) =>
      (await mergeMetrics([gauge(name, 1), gauge(name, 3)]).metrics()).split('\n').at(-2);
    expect(await merged('nodejs_eventloop_lag_p99_seconds')).toBe('nodejs_eventloop_lag_p99_seconds 3');
    expect(await merged('nodejs_eventloop_lag_min_seconds')).toBe('nodejs_eventloop_lag_min_seconds 1');
    expect(await merged('process_start_time_seconds')).toBe('process_start_time_seconds 1');
    expect(await merged('process_resident_memory_bytes')).toBe('process_resident_memory_bytes 4');
    expect(await merged('portico_migration_rev')).toBe('portico_migration_rev 1');
    const regressed = 'portico_migration_rev_regressed_total';
    expect(await merged(regressed)).toBe(`${regressed} 4`);
  });

  it('show the one worker that has lost its Redis, and a disabled claim once', async () => {
    const [one, other] = [make(), make()];
    one.watchRedis('limits', () => 'ready');
    other.watchRedis('limits', () => 'lost');
    for (const worker of [one, other])
      worker.watchClaims(() => [{ source: 'crm', resource: 'users', claim: 'order' }]);
    const text = await mergeMetrics([await one.values(), await other.values()]).metrics();
    expect(text).toContain('portico_redis_state{role="limits",state="ready"} 1');
    expect(text).toContain('portico_redis_state{role="limits",state="lost"} 1');
    expect(text).toContain('portico_claims_fallen{source="crm",resource="users",claim="order"} 1');
  });

  it('keep the counters and histograms of an ended process, and none of its gauges', async () => {
    const gone = make();
    gone.request('users.list', 200, 'hit', 0.002);
    const kept = new Set(cumulativeMetrics(await gone.values()).map(({ name }) => name));
    expect(kept).toContain('portico_requests_total');
    expect(kept).toContain('portico_request_duration_seconds');
    expect(kept).toContain('process_cpu_seconds_total');
    expect(kept).not.toContain('process_resident_memory_bytes');
  });
});

describe('the quality of a source over several processes', () => {
  const report = (missing: number, at: string): ResourceQuality => ({
    source: 'crm',
    resource: 'users',
    file: 'crm.yaml',
    views: [
      {
        view: 'list',
        records: 10,
        dropped: 1,
        totalsLost: 0,
        fields: [
          {
            field: 'email',
            from: ['mail'],
            line: 3,
            null: missing,
            missing,
            unreadable: 1,
            steps: { trim: 1 },
          },
        ],
      },
    ],
    contradicted: [{ claim: 'order', file: 'crm.yaml', line: 5, at }],
    invalidReplies: [{ reason: 'shape', count: 1, last: { detail: at, at } }],
  });

  it('is summed, with the latest of each message', () => {
    const [merged, ...others] = mergeQuality([[report(2, '2026-01-02')], [report(3, '2026-01-01')]]);
    expect(others).toEqual([]);
    expect(merged?.views).toEqual([
      expect.objectContaining({
        records: 20,
        dropped: 2,
        fields: [expect.objectContaining({ null: 5, missing: 5, unreadable: 2, steps: { trim: 2 } })],
      }),
    ]);
    expect(merged?.contradicted).toEqual([{ claim: 'order', file: 'crm.yaml', line: 5, at: '2026-01-02' }]);
    expect(merged?.invalidReplies).toEqual([
      { reason: 'shape', count: 2, last: { detail: '2026-01-02', at: '2026-01-02' } },
    ]);
  });
});
