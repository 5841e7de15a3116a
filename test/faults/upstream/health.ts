import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assertRefused } from '../harness/errors.ts';
import {
  answerOf,
  answerWell,
  anyUser,
  askHalfOpen,
  breakingSetup,
  faultyOptions,
  faultySetup,
  openMs,
  sourceFile,
} from '../harness/harm/faulty-source.ts';
import { startUpstream, writing } from '../../support/upstream/scripted-upstream.ts';
import type { BenchRow } from '../harness/row.ts';

const limits: BenchRow = {
  id: 'U16',
  name: 'the upstream limits: 429 and 503 with Retry-After in seconds, as a date, of 10^9 seconds, or junk – 503 upstream_unavailable with Retry-After; nobody asks it before the pause is over, which is bounded by net.retries.pauseMax',
  fast: true,
  async run(bench) {
    const { gateway, upstream } = await faultySetup(bench);
    const date = new Date(Date.now() + 20_000).toUTCString();
    const cases: [number, string, RegExp][] = [
      [429, '7', /^7$/],
      [429, date, /^(1\d|2\d)$/],
      [503, '1000000000', /^86400$/],
      [429, 'soon, perhaps', /^5$/],
    ];
    let within = 0;
    let longestMs = 0;
    for (const [status, value, expected] of cases) {
      upstream.does(
        ({ socket }) =>
          void socket.write(
            answerOf(status, '{}', [`Retry-After: ${value}`, `Date: ${new Date().toUTCString()}`]),
          ),
      );
      const pausedAt = performance.now();
      const first = await gateway.ask(anyUser());
      assertRefused(first, 503, 'upstream_unavailable');
      assert.match(first.headers['retry-after']!, expected);
      const { calls } = upstream;
      upstream.does(answerWell);
      for (let n = 0; n < 10; n += 1) {
        const refused = await gateway.ask(anyUser());
        if (performance.now() - pausedAt > 250) break;
        assertRefused(refused, 503, 'upstream_unavailable');
        assert.equal(refused.headers['retry-after'], '1');
        within = Math.max(within, upstream.calls - calls);
      }
      await bench.until(async () => (await gateway.ask(anyUser())).status === 200);
      longestMs = Math.max(longestMs, performance.now() - pausedAt);
    }
    assert.equal(within, 0);
    bench.atMost('ms of the longest pause', longestMs, 450);
    return { 'calls in pauses': within, 'longest ms': longestMs };
  },
};

const fails: BenchRow = {
  id: 'U17',
  name: 'the upstream answers 503 for a while, and now and then – at most one retry of a call and of one call in ten; then the breaker is open and one call at a time looks whether it is over',
  async run(bench) {
    const { gateway, upstream } = await breakingSetup(bench);
    const failing = ({ socket }: { socket: { write(bytes: Buffer): unknown } }) =>
      void socket.write(answerOf(503, 'busy', ['Content-Type: text/plain']));
    upstream.does(failing);
    const state = () => gateway.counted('portico_breaker_state', 'source="faulty"');
    const from = upstream.calls;
    let questions = 0;
    let mostCalls = 0;
    while ((await state()) !== 2) {
      const before = upstream.calls;
      const answer = await gateway.ask(anyUser());
      // The health probe may have opened the breaker since its state was read.
      if (answer.status === 503 && (await state()) === 2) break;
      assertRefused(answer, 502, 'upstream_error');
      mostCalls = Math.max(mostCalls, upstream.calls - before);
      questions += 1;
    }
    const factor = (upstream.calls - from) / questions;
    assert.ok(mostCalls <= 2, 'one retry of a call at most');
    // One in ten, those that were kept from better times, and the health probe.
    assert.ok(upstream.calls - from <= questions * 1.1 + 12, `${factor} calls per question`);
    const open = upstream.calls;
    for (let n = 0; n < 20; n += 1) assertRefused(await gateway.ask(anyUser()), 503, 'upstream_unavailable');
    assert.equal(upstream.calls, open, 'nothing is asked while the breaker is open');
    await bench.sleep(openMs(bench) + 20);
    const crowd = await askHalfOpen(upstream, () => gateway.ask(anyUser()), failing);
    const probes = upstream.calls - open;
    assert.equal(crowd.filter(({ status }) => status === 503).length, 49);
    assert.ok(probes <= 2, 'the call of a caller, and when that has failed, the health probe');
    upstream.does(answerWell);
    const backMs = await bench.until(async () => (await gateway.ask(anyUser())).status === 200);
    bench.atMost('ms until it is used again', backMs, openMs(bench) + 200);
    return { factor: Math.round(factor * 100) / 100, probes, 'back ms': backMs };
  },
};

