import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { assertRefused } from '../harness/errors.ts';
import { inject } from '../harness/harm/injected.ts';
import type { BenchRow } from '../harness/row.ts';

const STALL_MS = 500;

const stalled: BenchRow = {
  id: 'P3',
  name: `the event loop stands still for ${STALL_MS} ms under load – waiting callers are answered once it turns again; one stall is no overload and refuses nobody`,
  // On a busy machine one stall follows another; test/unit/http/shedding/queue-delay.test.ts shows the same in the suite.
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

const tooMuchOfOne: BenchRow = {
  id: 'P4',
  name: 'a legacy service hangs, and requests for it pile up – 503 overloaded with Retry-After beyond overload.inFlightMax of its route; everything else is served',
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
        passthrough: [
          // No breaker: it would open.
          {
            ...{ name: 'hanging', path: '/hanging', upstream, permission: null, deadline: '1s' },
            breaker: { calls: 1_000_000 },
          },
        ],
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
export const processLoad: readonly BenchRow[] = [stalled, tooMuchOfOne];
