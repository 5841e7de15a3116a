import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectRaw, request } from '../../support/raw-client.ts';
import type { RedisServer } from '../../support/redis.ts';
import type { FaultBench, OpenBench } from './bench.ts';
import { type ChaosProxy, startChaosProxy } from './chaos-proxy.ts';
import { checkGateway } from './checks.ts';
import type { FaultGateway } from './gateway.ts';
import { inject } from './injected.ts';
import type { Figure } from './row.ts';

/** How long one stretch of mixed load with one fault is, before everything is looked at. */
const STRETCH_MS = 10_000;
const CALLERS = 6;
const PAUSE_MS = 25;
/** The first stretches fill what is bounded: caches, pools, compiled code. */
const WARM_STRETCHES = 10;

const TELL_HEAP = `for (let n = 0; n < 3; n += 1) gc();
  process.stderr.write('heap ' + process.memoryUsage().heapUsed + '\\n');`;
const EXPOSE_GC = `process.getBuiltinModule('v8').setFlagsFromString('--expose-gc');
  const gc = process.getBuiltinModule('vm').runInNewContext('gc');`;

type Place = { readonly gateway: FaultGateway; readonly redis: RedisServer; readonly upstream: ChaosProxy };

/** The faults, one after the other; each is over when it resolves. */
const faults: readonly ((place: Place) => Promise<unknown>)[] = [
  () => sleep(4_000),
  async ({ redis }) => {
    await redis.pause();
    await sleep(3_000);
    redis.resume();
  },
  async ({ upstream }) => {
    for (let n = 0; n < 15; n += 1) {
      upstream.reset();
      await sleep(200);
    }
  },
  async ({ redis }) => {
    await redis.kill();
    await sleep(2_000);
    await redis.restart();
  },
  async ({ upstream }) => {
    upstream.afflict({ latencyMs: 400 });
    await sleep(4_000);
    upstream.afflict();
  },
  async ({ upstream }) => {
    upstream.afflict({ limitBytes: 600 }, 'answers');
    await sleep(3_000);
    upstream.afflict();
    upstream.reset();
  },
  async ({ upstream }) => {
    await upstream.down();
    await sleep(2_000);
    await upstream.up();
  },
];

/** Snapshots keep what they found for a filter, up to a bound: so few filters that all are kept early. */
const FILTERS = 330;

/** Question number `n` of the mixed load: kept answers, new ones, none, orders passed through, bad keys, callers who leave. */
async function askOne({ port, configuredKey, ask }: FaultGateway, n: number): Promise<unknown> {
  switch (n % 10) {
    case 0:
      return ask(`/v1/users?page=${1 + n}&limit=7`);
    case 1:
      return ask(`/v1/products?limit=${1 + (n % 100)}&min_price=${n % FILTERS}`);
    case 2:
      return ask(`/v1/users/user_${90_000 + n}`);
    case 3:
      return ask('/legacy/orders');
    case 4:
      return ask('/v1/users?limit=2', { key: `ptk_nobody_${n}` });
    case 5: {
      const caller = await connectRaw(port);
      caller.send(request('GET', `/v1/users?page=${1 + n}&limit=9`, [`X-API-Key: ${configuredKey}`]));
      await sleep(n % 7);
      caller.close();
      return undefined;
    }
    default:
      return ask(`/v1/users?limit=${1 + (n % 5)}`);
  }
}

/** Mixed load until `work` has ended; counts what was asked. */
async function mixedLoad(gateway: FaultGateway, from: number, work: () => Promise<unknown>): Promise<number> {
  let [n, over] = [from, false];
  const isOver = () => over;
  const callers = Array.from({ length: CALLERS }, async () => {
    while (!isOver()) {
      await askOne(gateway, (n += 1));
      await sleep(PAUSE_MS);
    }
  });
  await work();
  over = true;
  await Promise.all(callers);
  return n;
}

/** The heap once all that is garbage has gone, in MiB. */
async function heapMib(bench: FaultBench, { process }: FaultGateway): Promise<number> {
  const told = () => [...process.err.matchAll(/^heap (\d+)$/gm)];
  const before = told().length;
  process.signal('SIGUSR2');
  await bench.until(() => told().length > before);
  return Number(told().at(-1)![1]) / 1024 ** 2;
}

/** The slope of the least squares, by step. */
function slopeOf(values: readonly number[]): number {
  const middle = (values.length - 1) / 2;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const over = values.reduce((sum, value, at) => sum + (at - middle) * (value - mean), 0);
  const under = values.reduce((sum, _value, at) => sum + (at - middle) ** 2, 0);
  return over / under;
}

/** The users behind a proxy, everything else as usual; little room, so that what is bounded is full soon. */
async function openPlace(bench: FaultBench): Promise<Place> {
  const injected = bench.own(inject(TELL_HEAP, EXPOSE_GC));
  const redis = await bench.redis();
  const users = new URL(bench.samples.env['USERS_URL']!);
  const upstream = bench.own(await startChaosProxy(Number(users.port)));
  users.port = String(upstream.port);
  const gateway = await bench.gateway({
    config: { redis: { url: redis.url }, cache: { localBytes: '256KiB' } },
    env: { ...injected.env, USERS_URL: users.href.replace(/\/$/, '') },
    keys: 0,
  });
  return { gateway, redis, upstream };
}

/** Mixed load with mixed faults for so long. Throws where anything is wrong; tells how the heap and the descriptors went. */
export async function soak(
  bench: FaultBench,
  minutes: number,
  tell: (text: string) => void = () => undefined,
): Promise<Figure> {
  const place = await openPlace(bench);
  const { gateway } = place;
  const endsAt = performance.now() + minutes * 60_000;
  const heap: number[] = [];
  const files: number[] = [];
  let [asked, wrong, stretch] = [0, 0, 0];
  for (; performance.now() < endsAt; stretch += 1) {
    const fault = faults[stretch % faults.length]!;
    asked = await mixedLoad(gateway, asked, async () => {
      await Promise.all([fault(place), sleep(STRETCH_MS)]);
    });
    const checked = await checkGateway(bench as OpenBench, gateway);
    assert.deepEqual(checked.broken, []);
    wrong += checked.wrong;
    gateway.checked.mark();
    heap.push(await heapMib(bench, gateway));
    files.push(readdirSync(`/proc/${gateway.process.pid}/fd`).length);
    tell(`${stretch + 1}: asked ${asked}, heap ${heap.at(-1)!.toFixed(2)} MiB, descriptors ${files.at(-1)!}`);
  }
  const settled = heap.slice(WARM_STRETCHES);
  const perTenMinutes = (slopeOf(settled) * heap.length * 10) / minutes;
  bench.atMost('MiB of heap in ten minutes', perTenMinutes, 1);
  const spread = Math.max(...files.slice(WARM_STRETCHES)) - Math.min(...files.slice(WARM_STRETCHES));
  bench.atMost('descriptors more', files.at(-1)! - files[WARM_STRETCHES]!, 4);
  return {
    minutes,
    asked,
    wrong,
    'heap MiB': settled.at(-1)!,
    'MiB in ten minutes': perTenMinutes,
    descriptors: files.at(-1)!,
    'their spread': spread,
  };
}
