/*
 * What a fleet asks of its Redis: `npm run bench:fleet`, on a machine with nothing else to do. Everything is done twice: once
 * Redis names its commands (MONITOR), which costs bytes and CPU itself, and once these two are read.
 */

import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { createSharedPurges } from '../../src/store/cache/purges.ts';
import { SlidingRedis } from '../../src/store/limiter/sliding-redis.ts';
import { divideWindow } from '../../src/store/limiter/sub-windows.ts';
import { createRedisKeys } from '../../src/store/redis/redis-keys.ts';
import { offer } from '../faults/harness/load/offer.ts';
import { startRedisCluster } from '../support/redis/cluster.ts';
import { openConsoleTabs } from './console-tabs.ts';
import { type Portico, type PorticoOptions, startPortico } from './portico-server.ts';
import { startRedis, startUpstream } from './rivals.ts';

/** How long everything takes, and the parts that are measured, by name; all by default. */
const [seconds = '10', ...chosen] = process.argv.slice(2);
const SECONDS = Number(seconds);
const keys = createRedisKeys('portico:');

/** What a Redis was asked: commands by kind, bytes, and µs of its CPU. */
type Asked = { commands: ReadonlyMap<string, number>; toRedis: number; fromRedis: number; cpu: number };
type Gateways = readonly Portico[];
type Options = Omit<PorticoOptions, 'name'>;

/** What a line of MONITOR is about: the first word of the key, or the command where it has no key of Portico's. */
function kindOf(line: string): string {
  const [, kind] = /"portico:\{?([a-z-]+)/.exec(line) ?? /\] "(\w+)"/.exec(line) ?? [];
  return kind?.toLowerCase() ?? '';
}

async function readInfo(redis: Redis) {
  const text = String(await redis.call('INFO', 'stats', 'cpu'));
  const valueOf = (name: string) => Number(new RegExp(`^${name}:(\\S+)`, 'm').exec(text)?.[1]);
  const cpu = (valueOf('used_cpu_sys') + valueOf('used_cpu_user')) * 1e6;
  const fromRedis = valueOf('total_net_output_bytes');
  return { toRedis: valueOf('total_net_input_bytes'), fromRedis, cpu, ownBytes: text.length };
}

