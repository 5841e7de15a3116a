import assert from 'node:assert/strict';
import type { FaultBench } from '../harness/bench.ts';
import { assertRefused } from '../harness/errors.ts';
import { answerOf, askHalfOpen, type FaultySetup, openMs } from '../harness/harm/faulty-source.ts';
import { startUpstream, type UpstreamRequest } from '../../support/upstream/scripted-upstream.ts';
import type { BenchRow } from '../harness/row.ts';

/** How long a caller of the hanging route waits. */
const DEADLINE_MS = 1_000;
const CALLS = 10;

/** A gateway with two routes to an upstream that a row scripts: one with a breaker that opens soon, one with none. */
function passedPlace(bench: FaultBench): Promise<FaultySetup> {
  return bench.common('passed', async (start) => {
    const upstream = await startUpstream();
    const methods = ['GET', 'POST'];
    const route = { methods, upstream: upstream.origin, permission: 'orders:read' };
    const breaker = { calls: CALLS, window: '1m', open: `${openMs(bench)}ms` };
    const passthrough = [
      { ...route, name: 'watched', path: '/legacy/watched', deadline: `${DEADLINE_MS}ms`, breaker },
      { ...route, name: 'steady', path: '/legacy/steady', breaker: { calls: 1_000_000 } },
    ];
    const gateway = await start({ config: { passthrough } });
    return { gateway, upstream, close: () => Promise.all([gateway.close(), upstream.close()]) };
  });
}

const answerWell = ({ socket }: UpstreamRequest) => void socket.write(answerOf(200, '{}'));

const hangs: BenchRow = {
  id: 'U2',
  name: 'the upstream of a pass-through route hangs before its headers – 504 upstream_timeout at the deadline; then nothing is asked (503 upstream_unavailable at once) but by one request at a time',
  async run(bench) {
    const { gateway, upstream } = await passedPlace(bench);
    const ask = () => gateway.ask('/legacy/watched', { key: gateway.configuredKey });
    const state = () => gateway.counted('portico_breaker_state', 'source="passthrough.watched"');
    upstream.does(() => undefined);
    let questions = 0;
    let slowestMs = 0;
    while ((await state()) !== 2) {
      const crowd = await Promise.all(Array.from({ length: CALLS }, ask));
      for (const answer of crowd) {
        if (answer.status === 504) slowestMs = Math.max(slowestMs, answer.ms);
        else assertRefused(answer, 503, 'upstream_unavailable');
      }
      questions += CALLS;
    }
    upstream.does(answerWell);
    const backMs = await bench.until(async () => (await ask()).status === 200);
    // Once more, and half open: the one that looks is answered late, while others ask.
    upstream.does(({ socket }) => void socket.destroy());
    while ((await state()) !== 2) await ask();
    await bench.sleep(openMs(bench) + 20);
    const asked = upstream.calls;
    const crowd = await askHalfOpen(upstream, ask, answerWell);
    assert.deepEqual([upstream.calls - asked, crowd.filter(({ status }) => status === 503).length], [1, 49]);
    bench.atMost('ms beyond the deadline', slowestMs - DEADLINE_MS, 60);
    bench.atMost('ms until it is used again', backMs, openMs(bench) + 200);
    return { 'beyond ms': slowestMs - DEADLINE_MS, questions, probes: 1, 'back ms': backMs };
  },
};

const idleCloses: BenchRow = {
  id: 'U19',
  name: 'the upstream of a pass-through route ends idle connections just as they are used again, or all at once – no caller of a GET sees it: what was never received is sent again on a new connection, beside the budget',
  fast: true,
  async run(bench) {
    const { gateway, upstream } = await passedPlace(bench);
    upstream.does((asked) => {
      answerWell(asked);
      setTimeout(() => asked.socket.destroy(), 20);
    });
    let [questions, failures] = [0, 0];
    const askOn = async () => {
      for (let n = 0; n < (bench.strict ? 100 : 15); n += 1) {
        questions += 1;
        const { status } = await gateway.ask('/legacy/steady', { key: gateway.configuredKey });
        if (status !== 200) failures += 1;
        await bench.sleep(15 + Math.random() * 10);
      }
    };
    await Promise.all(Array.from({ length: 4 }, askOn));
    assert.equal(failures, 0);
    const labels = ['source="passthrough.steady"', 'event="retry_sent"'];
    return { questions, failures, retries: await gateway.counted('portico_source_events_total', ...labels) };
  },
};

/** What the upstreams of pass-through routes can do, where that is another matter than for sources. */
export const upstreamPassed: readonly BenchRow[] = [hangs, idleCloses];
