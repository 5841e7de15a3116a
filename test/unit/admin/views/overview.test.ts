import { compileOverview } from '../../../../src/admin/views/overview.ts';
import type { ServedSource } from '../../../../src/admin/views/served-source.ts';
import { actionSpecs } from '../../../../src/admin/api/action-table.ts';

const AT = Date.parse('2026-03-01T10:00:00.000Z');
const crm: ServedSource = {
  ...{ name: 'crm', kind: 'source', resources: ['users'] },
  operations: ['users.list', 'users.get'],
};
const idle: ServedSource = { name: 'passthrough.orders', kind: 'passthrough', resources: [], operations: [] };

type Gauge = readonly [name: string, labels: Readonly<Record<string, string>>, value: number];

/** The overview of two sources after so many milliseconds in which this was counted. */
function overviewOf(grown: Readonly<Record<string, number>>, overMs: number, gauges: readonly Gauge[] = []) {
  const sample = {
    at: AT,
    counters: new Map<string, number>(),
    gauges: (name: string) =>
      gauges.filter(([of]) => of === name).map(([, labels, value]) => ({ labels, value })),
  };
  const overview = compileOverview(
    sample,
    { grown: new Map(Object.entries(grown)), overMs, latest: new Map(), lastHour: new Map() },
    {
      ...{ scope: 'process', version: '1.0.0', processes: 1, draining: false },
      config: { digest: 'abc', rev: 1 },
      sources: [crm, idle],
    },
  );
  return actionSpecs.overview.output.parse({ ...overview, gateways: ['one'] });
}

describe('the overview', () => {
  it('makes rates and shares of what the last minute has counted', () => {
    const { totals, sources, since, overMs } = overviewOf(
      {
        'requests|users.list|2xx|hit': 60,
        'requests|users.get|2xx|stale': 20,
        'requests|users.get|5xx|miss': 20,
        'requests|none|4xx|none': 20,
        'refusals|rate_limit': 12,
        // All between 5 and 10 ms.
        'latency|users.list|3': 100,
        'calls|crm|2xx': 27,
        'calls|crm|5xx': 2,
        'calls|crm|upstream_timeout': 1,
        'calls|crm|cancelled': 30,
        'failures|crm|error': 2,
        'failures|crm|timeout': 1,
        'callLatency|crm|3': 60,
        'fields|crm|users.email|unreadable': 6,
        'fields|crm|users.email|missing': 600,
      },
      60_000,
    );
    expect([since, overMs]).toEqual(['2026-03-01T09:59:00.000Z', 60_000]);
    expect(totals).toEqual({
      requestsPerSecond: 2,
      errorsShare: 20 / 120,
      refusedShare: 0.1,
      ...{ p50Ms: 7.5, p50UpToMs: 10, p99Ms: 9.95, p99UpToMs: 10 },
      hitShare: 0.8,
    });
    expect(sources[0]).toMatchObject({
      callsPerSecond: 1,
      errorShare: 0.1,
      hitShare: 0.8,
      stalePerSecond: 20 / 60,
      unreadablePerSecond: 0.1,
      p50Ms: 7.5,
    });
  });

  it('has no share of nothing', () => {
    const { totals, sources } = overviewOf({}, 0);
    expect(totals).toEqual({
      requestsPerSecond: 0,
      ...{ errorsShare: null, refusedShare: null, hitShare: null },
      ...{ p50Ms: null, p50UpToMs: null, p99Ms: null, p99UpToMs: null },
    });
    expect(sources[1]).toMatchObject({
      callsPerSecond: 0,
      errorShare: null,
      hitShare: null,
      utilization: null,
    });
  });

  it('shows the worst breaker and Redis of any process, and how much of its calls a source has under way', () => {
    const { sources, redis } = overviewOf({}, 10_000, [
      ['portico_breaker_state', { source: 'crm' }, 1],
      ['portico_source_load', { source: 'crm', state: 'in_flight' }, 6],
      ['portico_source_load', { source: 'crm', state: 'waiting' }, 2],
      ['portico_source_load', { source: 'crm', state: 'allowed' }, 8],
      ['portico_redis_state', { role: 'cache', state: 'ready' }, 1],
      ['portico_redis_state', { role: 'cache', state: 'full' }, 1],
      ['portico_redis_state', { role: 'cache', state: 'lost' }, 0],
    ]);
    expect(sources[0]).toMatchObject({
      ...{ breaker: 'half-open', inFlight: 6, waiting: 2, concurrency: 8, utilization: 0.75 },
    });
    expect(redis).toEqual([{ role: 'cache', state: 'full' }]);
  });
});
