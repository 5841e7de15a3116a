import { createMetrics } from '../../../../src/admin/metrics/metrics.ts';
import { sampleMetrics } from '../../../../src/telemetry/history/metric-sample.ts';

describe('a sample of the metrics', () => {
  it('counts what asks for attention: errors of 500, limits alone, replies, differences, fallbacks, spans', async () => {
    const counts = () => ({ exported: 9, dropped: 2, failed: 3 });
    const metrics = createMetrics({
      ...{ operations: ['users.list'], version: '1', nodeVersion: '24' },
      tracing: { counts },
    });
    metrics.request('users.list', 500, 'none', 1);
    metrics.request('users.list', 503, 'none', 1);
    metrics.limiterDecision('standard', 'refused', 'local');
    metrics.limiterDecision('standard', 'admitted', 'redis');
    metrics.invalidReply('crm', 'users', 'rows');
    for (const verdict of ['mismatch', 'match'])
      metrics.migrationCompared({ resource: 'users', operation: 'users.get', verdict, differences: [] });
    for (const cause of ['timeout', 'odd']) metrics.migrationFallback('users', 'users.get', cause);
    metrics.migrationGate('users', true);
    metrics.configInForce('digest');
    const { counters, gauges } = sampleMetrics(await metrics.sampled(), 0);
    const families =
      /^(?:serverErrors|requests|limitsAlone|refusals|invalidReplies|differences|fallbacks|spansLost)/;
    expect(Object.fromEntries([...counters].filter(([key]) => families.test(key)))).toEqual({
      'requests|users.list|5xx|none': 2,
      'serverErrors|users.list': 1,
      'refusals|rate_limit': 1,
      'limitsAlone|standard': 1,
      'invalidReplies|crm|users': 1,
      'differences|users|users.get': 1,
      'fallbacks|users': 1,
      'spansLost|dropped': 2,
      'spansLost|failed': 3,
    });
    expect(gauges('portico_migration_gate_ready').map(({ value }) => value)).toEqual([1]);
    expect(gauges('portico_config_info').map(({ labels }) => labels)).toEqual([{ digest: 'digest' }]);
  });
});