const idleCloses: BenchRow = {
  id: 'U19',
  name: 'the upstream ends idle connections just as they are used again – no caller sees it: what was never received is sent again on a new connection',
  fast: true,
  async run(bench) {
    const { gateway, upstream } = await faultySetup(bench);
    upstream.does((asked) => {
      answerWell(asked);
      setTimeout(() => asked.socket.destroy(), 20);
    });
    let failures = 0;
    let questions = 0;
    const askOn = async () => {
      for (let n = 0; n < (bench.strict ? 100 : 15); n += 1) {
        questions += 1;
        if ((await gateway.ask(anyUser())).status !== 200) failures += 1;
        await bench.sleep(15 + Math.random() * 10);
      }
    };
    await Promise.all(Array.from({ length: 4 }, askOn));
    assert.equal(failures, 0);
    return { questions, failures };
  },
};

/** Has a process look names up in a file: `moving.example` is whatever address stands there. */
function lookUpIn(folder: string, addressFile: string): string {
  const file = join(folder, 'lookup.mjs');
  const code = `
    import dns from 'node:dns';
    import { readFileSync } from 'node:fs';
    const real = dns.lookup;
    dns.lookup = (name, options, done) => {
      if (name !== 'moving.example') return real(name, options, done);
      const address = readFileSync(${JSON.stringify(addressFile)}, 'utf8');
      if (address === '') return done(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }));
      return options.all ? done(null, [{ address, family: 4 }]) : done(null, address, 4);
    };`;
  writeFileSync(file, code);
  return `--import=${file}`;
}

const names: BenchRow = {
  id: 'U23',
  name: 'the name of the upstream is not found, and then leads elsewhere – 503 upstream_unavailable at once; a name is looked up for every new connection',
  async run(bench) {
    const folder = mkdtempSync(join(tmpdir(), 'portico-names-'));
    bench.own({ close: () => rmSync(folder, { recursive: true }) });
    const addressFile = join(folder, 'address');
    const lead = (address: string) => writeFileSync(addressFile, address);
    const old = bench.own(await startUpstream(writing(answerWell)));
    const next = bench.own(await startUpstream(writing(answerWell), { host: '127.0.0.2', port: old.port }));
    lead('');
    const file = sourceFile('faulty', `http://moving.example:${old.port}`, 'timeout: 600ms');
    const env = { NODE_OPTIONS: lookUpIn(folder, addressFile) };
    const gateway = await bench.gateway({ ...faultyOptions(file), env });
    const lost = await gateway.ask(anyUser());
    assertRefused(lost, 503, 'upstream_unavailable');
    lead('127.0.0.1');
    assert.equal((await gateway.ask(anyUser())).status, 200);
    lead('127.0.0.2');
    await old.down();
    const movedMs = await bench.until(async () => (await gateway.ask(anyUser())).status === 200);
    assert.ok(next.calls > 0);
    bench.atMost('ms to answer', lost.ms, 150);
    return { 'answer ms': lost.ms, 'moved ms': movedMs };
  },
};

/** How the upstream fares, and what is made of it. */
export const upstreamHealth: readonly BenchRow[] = [limits, fails, idleCloses, names];
