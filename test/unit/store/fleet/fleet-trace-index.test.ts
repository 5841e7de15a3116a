import { Redis } from 'ioredis';
import { createFleetTraceIndex, INDEX_MS, traceText } from '../../../../src/store/fleet/fleet-trace-index.ts';
import { createRedisKeys } from '../../../../src/store/redis/redis-keys.ts';
import type { KeptKind } from '../../../../src/telemetry/requests/recent-requests.ts';
import type { RequestTrace } from '../../../../src/telemetry/requests/request-trace.ts';
import { type RedisServer, startRedis } from '../../../support/redis/redis-server.ts';
import { createCondition } from '../../../support/time/eventually.ts';

const HOUR_MS = 3_600_000;
const keys = createRedisKeys('test:');

let server: RedisServer;
let client: Redis;
beforeAll(async () => {
  server = await startRedis();
  client = new Redis(server.url);
});
afterAll(async () => {
  client.disconnect();
  await server.stop();
});
beforeEach(() => client.flushall());

function trace(requestId: string, over: Partial<RequestTrace> = {}): RequestTrace {
  return {
    ...{ at: new Date(0).toISOString(), requestId, operation: 'users.list', method: 'GET', status: 502 },
    ...{ durationMs: 1, upstreamCalls: 0, upstreamMs: 0, slow: false, process: 'a:1', timings: [] },
    timingsLeftOut: 0,
    ...over,
  };
}

const idOf = (text: string) => (JSON.parse(text) as RequestTrace).requestId;

function open(isReady = () => true) {
  const clock = { time: 1_000 * HOUR_MS, now: () => clock.time };
  const outcomes: string[] = [];
  const counted = createCondition();
  const index = createFleetTraceIndex({
    redis: { client, isReady },
    keys,
    clock,
    onTrace(kind, outcome) {
      outcomes.push(`${kind} ${outcome}`);
      counted.announce();
    },
  });
  const add = (kind: KeptKind, id: string) => index.add({ kind, trace: () => trace(id) });
  async function ids(sinceMs = 0, untilMs?: number): Promise<string[]> {
    const found: string[] = [];
    for await (const { texts } of index.read(sinceMs, untilMs)) found.push(...texts.map(idOf));
    return found;
  }
  /** The oldest trace of each full list. */
  async function oldest(): Promise<string[]> {
    const found: string[] = [];
    for await (const read of index.read(0)) found.push(...read.oldest.map(idOf));
    return found;
  }
  const until = (count: number) => counted.until(() => outcomes.length >= count || undefined, 60_000);
  return { index, clock, outcomes, add, ids, oldest, until };
}

describe('the index of requests in Redis', () => {
  it('has what was added, the newest hour first, each kind in lists that end by themselves', async () => {
    const { add, ids, until, clock, index } = open();
    add('failed', 'first');
    add('refused', 'second');
    await until(2);
    clock.time += HOUR_MS;
    add('failed', 'third');
    await until(3);
    expect(await ids()).toEqual(['third', 'first', 'second']);
    expect(await ids(clock.time)).toEqual(['third']);
    expect(await ids(0, clock.time - 2 * HOUR_MS)).toEqual(['first', 'second']);
    for (const key of await client.keys('*')) expect(await client.pttl(key)).toBeGreaterThan(INDEX_MS);
    clock.time += INDEX_MS;
    expect(await ids()).toEqual(['third']);
    index.close();
  });

  it('keeps so many of an hour, and leaves out and counts what comes too fast', async () => {
    const { add, ids, oldest, until, outcomes, index } = open();
    for (let i = 0; i < 50; i += 1) add('failed', `flood ${i}`);
    await until(50);
    expect(outcomes.filter((one) => one === 'failed left_out').length).toBe(30);
    expect(await ids()).toHaveLength(20);
    expect(await oldest()).toEqual([]);
    for (let batch = 0; batch < 5; batch += 1)
      await client.lpush(
        keys.requests('failed', 1_000),
        ...Array<string>(20).fill(JSON.stringify(trace('old'))),
      );
    add('failed', 'newest');
    await until(51);
    expect(await ids()).toHaveLength(100);
    expect((await ids())[0]).toBe('newest');
    expect(await oldest()).toEqual(['old']);
    index.close();
  });

  it('counts what Redis does not take as lost, and replaces a key of another type', async () => {
    const lost = open(() => false);
    lost.add('slow', 'gone');
    await lost.until(1);
    expect(lost.outcomes).toEqual(['slow lost']);
    await expect(lost.ids()).rejects.toThrow('not ready');
    lost.index.close();
    const { add, ids, until, index } = open();
    await client.set(keys.requests('failed', 1_000), 'of another type');
    expect(await ids()).toEqual([]);
    add('failed', 'there');
    await until(1);
    expect(await ids()).toEqual(['there']);
    index.close();
  });

  it('shortens a long trace to its longest timings', () => {
    const step = (ms: number) => ({ name: 'upstream', startMs: ms, ms, detail: 'x'.repeat(100) }) as const;
    const timings = Array.from({ length: 60 }, (_, i) => step(i));
    const text = traceText(trace('long', { timings, detail: 'y'.repeat(10_000), cause: 'z'.repeat(10_000) }));
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(4_096);
    const read = JSON.parse(text) as RequestTrace;
    expect([read.timings.map(({ ms }) => ms), read.timingsLeftOut]).toEqual([
      Array.from({ length: 15 }, (_, i) => 45 + i),
      45,
    ]);
  });
});
