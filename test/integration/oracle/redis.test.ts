import { startRedis, type RedisServer } from '../../support/redis/redis-server.ts';
import type { Stack } from '../../support/gateway/stack.ts';
import { expectModelAnswers, QUERIES, seed, startFullStack } from './oracle.ts';

let redis: RedisServer;
let stacks: Stack[] = [];
beforeAll(async () => {
  redis = await startRedis();
  const shared = { url: redis.url, prefix: 'oracle:' };
  stacks = [await startFullStack(shared), await startFullStack(shared)];
});
afterAll(async () => {
  await Promise.all(stacks.map((stack) => stack.close()));
  await redis.stop();
});

describe('two gateways on one real Redis', () => {
  it(`answer ${QUERIES} random queries as the model of the contract does, out of each other’s cache too (seed ${seed})`, async () => {
    const [first, second] = stacks;
    await expectModelAnswers(first!, second);
  });
});
