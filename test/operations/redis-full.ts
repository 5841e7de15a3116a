import assert from 'node:assert/strict';
import type { FaultBench } from '../faults/harness/bench.ts';
import { noPrometheus, startPrometheus } from './harness/prometheus.ts';
import { type BenchRow, promised } from '../faults/harness/row.ts';

const SEEN_MS = 5_000;

type Readiness = { readonly status: string; readonly details?: Readonly<Record<string, string>> };

/** The four places in which a full Redis shows, each with how long that took. */
async function whereSeen(bench: FaultBench, workers: number) {
  const redis = await bench.redis('--maxmemory-policy', 'noeviction');
  const gateway = await bench.gateway({ config: { workers, redis: { url: redis.url } } });
  const prometheus = bench.own(await startPrometheus([gateway.adminUrl]));
  const limit = (value: string) =>
    gateway.withStored(({ client }) => client.config('SET', 'maxmemory', value));
  const readiness = async () => (await (await fetch(`${gateway.adminUrl}/readyz`)).json()) as Readiness;
  const places: Readonly<Record<string, () => Promise<boolean>>> = {
    readyz: async () => (await readiness()).details?.['redis']?.startsWith('full: ') ?? false,
    log: () => Promise.resolve(gateway.log().some(({ msg }) => msg === 'Redis is full')),
    metric: async () => (await gateway.counted('portico_redis_state', 'state="full"')) > 0,
    alert: async () => (await prometheus.firing()).has('PorticoRedisFull'),
  };
  const seenMs = async () => {
    const all = Object.entries(places).map(
      async ([name, isSeen]) => [name, await bench.until(isSeen, 60_000, 50)] as const,
    );
    return Object.fromEntries(await Promise.all(all));
  };
  return { gateway, limit, readiness, seenMs };
}

const seenBy = (workers: number, id: string, of: string): BenchRow => ({
  id,
  name: `a full Redis is seen by ${of} within 5 s, in the details of /readyz, in the log, in a metric and in an alert, although nobody writes; answers stay right`,
  skip: noPrometheus,
  async run(bench) {
    const { gateway, limit, readiness, seenMs } = await whereSeen(bench, workers);
    const before = await readiness();
    assert.equal(before.details, undefined);
    await limit('800kb');
    const tookMs = await seenMs();
    for (const [name, ms] of Object.entries(tookMs)) bench.atMost(`ms until the ${name} tells`, ms, SEEN_MS);
    assert.equal((await readiness()).status, 'ready');
    for (let n = 1; n <= 10; n += 1)
      assert.equal((await gateway.ask(`/v1/users?limit=${n}&page=3`)).status, 200);
    await limit('0');
    await bench.until(async () => (await readiness()).details === undefined);
    const lines = () => gateway.log().filter(({ msg }) => /^Redis (?:is full|takes what)/.test(String(msg)));
    await bench.until(() => lines().length >= 2 * workers);
    const figure = Object.fromEntries(Object.entries(tookMs).map(([name, ms]) => [`${name} ms`, ms]));
    return promised(lines().length === 2 * workers, { ...figure, lines: lines().length });
  },
});

/** A Redis that has used up its memory. */
export const redisFullRows: readonly BenchRow[] = [
  seenBy(1, 'redis-full-1', 'a process'),
  seenBy(2, 'redis-full-2', 'two workers'),
];
