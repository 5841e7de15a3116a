/** One of several processes that take points from one limit, in patterns of their own; prints what became of each. */
import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '../../../src/kernel/clock.ts';
import { createRandom, type Random } from '../../../src/cli/demo/data/random.ts';
import { createLimiter } from '../../../src/store/limiter/limiter.ts';
import { createRedisKeys } from '../../../src/store/redis/redis-keys.ts';
import type { LimiterLog, LimiterTask } from './limiter-fleet.ts';
import { connectRedis } from './connect-redis.ts';

const { url, prefix, tiers, seed, milliseconds } = JSON.parse(process.argv[2] ?? '') as LimiterTask;

const redis = await connectRedis(url);
const limiter = createLimiter({
  redis: redis.client,
  tiers,
  keyOf: (...parts) => createRedisKeys(prefix).tierCounts(...parts),
  clock: systemClock,
});
const logs: LimiterLog[] = [];
const wall = () => performance.timeOrigin + performance.now();

/** A caller: bursts, steady streams and silences, as the seed has it. */
async function call(tier: string, random: Random): Promise<void> {
  const until = performance.now() + milliseconds;
  while (performance.now() < until) {
    const burst = random.chance(0.3) ? Math.ceil(random.fraction() * 40) : 1;
    const asked = wall();
    const decisions = Array.from({ length: burst }, async () => {
      const { allowed, by } = await limiter.consume(tier, 'caller');
      logs.push({ tier, asked, decided: wall(), allowed, by });
    });
    await Promise.all(decisions);
    await sleep(random.chance(0.1) ? random.fraction() * 900 : random.fraction() * 25);
  }
}

await Promise.all(Object.keys(tiers).map((tier, index) => call(tier, createRandom(seed + index))));
limiter.close();
await redis.close();
process.stdout.write(JSON.stringify(logs));
