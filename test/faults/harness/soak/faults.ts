import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { revokeKey } from '../../../../src/pipeline/stages/authentication/key-changes.ts';
import { connectRaw, HOST, request } from '../../../support/client/raw-client.ts';
import type { FaultBench } from '../bench.ts';
import type { JwksAnswer } from '../harm/rotating-issuer.ts';
import type { SoakSetup } from './place.ts';

/** Does its harm, and is over when it resolves. `round` counts how often it has been done before. */
export type SoakFault = (place: SoakSetup, bench: FaultBench, round: number) => Promise<unknown>;

async function runRedisCommand(
  { redis }: SoakSetup,
  ...command: readonly [string, ...string[]]
): Promise<void> {
  const client = new Redis(redis.url);
  await client.call(...command);
  client.disconnect();
}

/** Keys are made, used and revoked: good until then, and nothing afterwards. */
async function changeKeys({ gateway }: SoakSetup, bench: FaultBench): Promise<void> {
  const ask = (key: string) => gateway.ask('/v1/users?limit=3', { key, entitled: false });
  for (let n = 0; n < 3; n += 1) {
    const { key, record } = bench.mint();
    await gateway.withStored(({ store }) => store.create(record));
    assert.notEqual((await ask(key)).status, 401, 'a key that was just made is refused');
    await gateway.withStored(({ store }) => revokeKey(store, record.id, Date.now()));
    await bench.until(async () => (await ask(key)).status === 401, 60_000, 100);
  }
}

/** What is done to Redis. */
export const ofRedis: readonly SoakFault[] = [
  changeKeys,
  async ({ redis }) => {
    await redis.pause();
    await sleep(3_000);
    redis.resume();
  },
  async ({ redis }) => {
    await redis.kill();
    await sleep(2_000);
    await redis.restart();
  },
  async (place) => {
    for (let n = 0; n < 10; n += 1) {
      await runRedisCommand(place, 'FLUSHALL');
      await sleep(300);
    }
  },
  async (place) => {
    for (let n = 0; n < 10; n += 1) {
      await runRedisCommand(place, 'CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
      await sleep(300);
    }
  },
];

/** What is done to the services. */
export const ofUpstreams: readonly SoakFault[] = [
  () => sleep(4_000),
  async ({ upstreams }) => {
    for (let n = 0; n < 15; n += 1) {
      upstreams.reset();
      await sleep(200);
    }
  },
  async ({ upstreams }) => {
    upstreams.setFault({ latencyMs: 400 });
    await sleep(4_000);
    upstreams.setFault();
  },
  async ({ upstreams }) => {
    upstreams.setFault({ limitBytes: 600 }, 'answers');
    await sleep(3_000);
    upstreams.setFault();
    upstreams.reset();
  },
  async ({ upstreams }) => {
    await upstreams.down();
    await sleep(2_000);
    await upstreams.up();
  },
  async ({ upstreams }) => {
    const garbage = (chunk: Buffer) =>
      Buffer.from(chunk.map((byte, at) => (at % 3 === 0 ? 255 - byte : byte)));
    upstreams.setFault({ corrupt: garbage }, 'answers');
    await sleep(3_000);
    upstreams.setFault();
    upstreams.reset();
  },
  // Longer than a call may take.
  async ({ upstreams }) => {
    upstreams.setFault({ hole: true }, 'answers');
    await sleep(6_000);
    upstreams.setFault();
    upstreams.reset();
  },
];

/** Heads and bodies that stop half-way, and answers that nobody reads, until the callers leave. */
async function dawdle({ gateway: { port, configuredKey } }: SoakSetup): Promise<void> {
  const key = `X-API-Key: ${configuredKey}`;
  const halves = [
    `GET /v1/users?limit=5 HTTP/1.1\r\n${HOST}\r\nX-API-`,
    `POST /legacy/orders HTTP/1.1\r\n${HOST}\r\n${key}\r\nContent-Length: 1000\r\n\r\n{"half":`,
    `POST /legacy/orders HTTP/1.1\r\n${HOST}\r\n${key}\r\nTransfer-Encoding: chunked\r\n\r\nff\r\nhalf`,
    request('GET', '/v1/products?limit=40', [key]).repeat(60),
  ];
  const callers = await Promise.all(
    Array.from({ length: 24 }, async (_, n) => {
      const caller = await connectRaw(port);
      caller.socket.pause();
      caller.send(halves[n % halves.length]!);
      return caller;
    }),
  );
  // Longer than the head of a request may take.
  await sleep(5_000);
  callers.forEach((caller, n) => (n % 2 === 0 ? caller.close() : caller.socket.resetAndDestroy()));
}

const ISSUER_FAULTS: readonly JwksAnswer[] = ['down', 'page', 'silent'];

/** Keys change and the issuer fails in turn, so that a new key has been fetched before it signs. */
async function troubleIssuer({ issuer }: SoakSetup, _bench: FaultBench, round: number): Promise<void> {
  if (round % 2 === 0) return issuer.rotate();
  issuer.answerWith(ISSUER_FAULTS[((round - 1) / 2) % ISSUER_FAULTS.length]!);
  await sleep(4_000);
  issuer.answerWith('keys');
}

const TAGS = ['users', 'products', 'user:3', 'user:4', 'prod:7', '*'];

/** A purge is done or fails; it is nothing else. */
async function purge({ gateway, fleet }: SoakSetup): Promise<void> {
  for (let n = 0; n < 18; n += 1) {
    const { adminUrl } = n % 2 === 0 ? gateway : fleet;
    const tag = encodeURIComponent(TAGS[n % TAGS.length]!);
    const { status } = await fetch(`${adminUrl}/api/cache/purge?tag=${tag}`, { method: 'POST' });
    assert.ok(status === 200 || status === 503, `a purge is answered ${status}`);
    await sleep(200);
  }
}

/** The unchanged files are read again and found in force, while everything else happens. */
async function reload({ gateway, fleet }: SoakSetup, bench: FaultBench): Promise<void> {
  for (const one of [gateway, fleet]) {
    const read = () =>
      one.log().filter(({ msg }) => msg === 'the configuration of the files is in force already').length;
    const before = read();
    one.process.signal('SIGHUP');
    await bench.until(() => read() > before, 60_000, 50);
  }
}

/** What is done to everything else. */
export const ofOthers: readonly SoakFault[] = [dawdle, troubleIssuer, purge, reload];
