import assert from 'node:assert/strict';
import { fragileAnswer, fragileSource } from '../../support/upstream/fragile-upstream.ts';
import { serving, startUpstream, type UpstreamRequest } from '../../support/upstream/scripted-upstream.ts';
import type { FaultBench } from '../harness/bench.ts';
import { assertRefused } from '../harness/errors.ts';
import type { BenchRow } from '../harness/row.ts';

const TIMEOUT_MS = 400;
const OPEN_MS = 60_000;
const HANGS = '/users/odd-';

const answerOrHang = (request: UpstreamRequest) =>
  request.path.startsWith(HANGS) ? undefined : fragileAnswer(request);

/** A gateway in front of a source that hangs at some ids; nothing of its answers is kept. */
async function hangingSetup(bench: FaultBench, concurrency: number) {
  const upstream = bench.own(await startUpstream(serving(answerOrHang)));
  const entry = { source: 'fragile', deadline: '10s', cache: { fresh: '0s', notFound: '0s' } };
  const net = `timeout: ${TIMEOUT_MS}ms, retries: { max: 0 }, concurrency: ${concurrency}, breaker: { open: ${OPEN_MS}ms }`;
  const redis = await bench.redis();
  const gateway = await bench.gateway({
    // Only Redis knows the key of the other caller.
    config: { redis: { url: redis.url }, resources: { users: entry, products: entry } },
    sources: { 'fragile.yaml': fragileSource('fragile', upstream.origin, net) },
    truth: () => undefined,
  });
  const state = () => gateway.counted('portico_breaker_state', 'source="fragile"');
  const questionsOpen = () =>
    gateway.counted('portico_source_events_total', 'source="fragile"', 'event="question_breaker_open"');
  let asked = 0;
  const askOddly = () => gateway.ask(`/v1/users/user_odd-${(asked += 1)}`, { key: gateway.configuredKey });
  return { gateway, upstream, state, questionsOpen, askOddly };
}

const oneCaller: BenchRow = {
  id: 'U26',
  name: 'one caller asks 200 questions, 16 at a time, at which a sound source hangs beyond its timeout – other questions keep their answers: the breaker of the source stays closed, and that of the hanging shape of question opens: 503 upstream_unavailable, without a call',
  async run(bench) {
    const { gateway, upstream, state, questionsOpen, askOddly } = await hangingSetup(bench, 8);
    let answered = 0;
    let failed = 0;
    let isOver = false;
    async function askOtherQuestions(): Promise<void> {
      for (let n = 0; !isOver; n += 1) {
        const path = n % 2 === 0 ? `/v1/users?limit=${1 + (n % 9)}` : '/v1/products?category=Toys';
        answered += 1;
        if ((await gateway.ask(path)).status !== 200) failed += 1;
        // Seldom, so that most calls are those that hang.
        await bench.sleep(300);
      }
    }
    async function askTwelve(): Promise<void> {
      for (let n = 0; n < 12; n += 1) await askOddly();
    }
    const asking = askOtherQuestions();
    await Promise.all(Array.from({ length: 16 }, askTwelve));
    isOver = true;
    await asking;
    assert.deepEqual([failed, await state(), await questionsOpen()], [0, 0, 1]);
    const hung = upstream.requests.filter(({ path }) => path.startsWith(HANGS)).length;
    const { calls } = upstream;
    assertRefused(await askOddly(), 503, 'upstream_unavailable');
    assert.equal(upstream.calls, calls, 'no question of the shape is sent');
    assert.equal((await gateway.ask('/v1/products')).status, 200);
    return { 'hanging calls': hung, answered, failed };
  },
};

/** How long a source that hangs at everything is asked, so often at once, until its breaker is open. */
async function openingMs(
  bench: FaultBench,
  concurrency: number,
  parallel: number,
  who: 'two callers' | 'one caller',
): Promise<number> {
  const { gateway, upstream, state, questionsOpen, askOddly } = await hangingSetup(bench, concurrency);
  assert.equal((await gateway.ask('/v1/users')).status, 200);
  upstream.become(serving(() => undefined));
  const hungAt = performance.now();
  let isOpen = false;
  const until = bench.until(async () => (await state()) === 2, 60_000, 10).finally(() => (isOpen = true));
  async function askOn(ask: () => Promise<unknown>): Promise<void> {
    while (!isOpen) await Promise.all([ask(), bench.sleep(20)]);
  }
  const asking = Array.from({ length: parallel }, (_, n) =>
    askOn(
      n % 2 === 0 || who === 'one caller' ? askOddly : () => gateway.ask(`/v1/users?limit=${1 + (n % 99)}`),
    ),
  );
  await until;
  const ms = performance.now() - hungAt;
  await Promise.all(asking);
  assert.equal(await questionsOpen(), 0);
  assertRefused(await gateway.ask('/v1/users/user_ada'), 503, 'upstream_unavailable');
  return ms;
}

const reallyHangs: BenchRow = {
  id: 'U27',
  name: 'a source that hangs at everything, its health probe included, while all of its slots are taken – the breaker of the source opens as soon as it would by the timeouts alone: 503 upstream_unavailable',
  async run(bench) {
    // 20 timeouts take three rounds of 8 slots, and one of 64: then the probe adds 250 ms, because it is sent early.
    const few = await openingMs(bench, 8, 16, 'two callers');
    const alone = await openingMs(bench, 8, 16, 'one caller');
    const many = await openingMs(bench, 64, 40, 'two callers');
    bench.atMost('ms with few slots', few, 3 * TIMEOUT_MS + 250);
    bench.atMost('ms with few slots and one caller', alone, 3 * TIMEOUT_MS + 250);
    bench.atMost('ms with many slots', many, TIMEOUT_MS + 250 + 100);
    return { 'few slots ms': few, 'one caller ms': alone, 'many slots ms': many };
  },
};

/** Questions that hang, and sources that do. */
export const upstreamHangingQuestions: readonly BenchRow[] = [oneCaller, reallyHangs];
