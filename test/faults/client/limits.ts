import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FaultBench } from '../harness/bench.ts';
import type { FaultGateway } from '../harness/gateway.ts';
import type { BenchRow } from '../harness/row.ts';

/** Users may be read without a key, and are counted by address in these windows. */
function limited(url: string | undefined, ...windows: readonly string[]) {
  return {
    config: {
      ...(url !== undefined && { redis: { url } }),
      resources: { users: { public: true } },
      limits: { tiers: { crowd: { windows } }, anonymousTier: 'crowd' },
    },
    keys: 0,
  };
}

const ask = (gateway: FaultGateway) => gateway.ask('/v1/users?limit=1', { key: null });

/** The most answers of 200 that were asked for within so many milliseconds of each other. */
function mostWithin(times: readonly number[], windowMs: number): number {
  let most = 0;
  for (let first = 0, last = 0; last < times.length; last += 1) {
    while (times[last]! - times[first]! >= windowMs) first += 1;
    most = Math.max(most, last - first + 1);
  }
  return most;
}

const edges: BenchRow = {
  id: 'C17',
  name: 'bursts at the edge of a window – in no interval of the length of the window more than its points: never twice as many',
  async run(bench) {
    const LIMIT = 10;
    const redis = await bench.redis();
    const gateway = await bench.gateway(limited(redis.url, `${LIMIT} per 2s`));
    const admittedAt: number[] = [];
    const burst = async () => {
      const answers = await Promise.all(Array.from({ length: 20 }, () => ask(gateway)));
      for (const { status, askedAt } of answers) if (status === 200) admittedAt.push(askedAt);
    };
    // The first window begins with one request; the bursts come just before and just after where it would end.
    await ask(gateway).then(({ askedAt }) => admittedAt.push(askedAt));
    const startedAt = performance.now();
    for (const at of [1_950, 2_010, 2_060, 3_900, 4_010, 4_100, 6_050]) {
      await sleep(Math.max(0, at - (performance.now() - startedAt)));
      await burst();
    }
    // The gateway counts when a request comes in, a little behind the moment at which it was asked for.
    const most = mostWithin(
      admittedAt.sort((a, b) => a - b),
      1_900,
    );
    assert.ok(most <= LIMIT, `${most} of ${LIMIT} in one window`);
    return { most, limit: LIMIT };
  },
};

/** Has fifty callers ask each of four processes at once; how many were admitted in all. */
async function stampede(bench: FaultBench, url: string | undefined, limit: number): Promise<number> {
  const gateways = await Promise.all(
    Array.from({ length: 4 }, () => bench.gateway(limited(url, `${limit} per 60s`))),
  );
  const answers = await Promise.all(
    gateways.flatMap((gateway) =>
      Array.from({ length: 50 }, async () => [await ask(gateway), await ask(gateway)]),
    ),
  );
  const statuses = answers.flat().map(({ status }) => status);
  assert.deepEqual([...new Set(statuses)].sort(), [200, 429]);
  return statuses.filter((status) => status === 200).length;
}

const fleet: BenchRow = {
  id: 'C18',
  name: 'fifty clients on each of four processes, all counted as one caller – exactly the limit is admitted with Redis; without it, each process admits the limit at most',
  async run(bench) {
    const LIMIT = 60;
    const redis = await bench.redis();
    const together = await stampede(bench, redis.url, LIMIT);
    assert.equal(together, LIMIT);
    const alone = await stampede(bench, undefined, LIMIT);
    assert.ok(alone <= 4 * LIMIT, `${alone} admitted without Redis`);
    return { 'with Redis': together, limit: LIMIT, 'each alone': alone };
  },
};

/** What clients try against the limits. */
export const clientLimits: readonly BenchRow[] = [edges, fleet];
