import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { request } from '../support/raw-client.ts';
import type { FaultBench } from './harness/bench.ts';
import { assertRefused } from './harness/errors.ts';
import { inject } from './harness/injected.ts';
import { offer, type OpenLoop } from './harness/offer.ts';
import type { FaultRow, Figure } from './harness/row.ts';

const STALL_MS = 500;

const stalled: FaultRow = {
  id: 'P3',
  fault: `the event loop stands still for ${STALL_MS} ms under load`,
  expected: 'whoever waited is answered once it turns again; one stall is no overload and refuses nobody',
  figure: 'slowest ms; p99 ms; ms until answers are as quick as before',
  fast: true,
  async run(bench) {
    const injected = bench.own(
      inject(`const end = performance.now() + ${STALL_MS}; while (performance.now() < end);`),
    );
    const config = { overload: { eventLoopDelayMax: '50ms' } };
    const gateway = await bench.gateway({ env: injected.env, config });
    let stalledAt = 0;
    const load = await gateway.load(
      async () => {
        await bench.sleep(200);
        stalledAt = performance.now();
        gateway.process.signal('SIGUSR2');
        await bench.sleep(STALL_MS + 500);
      },
      { callers: 20, pauseMs: 5, path: (n) => `/v1/users?limit=${1 + (n % 10)}` },
    );
    assert.deepEqual(Object.keys(load.statuses), ['200']);
    const slowestMs = load.slowestMs();
    assert.ok(slowestMs > STALL_MS / 2, 'the loop did stand still');
    const quickMs = Math.max(20, 3 * load.quantileMs(0.5));
    const slow = load.answers.filter(({ ms, askedAt }) => ms > quickMs && askedAt > stalledAt);
    const recoveredMs = Math.max(0, ...slow.map(({ askedAt, ms }) => askedAt + ms)) - stalledAt;
    bench.atMost('ms until answers are quick', recoveredMs, STALL_MS + 1_000);
    return {
      'slowest ms': slowestMs,
      'p99 ms': load.quantileMs(0.99),
      'recovered ms': Math.max(0, recoveredMs),
    };
  },
};

const CONNECTIONS = 2_000;
const PEAK_PART_MIN = 0.9;
const P99_TIMES_MAX = 2;

/** Asks at 1 and 4 times what a gateway can do, and holds the second to the first. */
async function overloaded(bench: FaultBench, plan: OpenLoop): Promise<Figure> {
  const measure = (times: number, obeys: boolean) =>
    offer({ ...plan, perSecond: plan.perSecond * times, obeys });
  const peak = await measure(1, true);
  const over = await measure(4, true);
  const defied = await measure(4, false);
  for (const { other, broken } of [peak, over, defied])
    assert.deepEqual({ other, broken }, { other: 0, broken: 0 });
  // Bounds are upper ones: what is lost of the peak, in percent.
  const lost = (good: number) => 100 * Math.max(0, 1 - good / peak.goodPerSecond);
  bench.atMost('percent of goodput lost at four times', lost(over.goodPerSecond), 100 * (1 - PEAK_PART_MIN));
  bench.atMost('p99 ms at four times', over.p99Ms, P99_TIMES_MAX * peak.p99Ms);
  return {
    'good/s at 1x': peak.goodPerSecond,
    'at 4x': over.goodPerSecond,
    'at 4x by callers who never wait': defied.goodPerSecond,
    'p99 ms at 1x': peak.p99Ms,
    'p99 at 4x': over.p99Ms,
    'refused at 4x': over.refused,
  };
}

const listOf = (key: string) => request('GET', '/v1/users?limit=10&page={n}', [`X-API-Key: ${key}`]);

const tooManyHits: FaultRow = {
  id: 'P4',
  fault: `four times as many requests for kept answers as a process can answer, on ${CONNECTIONS} connections`,
  expected:
    'goodput at least 90 % of the peak, p99 of what is accepted at most twice that at the peak; the rest is 503 overloaded with Retry-After',
  figure: 'answers per second and p99 at once and four times the capacity',
  fast: false,
  async run(bench) {
    const gateway = await bench.gateway({
      config: { overload: { eventLoopDelayMax: '50ms' }, resources: { users: { cache: { fresh: '600s' } } } },
    });
    const usual = { port: gateway.port, request: listOf(gateway.configuredKey), seconds: 4, obeys: true };
    const most = await offer({ ...usual, perSecond: 1e6, connections: 64, warmSeconds: 3 });
    const figure = await overloaded(bench, {
      ...usual,
      perSecond: most.goodPerSecond,
      connections: CONNECTIONS,
      warmSeconds: 2,
    });
    return { 'good/s on 64 busy connections': most.goodPerSecond, ...figure };
  },
};

const tooMuchOfOne: FaultRow = {
  id: 'P4',
  fault: 'a legacy service hangs, and requests for it pile up',
  expected:
    '503 overloaded with Retry-After beyond overload.inFlightMax of its route; everything else is served',
  figure: 'accepted; refused; p99 ms of the others meanwhile',
  fast: false,
  async run(bench) {
    const MAX = 20;
    const hanging = createServer(() => undefined).listen(0, '127.0.0.1');
    bench.own({ stop: () => (hanging.closeAllConnections(), hanging.close()) });
    await once(hanging, 'listening');
    const upstream = `http://127.0.0.1:${(hanging.address() as AddressInfo).port}`;
    const gateway = await bench.gateway({
      config: {
        overload: { inFlightMax: MAX },
        limits: { anonymousTier: 'bench' },
        passthrough: [{ name: 'hanging', path: '/hanging', upstream, permission: null, deadline: '1s' }],
      },
    });
    const waiting = Array.from({ length: MAX }, () => gateway.ask('/hanging'));
    await bench.until(async () => (await gateway.counted('portico_requests_in_flight')) === MAX);
    const beyond = await Promise.all([1, 2, 3].map(() => gateway.ask('/hanging')));
    for (const answer of beyond) {
      assertRefused(answer, 503, 'overloaded');
      assert.equal(answer.headers['retry-after'], '1');
    }
    const others = await gateway.load(() => bench.sleep(200));
    assert.deepEqual(Object.keys(others.statuses), ['200']);
    for (const answer of await Promise.all(waiting)) assertRefused(answer, 504, 'upstream_timeout');
    // Once they are over, there is room again.
    assertRefused(await gateway.ask('/hanging'), 504, 'upstream_timeout');
    const refused = await gateway.counted(
      'portico_overload_refusals_total',
      'operation="passthrough.hanging"',
    );
    assert.equal(refused, beyond.length);
    assert.equal(
      gateway.log().filter(({ msg }) => msg === 'overloaded: some requests are refused').length,
      1,
    );
    return { accepted: MAX, refused, 'p99 ms of others': others.quantileMs(0.99) };
  },
};

/** More than a process can do. */
export const processLoad: readonly FaultRow[] = [stalled, tooManyHits, tooMuchOfOne];
