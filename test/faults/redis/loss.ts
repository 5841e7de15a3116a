import assert from 'node:assert/strict';
import { Redis } from 'ioredis';
import { startIssuer } from '../../support/auth/issuer-server.ts';
import type { FaultBench } from '../harness/bench.ts';
import { startChaosProxy } from '../harness/harm/chaos-proxy.ts';
import { assertRefused } from '../harness/errors.ts';
import { boundedFigure, measureHarm, untilUsed } from '../harness/harm/redis-harm.ts';
import type { BenchRow } from '../harness/row.ts';

/** So many callers' keys that each is looked up again and again while the others ask. */
const KEYS = 16;

/** How long a harm lasts: longer than the second of silence after which a connection is dropped. */
const holdMs = ({ strict }: FaultBench) => (strict ? 2_500 : 300);

/** Warnings that are no line of a request. */
function warnings(lines: readonly Record<string, unknown>[]): number {
  return lines.filter(({ level, requestId }) => Number(level) >= 40 && requestId === undefined).length;
}

const downAtStart: BenchRow = {
  id: 'R1',
  name: 'Redis is down at start – it starts; /readyz?strict 503; configured keys and tokens 200, counted alone; other keys 503 upstream_unavailable; one warning',
  async run(bench) {
    const redis = await bench.redis();
    await redis.kill();
    const issuer = bench.own(await startIssuer());
    const jwt = { issuer: issuer.issuer, audience: issuer.audience, jwksUrl: issuer.jwksUrl, tier: 'bench' };
    const startedAt = performance.now();
    const gateway = await bench.gateway({ config: { redis: { url: redis.url }, auth: { jwt } }, keys: 0 });
    const startMs = performance.now() - startedAt;
    assert.equal(await gateway.isReady(), false);
    const token = await issuer.token('ES256');
    let slowestMs = 0;
    for (let n = 1; n <= 20; n += 1) {
      const path = `/v1/users?limit=${n}`;
      const served = [await gateway.ask(path), await gateway.ask(path, { key: token })];
      for (const { status } of served) assert.equal(status, 200);
      const stored = await gateway.ask(path, { key: bench.mint().key });
      assertRefused(stored, 503, 'upstream_unavailable');
      slowestMs = Math.max(slowestMs, ...[...served, stored].map(({ ms }) => ms));
    }
    const measured = warnings(gateway.log());
    assert.equal(measured, 1, 'one outage is one warning, however many requests it meets');
    await redis.restart();
    let recoveryMs = 0;
    await gateway.load(async () => (recoveryMs = await untilUsed(bench, gateway)));
    return { 'start ms': startMs, ...boundedFigure(bench, slowestMs, recoveryMs), warnings: measured };
  },
};

const dies: BenchRow = {
  id: 'R2',
  name: 'Redis dies under load – keys known here 200 for 60 s; others 503 upstream_unavailable, never 401',
  async run(bench) {
    const redis = await bench.redis();
    const gateway = await bench.gateway({ config: { redis: { url: redis.url } }, keys: KEYS });
    const unknown = bench.mint();
    await gateway.withStored(({ store }) => store.create(unknown.record));
    const figure = await measureHarm(bench, gateway, { harm: () => redis.kill(), holdMs: holdMs(bench) });
    assertRefused(await gateway.ask('/v1/users', { key: unknown.key }), 503, 'upstream_unavailable');
    assert.equal((await gateway.ask('/v1/users', { key: gateway.configuredKey })).status, 200);
    assert.equal(await gateway.isReady(), false);
    return figure;
  },
};

const comesBack: BenchRow = {
  id: 'R3',
  name: 'Redis dies, and comes back with what it held – used again within 1 s; no storm of connections',
  async run(bench) {
    const redis = await bench.redis('--appendonly', 'yes', '--appendfsync', 'always');
    const proxy = bench.own(await startChaosProxy(redis.port));
    const url = `redis://127.0.0.1:${proxy.port}`;
    const gateway = await bench.gateway({ config: { redis: { url } }, keys: KEYS });
    let attempts = 0;
    const figure = await measureHarm(bench, gateway, {
      async harm() {
        await redis.kill();
        attempts = -proxy.connections;
      },
      holdMs: 3_000,
      async heal() {
        attempts += proxy.connections;
        await redis.restart();
      },
    });
    const perSecond = attempts / 3;
    assert.ok(perSecond <= 10, `${perSecond} attempts to connect per second`);
    return { ...figure, 'attempts/s': perSecond };
  },
};

const slow: BenchRow = {
  id: 'R4',
  name: 'Redis does not answer for 2 s (DEBUG SLEEP, CLIENT PAUSE) – at most 110 ms added, then it is not asked; 200',
  async run(bench) {
    const redis = await bench.redis('--enable-debug-command', 'yes');
    const gateway = await bench.gateway({ config: { redis: { url: redis.url } }, keys: KEYS });
    const client = new Redis(redis.url);
    bench.own({ close: () => client.disconnect() });
    let over: Promise<unknown> = Promise.resolve();
    const asleep = await measureHarm(bench, gateway, {
      harm: () => void (over = client.call('DEBUG', 'SLEEP', '2')),
      holdMs: 100,
      heal: () => over,
    });
    const paused = await measureHarm(bench, gateway, {
      harm: () => client.client('PAUSE', 2_000, 'ALL'),
      holdMs: 2_000,
      heal: () => undefined,
    });
    const most = (name: string) => Math.max(Number(asleep[name]), Number(paused[name]));
    return {
      'added ms': most('added ms'),
      'recovery ms': most('recovery ms'),
      answers: asleep['answers'] ?? '',
    };
  },
};

const hangs: BenchRow = {
  id: 'R5',
  name: 'Redis hangs: it accepts connections and says nothing (SIGSTOP) – at most 110 ms added, then it is not asked; 200; /readyz?strict 503, also where nobody asks',
  fast: true,
  async run(bench) {
    const redis = await bench.redis();
    const impatient = { url: redis.url, commandTimeout: '100ms', connectTimeout: '500ms' };
    const gateway = await bench.gateway({ config: { redis: impatient }, keys: KEYS });
    await redis.pause();
    const measured = await bench.until(async () => !(await gateway.isReady()));
    bench.atMost('ms until /readyz tells', measured, 500);
    redis.resume();
    await bench.until(() => gateway.isReady());
    const figure = await measureHarm(bench, gateway, {
      harm: () => redis.pause(),
      holdMs: holdMs(bench),
      heal: () => redis.resume(),
    });
    return { ...figure, 'readyz ms': measured };
  },
};

const blackHole: BenchRow = {
  id: 'R6',
  name: 'the way to Redis is a black hole – as R5',
  async run(bench) {
    const redis = await bench.redis();
    const proxy = bench.own(await startChaosProxy(redis.port));
    const url = `redis://127.0.0.1:${proxy.port}`;
    const gateway = await bench.gateway({ config: { redis: { url } }, keys: KEYS });
    proxy.setFault({ hole: true });
    const measured = await bench.until(async () => !(await gateway.isReady()));
    bench.atMost('ms until /readyz tells', measured, 500);
    proxy.setFault();
    await bench.until(() => gateway.isReady());
    const figure = await measureHarm(bench, gateway, {
      harm: () => proxy.setFault({ hole: true }),
      holdMs: holdMs(bench),
      heal: () => proxy.setFault(),
    });
    return { ...figure, 'detect ms': measured };
  },
};

/** Redis is not there, or does not answer. */
export const redisLossRows: readonly BenchRow[] = [downAtStart, dies, comesBack, slow, hangs, blackHole];
