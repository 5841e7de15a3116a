import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { Worker } from 'node:worker_threads';
import type { FaultBench } from '../harness/bench.ts';
import { assertRefused } from '../harness/errors.ts';
import {
  answerOf,
  answerWell,
  anyUser,
  BREAKER_CALLS,
  breakingSetup,
  faultyOptions,
  faultySetup,
  goodBody,
  HASTY_MS,
  impatientSetup,
  openMs,
  sourceFile,
  timeoutMs,
} from '../harness/harm/faulty-source.ts';
import type { BenchRow } from '../harness/row.ts';

const refuses: BenchRow = {
  id: 'U1',
  name: 'the upstream refuses connections – 200 with an older answer where one may stand (Age, Cache-Status), else 503 upstream_unavailable; the breaker opens; used again once it is there',
  fast: true,
  async run(bench) {
    const { gateway, upstream } = await breakingSetup(bench);
    upstream.does(answerWell);
    const known = anyUser();
    assert.equal((await gateway.ask(known)).status, 200);
    await upstream.down();
    const stale = await gateway.ask(known);
    assert.deepEqual([stale.status, /fwd=stale/.test(stale.headers['cache-status']!)], [200, true]);
    assert.ok('age' in stale.headers);
    let answerMs = 0;
    let questions = 1;
    const isOpen = async () => (await gateway.counted('portico_breaker_state', 'source="faulty"')) === 2;
    const brokenAt = performance.now();
    while (!(await isOpen())) {
      const answer = await gateway.ask(anyUser());
      assertRefused(answer, 503, 'upstream_unavailable');
      answerMs = Math.max(answerMs, answer.ms);
      questions += 1;
    }
    const breakerMs = performance.now() - brokenAt;
    assert.ok(questions <= BREAKER_CALLS, `${questions} questions until the breaker opened`);
    assert.equal((await gateway.ask(known)).status, 200);
    const open = await gateway.ask(anyUser());
    assertRefused(open, 503, 'upstream_unavailable');
    assert.equal(open.headers['retry-after'], String(Math.ceil(openMs(bench) / 1_000)));
    await upstream.up();
    const backMs = await bench.until(async () => (await gateway.ask(anyUser())).status === 200);
    bench.atMost('ms to answer', answerMs, 75);
    bench.atMost('ms until it is used again', backMs, openMs(bench) + 200);
    return { 'answer ms': answerMs, 'breaker ms': breakerMs, questions, 'back ms': backMs };
  },
};

const hangs: BenchRow = {
  id: 'U2',
  name: 'the upstream hangs before its headers – 504 upstream_timeout once net.timeout is over, and the connection is not used again',
  fast: true,
  async run(bench) {
    const { gateway, upstream } = await impatientSetup(bench);
    upstream.does(() => undefined);
    const answer = await gateway.ask(anyUser());
    assertRefused(answer, 504, 'upstream_timeout');
    await bench.until(() => upstream.open === 0);
    bench.atMost('ms beyond the timeout', answer.ms - HASTY_MS, 60);
    return { 'beyond ms': answer.ms - HASTY_MS, open: upstream.open };
  },
};

/** A port whose connections never stand: its thread sleeps, and its queue is full. */
async function openBlackHole(bench: FaultBench): Promise<number> {
  const code = `
    const { parentPort } = require('node:worker_threads');
    const server = require('node:net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
      parentPort.postMessage(server.address().port);
      setTimeout(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0), 10);
    });`;
  const worker = new Worker(code, { eval: true });
  bench.own({ stop: () => worker.terminate() });
  const [port] = (await once(worker, 'message')) as [number];
  await bench.sleep(30);
  for (;;) {
    const socket = connect(port, '127.0.0.1');
    bench.own({ stop: () => socket.destroy() });
    socket.on('error', () => undefined);
    if ((await Promise.race([once(socket, 'connect'), bench.sleep(100)])) === undefined) return port;
  }
}

const blackHole: BenchRow = {
  id: 'U3',
  name: 'the upstream does not answer a SYN – 503 upstream_unavailable once net.connectTimeout is over, long before net.timeout',
  async run(bench) {
    const port = await openBlackHole(bench);
    const net = 'timeout: 5s, connectTimeout: 150ms, retries: { max: 0 }';
    const gateway = await bench.gateway(
      faultyOptions(sourceFile('faulty', `http://127.0.0.1:${port}`, net), { deadline: '10s' }),
    );
    const answer = await gateway.ask(anyUser());
    assertRefused(answer, 503, 'upstream_unavailable');
    bench.atMost('ms beyond the limit', answer.ms - 150, 75);
    return { 'beyond ms': answer.ms - 150 };
  },
};

const drips: BenchRow = {
  id: 'U4',
  name: 'the upstream drips its body – 504 upstream_timeout at net.timeout, however often a byte comes; the connection is ended',
  async run(bench) {
    const { gateway, upstream } = await faultySetup(bench);
    upstream.does(({ id, socket }) => {
      const bytes = answerOf(200, goodBody(id));
      let at = bytes.length - 30;
      socket.write(bytes.subarray(0, at));
      const drip = setInterval(() => socket.write(bytes.subarray(at, (at += 1))), 50);
      socket.once('close', () => clearInterval(drip));
    });
    const answer = await gateway.ask(anyUser());
    assertRefused(answer, 504, 'upstream_timeout');
    await bench.until(() => upstream.open === 0);
    bench.atMost('ms beyond the timeout', answer.ms - timeoutMs(bench), 60);
    return { 'beyond ms': answer.ms - timeoutMs(bench), open: upstream.open };
  },
};

const truncates: BenchRow = {
  id: 'U5',
  name: 'the upstream resets in the middle of a body, with a length and in chunks – 502 upstream_error, and nothing is kept; passed through, the connection is ended: never a body that looks complete',
  fast: true,
  async run(bench) {
    const { gateway, upstream } = await faultySetup(bench);
    let slowestMs = 0;
    let complete = 0;
    for (const framing of ['Content-Length: 4096', 'Transfer-Encoding: chunked']) {
      upstream.does(({ id, socket }) => {
        const body = framing.startsWith('C')
          ? goodBody(id)
          : `${goodBody(id).length.toString(16)}\r\n${goodBody(id)}`;
        socket.write(answerOf(200, body, [framing]), () => setTimeout(() => socket.resetAndDestroy(), 5));
      });
      const path = anyUser();
      const answer = await gateway.ask(path);
      assertRefused(answer, 502, 'upstream_error');
      slowestMs = Math.max(slowestMs, answer.ms);
      const passed = await gateway.ask('/legacy/raw/1', { key: gateway.configuredKey }).then(
        ({ status }) => status,
        () => 'ended',
      );
      if (passed !== 'ended') complete += 1;
      upstream.does(answerWell);
      assert.equal((await gateway.ask(path)).status, 200);
    }
    assert.equal(complete, 0);
    return { 'answer ms': slowestMs, complete };
  },
};

/** The upstream cannot be had, or breaks off. */
export const upstreamLoss: readonly BenchRow[] = [refuses, hangs, blackHole, drips, truncates];