/** What a Redis is asked each second while something happens that takes `seconds`, beyond what `count` idle gateways ask. */
async function watch(
  redis: Redis,
  act: () => Promise<unknown>,
  { seconds = SECONDS, idle, count = 0 }: { seconds?: number; idle?: Asked; count?: number } = {},
): Promise<Asked> {
  const named = new Map<string, number>();
  const monitor = connect(redis.options.port ?? 0, '127.0.0.1');
  monitor.write('MONITOR\r\n');
  createInterface({ input: monitor }).on('line', (line) => {
    // Commands inside a script are no commands of a gateway.
    if (/^\+[\d.]+ \[\d+ (?!lua)/.test(line)) named.set(kindOf(line), (named.get(kindOf(line)) ?? 0) + 1);
  });
  const startedAt = performance.now();
  await act();
  const namedAt = performance.now();
  monitor.destroy();
  const before = await readInfo(redis);
  await act();
  const after = await readInfo(redis);
  const [first, second] = [namedAt - startedAt, performance.now() - namedAt].map((ms) => ms / 1_000);
  const each = (sum: number, whole = 0, other = 0) => (sum - count * whole * other) / seconds;
  return {
    commands: new Map([...named].map(([kind, sum]) => [kind, each(sum, first, idle?.commands.get(kind))])),
    toRedis: each(after.toRedis - before.toRedis, second, idle?.toRedis),
    fromRedis: each(after.fromRedis - before.fromRedis - before.ownBytes, second, idle?.fromRedis),
    cpu: each(after.cpu - before.cpu, second, idle?.cpu),
  };
}

/** Prints the figures of a second, or of one of `perSecond` requests, and the kinds of commands in some seconds. */
function print(name: string, asked: Asked, perSecond = 1, seconds = 1): void {
  const of = (sum: number, digits = 0) => (sum / perSecond).toFixed(digits);
  const kinds = [...asked.commands].sort(([, one], [, other]) => other - one);
  const shown = kinds.map(([kind, each]) => `${kind} ${(each * seconds).toFixed(1)}`).join(', ');
  const total = kinds.reduce((sum, [, each]) => sum + each, 0);
  console.log(
    `${name}: ${of(total, 2)} commands, ${of(asked.toRedis)} B to Redis, ${of(asked.fromRedis)} B from it, ${of(asked.cpu)} µs of its CPU; in ${String(seconds)} s: ${shown}`,
  );
}

async function ask(gateways: Gateways, path: string, perSecond: number, seconds = SECONDS): Promise<void> {
  const { late, offered } = await offer({
    ports: gateways.map(({ url }) => Number(new URL(url).port)),
    request: `GET ${path} HTTP/1.1\r\nHost: bench\r\nX-API-Key: ${gateways[0]?.key ?? ''}\r\n\r\n`,
    ...{ perSecond, seconds, warmSeconds: 0, connections: 64, obeys: false },
  });
  if (late > 0.02 * offered) console.error(`${String(late)} of ${String(offered)} requests were not sent`);
}

let started = 0;
async function withFleet<T>(count: number, options: Options, act: (all: Gateways) => Promise<T>): Promise<T> {
  const gateways: Portico[] = [];
  try {
    while (gateways.length < count)
      gateways.push(await startPortico({ name: `gateway-${String((started += 1))}`, ...options }));
    return await act(gateways);
  } finally {
    await Promise.all(gateways.map((one) => one.stop()));
  }
}

const [ONE, HUNDRED, NEW] = ['/v1/users', '/v1/users?page={n}', '/v1/users?page={new}'];
const FEW = '20 per 1s, 600 per 60s';
const CASES = [
  { name: 'hit, one answer', path: ONE, rate: 20 },
  { name: 'hit, one answer', path: ONE, rate: 200 },
  { name: 'hit, a window of 1000 per 1s', path: ONE, rate: 200, windows: '1000 per 1s' },
  { name: 'hit, a window of 60000 per 60s', path: ONE, rate: 200, windows: '60000 per 60s' },
  { name: 'hit, 20 per 1s', path: ONE, rate: 9, windows: FEW },
  { name: 'refused, 20 per 1s', path: ONE, rate: 200, windows: FEW },
  { name: 'hit, 100 answers, localSeconds 5s', path: HUNDRED, rate: 200 },
  { name: 'hit, 100 answers, localSeconds 30s', path: HUNDRED, rate: 200, localSeconds: '30s' },
  { name: 'hit in Redis, localSeconds 0s', path: HUNDRED, rate: 50, localSeconds: '0s' },
  { name: 'miss', path: NEW, rate: 20 },
];

/** What a request costs Redis beyond what a gateway asks that nobody uses, by settings. */
async function costsOfRequests(redis: Redis, options: Options, idle: Asked): Promise<void> {
  console.log('\na request, beyond an idle gateway; one caller');
  for (const { name, path, rate, ...settings } of CASES)
    await withFleet(1, { ...options, ...settings }, async (gateways) => {
      await ask(gateways, path, rate, 3);
      const asked = await watch(redis, () => ask(gateways, path, rate), { idle, count: 1 });
      print(`${name}, ${String(rate)}/s`, asked, rate);
    });
}

/** The bytes that stand in Redis for each gateway. */
async function printSizes(redis: Redis): Promise<void> {
  for (const key of [keys.figures(0), keys.gatewayStates(0)]) {
    const names = await redis.keys(key.replace(/0$/, '*'));
    const values = await Promise.all(names.map((name) => redis.hvalsBuffer(name)));
    console.log(
      `${key}: at most ${String(Math.max(...values.flat().map((one) => one.length)))} B of a gateway`,
    );
  }
}

/** One Redis under more gateways. */
async function costsOfFleets(redis: Redis, options: Options, idle: Asked): Promise<void> {
  console.log('\na second of a fleet, beyond idle gateways; one caller asks for 100 answers');
  for (const count of [1, 2, 4])
    await withFleet(count, options, async (gateways) => {
      for (const rate of new Set([200, 100 * count])) {
        await ask(gateways, HUNDRED, rate, 3);
        const asked = await watch(redis, () => ask(gateways, HUNDRED, rate), { idle, count });
        print(`${String(count)} gateways, ${String(rate)}/s`, asked);
      }
      if (count < 4) return;
      const quiet = await watch(redis, () => sleep(1_000 * SECONDS));
      print('4 gateways that nobody asks, all of it', quiet);
      const tabs = openConsoleTabs(gateways[0]?.adminUrl ?? '');
      const asked = await watch(redis, () => sleep(1_000 * SECONDS), { idle, count });
      tabs.close();
      print('4 gateways, five tabs of the console', asked);
      await printSizes(redis);
    });
}

/** CPU of one kind of command, from 50 connections with one command at a time each. */
async function printCpu(
  redis: Redis,
  url: string,
  name: string,
  create: (of: Redis) => () => Promise<unknown>,
) {
  const connections = Array.from({ length: 50 }, () => new Redis(url));
  await Promise.all(connections.map((one) => one.ping()));
  const acts = connections.map(create);
  await Promise.all(acts.map((act) => act()));
  const before = await readInfo(redis);
  const until = performance.now() + SECONDS * 500;
  let count = 0;
  await Promise.all(
    acts.map(async (act) => {
      for (; performance.now() < until; count += 1) await act();
    }),
  );
  const cpu = ((await readInfo(redis)).cpu - before.cpu) / count;
  for (const connection of connections) connection.disconnect();
  console.log(`${name}: ${cpu.toFixed(1)} µs, so a core takes ${(1e6 / cpu).toFixed(0)} a second`);
}

/** What one key takes: it stands in one slot, so on one core. */
async function costsOfKeys(redis: Redis, url: string): Promise<void> {
  console.log('\na command of Redis');
  const reserve = (points: number) => (connection: Redis) => {
    const windows = [1, 60].map((seconds) => ({ points, seconds }));
    const counts = new SlidingRedis(connection, windows.map(divideWindow));
    const key = keys.tierCounts('bench', windows, 'key:hottest');
    return () => counts.reserve(key, { needed: 1, batch: 0, unspent: undefined });
  };
  const read = (key: string) => (connection: Redis) => () => connection.getBuffer(key);
  await redis.mset('record', 'x'.repeat(400), 'answer', 'x'.repeat(6_500));
  await printCpu(redis, url, 'points for a caller', reserve(1e9));
  await printCpu(redis, url, 'a refusal', reserve(20));
  await printCpu(redis, url, 'a record of 400 B', read('record'));
  await printCpu(redis, url, 'an answer of 6,500 B', read('answer'));
  await printCpu(redis, url, 'the purges', (connection) => {
    const purges = createSharedPurges(connection, keys);
    purges.close();
    return () => purges.refresh();
  });
}

/** What each master of a cluster is asked by a gateway that nobody uses, and where the keys stand that all gateways ask. */
async function costsOfCluster(options: Options): Promise<void> {
  console.log('\na second of each of three masters, with one idle gateway');
  const cluster = await startRedisCluster();
  const masters = cluster.masters.map(({ url }) => new Redis(url));
  try {
    await withFleet(1, { ...options, cluster: cluster.nodes }, async () => {
      await sleep(2_000 * SECONDS);
      const all = await Promise.all(masters.map((one) => watch(one, () => sleep(1_000 * SECONDS))));
      for (const asked of all) print('a master', asked);
      for (const key of [keys.purges('head'), keys.gatewayStates(0), keys.apiKeyUses])
        console.log(`${key} is in slot ${String(await masters[0]?.call('CLUSTER', 'KEYSLOT', key))}`);
    });
  } finally {
    for (const one of masters) one.disconnect();
    await cluster.stop();
  }
}

const scratch = await mkdtemp(join(tmpdir(), 'portico-fleet-'));
const [server, upstream] = [await startRedis(scratch), await startUpstream(scratch)];
// On a busy machine, a gateway that waits for a core must not refuse anything.
const options = { scratch, redisUrl: server.url, upstreamUrl: upstream.url, takesTurns: true };
const redis = new Redis(server.url);
const parts = {
  keys: () => costsOfKeys(redis, server.url),
  cluster: () => costsOfCluster(options),
  async gateways() {
    const idle = await withFleet(1, options, async () => {
      // What a gateway does once, after its start, does not count.
      await sleep(2_000 * SECONDS);
      return watch(redis, () => sleep(6_000 * SECONDS), { seconds: 6 * SECONDS });
    });
    print('a second of an idle gateway', idle, 1, 60);
    await costsOfRequests(redis, options, idle);
    await costsOfFleets(redis, options, idle);
  },
};
try {
  for (const [name, part] of Object.entries(parts))
    if (chosen.length === 0 || chosen.includes(name)) await part();
} finally {
  redis.disconnect();
  await Promise.all([server.stop(), upstream.stop()]);
  await rm(scratch, { recursive: true, force: true });
}
