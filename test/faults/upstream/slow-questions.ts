import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { fragileAnswer, fragileSource } from '../../support/upstream/fragile-upstream.ts';
import { serving, startUpstream } from '../../support/upstream/scripted-upstream.ts';
import type { FaultBench } from '../harness/bench.ts';
import type { BenchRow } from '../harness/row.ts';

const SLOTS = 8;
const SLOW_MS = 1_000;
const QUICK_MS = 20;

/** A gateway, with so many workers, in front of a source that takes long for some ids; nothing of its answers is kept. */
async function slowSetup(bench: FaultBench, workers: number) {
  const busy = { slow: 0, most: 0, quick: 0, mostQuick: 0 };
  const upstream = bench.own(
    await startUpstream(
      serving(async (request) => {
        const isSlow = request.path.startsWith('/users/slow-');
        const kind = isSlow ? 'slow' : 'quick';
        busy[kind] += 1;
        if (isSlow) busy.most = Math.max(busy.most, busy.slow);
        else busy.mostQuick = Math.max(busy.mostQuick, busy.quick);
        await sleep(isSlow ? SLOW_MS : QUICK_MS);
        busy[kind] -= 1;
        return fragileAnswer(request);
      }),
    ),
  );
  const entry = { source: 'fragile', deadline: '30s', cache: { fresh: '0s', notFound: '0s' } };
  const net = `timeout: 20s, concurrency: ${SLOTS}, queue: { time: 20s }`;
  const redis = await bench.redis();
  const gateway = await bench.gateway({
    // Only Redis knows the key of the other caller.
    config: {
      redis: { url: redis.url },
      resources: { users: entry, products: entry },
      ...(workers > 1 && { workers }),
    },
    sources: { 'fragile.yaml': fragileSource('fragile', upstream.origin, net) },
    truth: () => undefined,
  });
  return { gateway, busy };
}

/** What a caller gets while another one asks slow questions, 16 at a time. */
async function askBesideSlowOnes(bench: FaultBench, workers: number) {
  const { gateway, busy } = await slowSetup(bench, workers);
  let n = 0;
  const others = { path: () => `/v1/users?limit=${1 + ((n += 1) % 99)}`, callers: 2, pauseMs: 10 };
  const before = await gateway.load(() => bench.sleep(3_000), others);
  let isOver = false;
  let slow = 0;
  async function askSlowly(): Promise<void> {
    while (!isOver) await gateway.ask(`/v1/users/user_slow-${(slow += 1)}`, { key: gateway.configuredKey });
  }
  const during = await gateway.load(async () => {
    const asking = Array.from({ length: 16 }, askSlowly);
    // The first of them take all slots, because nobody knows yet that they are slow.
    await bench.sleep(SLOW_MS + 500);
    busy.most = busy.slow;
    await bench.sleep(6 * SLOW_MS);
    isOver = true;
    await Promise.all(asking);
  }, others);
  assert.deepEqual(
    [before.statuses[200], during.statuses[200]],
    [before.answers.length, during.answers.length],
  );
  assert.ok(busy.most <= SLOTS / 2, `${busy.most} slow calls at once`);
  return { beforeMs: before.quantileMs(0.99), duringMs: during.quantileMs(0.99), most: busy.most };
}

const oneCaller: BenchRow = {
  id: 'U28',
  name: 'one caller asks slow questions, 16 at a time, of a source with 8 slots; with one process and with two workers – it holds at most half of the slots, those of all workers together; others keep their answers in time',
  async run(bench) {
    const one = await askBesideSlowOnes(bench, 1);
    const two = await askBesideSlowOnes(bench, 2);
    bench.atMost('p99', one.duringMs, 3 * one.beforeMs);
    bench.atMost('p99 with workers', two.duringMs, 3 * two.beforeMs);
    return {
      ...{ 'before ms': one.beforeMs, 'during ms': one.duringMs, 'most at once': one.most },
      ...{
        'workers: before ms': two.beforeMs,
        'during ms with workers': two.duringMs,
        'most in all': two.most,
      },
    };
  },
};

const alone: BenchRow = {
  id: 'U29',
  name: 'one caller alone asks many questions at once, none of them slow – it has all slots of the source and its whole queue: 200',
  fast: true,
  async run(bench) {
    const { gateway, busy } = await slowSetup(bench, 1);
    const answers = await Promise.all(
      Array.from({ length: 90 }, (_, n) => gateway.ask(`/v1/users?limit=${1 + n}`)),
    );
    const failed = answers.filter(({ status }) => status !== 200).length;
    assert.deepEqual([busy.mostQuick, failed], [SLOTS, 0]);
    return { 'most at once': busy.mostQuick, failed };
  },
};

/** What the slow questions of one caller do to others. */
export const upstreamSlowQuestions: readonly BenchRow[] = [oneCaller, alone];
