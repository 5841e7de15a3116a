import { startRedis } from '../../support/redis/redis-server.ts';
import { expectModelAnswers, QUERIES, seed, startFullStack } from './oracle.ts';
import { startForAll } from '../../support/jest/lifetime.ts';

const redis = startForAll(startRedis);
const start = () => startFullStack({ url: redis.url, prefix: 'oracle:' });
const stacks = startForAll(() => Promise.all([start(), start()]));

describe('two gateways on one real Redis', () => {
  it(`answer ${QUERIES} random queries as the model of the contract does, out of each other’s cache too (seed ${seed})`, async () => {
    const [first, second] = stacks;
    await expectModelAnswers(first, second);
  });
});
