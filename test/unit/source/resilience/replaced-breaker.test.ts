import { pino } from 'pino';
import { createMetrics } from '../../../../src/admin/metrics/metrics.ts';
import { net as netSchema } from '../../../../src/config/schema/net/connection.ts';
import { systemClock } from '../../../../src/kernel/clock.ts';
import { fault } from '../../../../src/kernel/errors/fault.ts';
import { createSourceResilience } from '../../../../src/source/source-resilience.ts';

const net = netSchema.parse({ baseUrl: 'http://h1' });

it('the last calls of a source that a reload has replaced do not change what is said of its breaker', async () => {
  const metrics = createMetrics({ operations: [], version: '1', nodeVersion: 'v24' });
  const open = () =>
    createSourceResilience(
      { name: 'crm', net },
      {
        ...{ clock: systemClock, log: pino({ level: 'silent' }), metrics },
        ...{ deadlineMs: 10_000, patienceMs: 10_000 },
      },
    );
  const state = async () => /^portico_breaker_state\{source="crm"\} (\d)$/m.exec(await metrics.text())?.[1];
  const replaced = open();
  const calls = Array.from({ length: 100 }, () =>
    replaced.begin({ affinity: {}, isSafe: true, question: '/x', priority: 'caller' }),
  );
  for (const call of calls) call.start();
  const inForce = open();
  for (const call of calls) call.finish(fault('upstream_error'), false);
  expect(() => replaced.check()).toThrow();
  expect(await state()).toBe('0');
  replaced.close?.();
  expect(await state()).toBe('0');
  inForce.close?.();
});
