import { pino } from 'pino';
import { createExplainActions } from '../../../src/workbench/explain/explain-action.ts';
import { parseGateway } from '../../support/gateway/parse-gateway.ts';
import { systemClock } from '../../../src/kernel/clock.ts';
import { createPublicSide } from '../../../src/gateway/reload/public-side.ts';
import { endAfterTest } from '../../support/jest/lifetime.ts';

const services = {
  ...{ log: pino({ level: 'silent' }), clock: systemClock, createExplainActions },
  ...{ version: 'test', nodeVersion: 'test' },
};
const served = (...names: readonly string[]) => {
  const routes = names.map((name) => ({
    ...{ name, path: `/legacy/${name}`, upstream: 'http://127.0.0.1:9', permission: null },
  }));
  return { gateway: parseGateway({ portico: 1, resources: {}, passthrough: routes }), compiled: [] };
};

describe('a route that a reload removes', () => {
  it('has no breaker in the metrics any more, though its last calls still end', async () => {
    const side = endAfterTest(createPublicSide(served('orders', 'stock'), services));
    const states = async () => (await side.metrics.text()).match(/^portico_breaker_state\{.*/gm);
    const breaker = {};
    side.metrics.breakerState('passthrough.orders', 'open', breaker);
    (await side.stage(served('stock', 'prices'))).apply();
    side.metrics.breakerState('passthrough.orders', 'half_open', breaker);
    expect(await states()).toEqual([
      'portico_breaker_state{source="passthrough.stock"} 0',
      'portico_breaker_state{source="passthrough.prices"} 0',
    ]);
  });
});
