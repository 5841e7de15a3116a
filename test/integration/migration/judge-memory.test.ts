import { Redis } from 'ioredis';
import { createRedisJudgeMemory } from '../../../src/migration/judge/judge-memory.ts';
import { FAILED, useJudged } from '../../support/migration/judged-migration.ts';
import { useRedis } from '../../support/redis/redis-server.ts';
import { endAfterTest } from '../../support/jest/lifetime.ts';

const redis = useRedis();
const openJudged = useJudged();
let round = 0;

/** What the judges of two processes remember together. */
async function open() {
  const client = endAfterTest(new Redis(redis.url));
  await client.ping();
  round += 1;
  const keyOf = (part: string) => `${redis.prefix}${round}:{migration}:${part}`;
  return {
    client,
    memories: [createRedisJudgeMemory(client, keyOf), createRedisJudgeMemory(client, keyOf)] as const,
  };
}

describe('the judge of a fleet', () => {
  test('is one process at a time, until it leaves', async () => {
    const { memories } = await open();
    const [one, other] = memories;
    expect([
      await one.acquireLeadership(),
      await other.acquireLeadership(),
      await one.acquireLeadership(),
    ]).toEqual([true, false, true]);
    await other.releaseLeadership();
    expect(await other.acquireLeadership()).toBe(false);
    await one.releaseLeadership();
    expect([await other.acquireLeadership(), await one.acquireLeadership()]).toEqual([true, false]);
  });

  test('goes on where the one before it has ended', async () => {
    const { memories } = await open();
    const state = { stage: 'ramp', percent: 25 } as const;
    const first = await openJudged({ state, memory: memories[0] });
    for (let call = 0; call < 3; call += 1) first.serve(FAILED);
    await first.judge.look();
    expect(first.position()).toBe('ramp:25');
    const { cusum } = await first.judge.facts('users');
    await first.close();

    const second = await openJudged({ state, memory: memories[1] });
    expect((await second.judge.facts('users')).cusum).toEqual(cusum);
    // The counts of the step are those of the fleet: three that are known, and one more.
    for (let call = 0; call < 4; call += 1) second.serve(FAILED);
    await second.judge.look();
    expect(second.position()).toBe('shadow');
    expect(second.current().lastRollback?.evidence).toContain('CUSUM 9.2 of 9.2; 4 of 4 calls failed');
  });

  test('judges also where Redis is full', async () => {
    const { client, memories } = await open();
    await client.config('SET', 'maxmemory', '1');
    const judged = await openJudged({ state: { stage: 'live' }, memory: memories[0] });
    for (let call = 0; call < 4; call += 1) judged.serve(FAILED);
    await judged.judge.look().finally(() => client.config('SET', 'maxmemory', '0'));
    expect(judged.position()).toBe('shadow');
  });

  test('does nothing while Redis is gone, and says so once', async () => {
    const { memories } = await open();
    let isGone = true;
    const memory = {
      ...memories[0],
      acquireLeadership: () =>
        isGone ? Promise.reject(new Error('Redis is gone')) : memories[0].acquireLeadership(),
    };
    const judged = await openJudged({ state: { stage: 'live' }, memory });
    for (let call = 0; call < 4; call += 1) judged.serve(FAILED);
    await judged.judge.look();
    await judged.judge.look();
    expect([judged.position(), judged.warnings]).toEqual([
      'live',
      ['the migrations cannot be judged now; each look tries again'],
    ]);
    isGone = false;
    await judged.judge.look();
    expect(judged.position()).toBe('shadow');
  });
});
