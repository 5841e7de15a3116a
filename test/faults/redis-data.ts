import assert from 'node:assert/strict';
import type { FaultRow } from './harness/row.ts';

const scriptFlush: FaultRow = {
  id: 'R16',
  fault: 'SCRIPT FLUSH',
  expected: '200: a script that Redis has forgotten is sent again',
  figure: 'errors; decisions that Redis did not make',
  fast: true,
  async run(bench) {
    const { gateway } = await bench.shared();
    await gateway.ask('/v1/users?limit=3');
    const [before, byRedis] = [
      await gateway.counted('portico_limiter_decisions_total', 'by="local"'),
      await gateway.counted('portico_limiter_decisions_total', 'by="redis"'),
    ];
    await gateway.withStored(({ client }) => client.script('FLUSH'));
    const answer = await gateway.ask('/v1/users?limit=4', { key: gateway.configuredKey });
    assert.equal(answer.status, 200);
    const alone = (await gateway.counted('portico_limiter_decisions_total', 'by="local"')) - before;
    bench.atMost('decisions of this process alone', alone, 0);
    const together = (await gateway.counted('portico_limiter_decisions_total', 'by="redis"')) - byRedis;
    return { errors: 0, 'by Redis': together, alone };
  },
};

/** What stands in Redis is not what Portico put there. */
export const redisDataRows: readonly FaultRow[] = [scriptFlush];
