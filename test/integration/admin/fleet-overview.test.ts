import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { CallerList } from '../../../src/admin/api/caller-action-specs.ts';
import type { Overview } from '../../../src/admin/api/metric-specs.ts';
import { createRedisKeys } from '../../../src/store/redis/redis-keys.ts';
import { connectRedis } from '../../support/redis/connect-redis.ts';
import { type Stack, startStack } from '../../support/gateway/stack.ts';
import { endAfterTest } from '../../support/jest/lifetime.ts';
import { startRedis } from '../../support/redis/redis-server.ts';
import { startFailingUpstream } from '../../support/upstream/failing-upstream.ts';
import { eventually } from '../../support/time/eventually.ts';

const ASKED = 12;
const read = async <T>({ adminUrl }: Stack, path: string) =>
  (await (await fetch(`${adminUrl}/api/${path}`)).json()) as T;

async function callSome(stack: Stack): Promise<void> {
  for (let count = 0; count < ASKED; count += 1) await stack.get(`/v1/users?limit=${count + 1}`);
}

/** Two gateways on one Redis: behind the second, every source fails. Each was called as often as the other. */
async function startFleet() {
  const redis = endAfterTest(await startRedis());
  const failing = endAfterTest(await startFailingUpstream('answers 500'));
  const at = { redis: { url: redis.url, prefix: 'portico:' } };
  const well = endAfterTest(await startStack({ ...at, instance: 'well' }));
  const ill = endAfterTest(await startStack({ ...at, instance: 'ill', upstream: failing.origin }));
  await Promise.all([callSome(well), callSome(ill)]);
  return { redis, well, ill };
}

const heard = (stack: Stack) =>
  eventually(
    async () => {
      const overview = await read<Overview>(stack, 'overview');
      return overview.scope === 'fleet' && (overview.totals.errorsShare ?? 0) > 0.3 && overview;
    },
    { withinMs: 25_000, everyMs: 250 },
  );

describe('the figures of a fleet', () => {
  it('are those of all its gateways on each of them, and of one where that is asked for', async () => {
    const { well, ill } = await startFleet();
    for (const stack of [well, ill]) {
      const { processes, gateways, totals, sources } = await heard(stack);
      expect([processes, gateways, totals.errorsShare]).toEqual([2, ['ill', 'well'], 0.5]);
      const crm = sources.find(({ name }) => name === 'crm');
      expect(crm).toMatchObject({ failure: 'error', errorShare: expect.any(Number) });
    }
    const shareOf = async (name: string) => {
      const { scope, processes, totals } = await read<Overview>(well, `overview?process=${name}`);
      return [scope, processes, totals.errorsShare];
    };
    expect(await shareOf('well')).toEqual(['process', 1, 0]);
    expect(await shareOf('ill')).toEqual(['process', 1, 1]);
    const unknown = await fetch(`${well.adminUrl}/api/overview?process=none`);
    expect([unknown.status, await unknown.text()]).toEqual([404, expect.stringContaining('well')]);
  });

  it('are those of all that can be read, whatever else stands beside them', async () => {
    const { redis, well } = await startFleet();
    const { client } = endAfterTest(await connectRedis(redis.url));
    const keys = createRedisKeys('portico:');
    const minute = () => Math.floor(Date.now() / 60_000);
    const states = await eventually(
      async () => {
        const packed = await client.hvalsBuffer(keys.gatewayStates(minute()));
        return packed.length >= 2 && packed.map((one) => JSON.parse(inflateRawSync(one).toString()));
      },
      { withinMs: 25_000, everyMs: 250 },
    );
    const newer = { ...states[0], id: 'x', grown: { calls: 'many' } };
    for (const [at, foreign] of [null, 7, [], {}, { at: Number.MAX_SAFE_INTEGER }, newer].entries())
      for (const slot of [minute(), minute() + 1])
        await client.hset(keys.gatewayStates(slot), `x${at}`, deflateRawSync(JSON.stringify(foreign)));
    expect((await heard(well)).gateways).toEqual(['ill', 'well']);
  });

  it('have callers with their labels, and how many of their answers were errors', async () => {
    const { well } = await startFleet();
    await heard(well);
    const { scope, callers } = await read<CallerList>(well, 'callers');
    expect(scope).toBe('fleet');
    expect(callers).toEqual([
      expect.objectContaining({
        ...{ id: 'everything', label: 'everything', requests: 2 * ASKED },
        ...{ serverErrors: ASKED, errorShare: 0.5 },
      }),
    ]);
  });

  it('are those of one gateway while Redis fails, and say so', async () => {
    const { redis, well } = await startFleet();
    await heard(well);
    await redis.kill();
    const alone = await eventually(
      async () => {
        const overview = await read<Overview>(well, 'overview');
        return overview.scope === 'process' && overview;
      },
      { withinMs: 20_000, everyMs: 250 },
    );
    expect([alone.processes, alone.totals.errorsShare]).toEqual([1, 0]);
  });
});
