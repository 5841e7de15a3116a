import assert from 'node:assert/strict';
import type { FaultBench } from '../faults/harness/bench.ts';
import { offer } from '../faults/harness/load/offer.ts';
import { serving, startUpstream } from '../support/upstream/scripted-upstream.ts';
import type { OperationRow } from './row.ts';

/** What config/operations.md says: the bytes of Redis that an answer takes at most. */
const takes = (bodyBytes: number, records: number) => (bodyBytes + 30 * records + 400) * 1.25;
/** Redis keeps a part of what has ended for a moment, and its table of keys grows by doubling. */
const SLACK = 1.5;
const FRESH_SECONDS = 2;
const PER_SECOND = 5_000;
const SECONDS = 60;
const LONG_SECONDS = 600;
const CONNECTIONS = 64;

/** A service with any number of users, which answers at once. */
const people = serving(({ query }) => {
  const from = Number(query.get('from'));
  const rows = Array.from({ length: Number(query.get('count')) }, (_, at) => {
    const id = from + at + 1;
    return { id, name: `User ${id}`, mail: `user${id}@example.com`, made: '2026-01-02T03:04:05Z' };
  });
  return { body: { total: 2_000_000_000, rows } };
});

const sourceOf = (baseUrl: string) => `source: 1
name: people
net: { baseUrl: '${baseUrl}', timeout: 5s, concurrency: 200 }
outcomes: [{ status: 200, is: ok }]
resources:
  users:
    id: { kind: number }
    list:
      request: { path: /users, query: { from: '{offset}', count: '{limit}' } }
      window: { kind: offset, base: 0, sizeMax: 100 }
      total: { at: total }
      items: rows
      order: id
      map: { id: id, name: name, email: mail, created_at: { from: made, as: [iso8601] } }
    get:
      request: { path: '/users/{id}' }
      item: ''
      map: { id: id, name: name, email: mail, created_at: null, profile.bio: null, profile.location: null, profile.avatar_url: null }
`;

/** A gateway on a Redis, with what that holds. */
async function open(bench: FaultBench, fresh: string) {
  const redis = await bench.redis();
  const upstream = bench.own(await startUpstream(people));
  const gateway = await bench.gateway({
    config: {
      redis: { url: redis.url },
      resources: { users: { source: 'people', cache: { fresh } } },
      overload: { inFlightMax: 10_000 },
    },
    sources: { 'people.yaml': sourceOf(upstream.origin) },
    truth: () => undefined,
  });
  const held = () =>
    gateway.withStored(async ({ client }) => {
      const usedBytes = Number(/^used_memory:(\d+)/m.exec(await client.info('memory'))?.[1]);
      return { keys: await client.dbsize(), usedBytes };
    });
  return { gateway, held };
}

/** How many bytes of Redis each of many distinct answers with so many records takes, and how long its body is. */
async function measure(bench: FaultBench, records: number) {
  const { gateway, held } = await open(bench, '600s');
  const count = 3_000;
  const ask = (page: number) => gateway.ask(`/v1/users?limit=${records}&page=${page}`);
  const { body } = await ask(1);
  const before = await held();
  for (let page = 2; page <= count; page += 50)
    await Promise.all(Array.from({ length: 50 }, (_, at) => ask(page + at)));
  await bench.until(async () => (await held()).keys >= before.keys + count - 1);
  const after = await held();
  const keys = (after.keys - before.keys) / count;
  const bytes = (after.usedBytes - before.usedBytes) / count;
  return {
    bodyBytes: body.length,
    bytes,
    keys,
    isWithin: bytes <= takes(body.length, records) && keys < 1.05,
  };
}

const perAnswer: OperationRow = {
  id: 'redis-memory-1',
  name: 'an answer takes one key of Redis, and little beside its own bytes',
  fast: false,
  async run(bench) {
    const [one, fifty] = [await measure(bench, 1), await measure(bench, 50)];
    return {
      ok: one.isWithin && fifty.isWithin,
      figure: {
        'body of 1 record': one.bodyBytes,
        'in Redis': one.bytes,
        'body of 50 records': fifty.bodyBytes,
        'in Redis, too': fifty.bytes,
        'keys per answer': one.keys,
      },
    };
  },
};

const bounded: OperationRow = {
  id: 'redis-memory-2',
  name: 'minutes of distinct misses, 5,000 a second or what the machine gives, stay within the bound of the sizing table',
  fast: false,
  async run(bench) {
    const { gateway, held } = await open(bench, `${FRESH_SECONDS}s`);
    const { body } = await gateway.ask('/v1/users?limit=5&page=1');
    const seconds = bench.long ? LONG_SECONDS : SECONDS;
    const before = await held();
    const state = { over: false, keys: 0, usedBytes: 0 };
    async function watch(): Promise<void> {
      while (!state.over) {
        const { keys, usedBytes } = await held();
        [state.keys, state.usedBytes] = [Math.max(state.keys, keys), Math.max(state.usedBytes, usedBytes)];
        await bench.sleep(1_000);
      }
    }
    const watching = watch();
    const met = await offer({
      port: gateway.port,
      request: `GET /v1/users?limit=5&page={new} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${gateway.configuredKey}\r\n\r\n`,
      ...{ perSecond: PER_SECOND, seconds, warmSeconds: 0, connections: CONNECTIONS, obeys: false },
    });
    state.over = true;
    await watching;
    const rate = met.goodPerSecond;
    const bound = rate * FRESH_SECONDS * takes(body.length, 5) * SLACK;
    assert.ok(rate > 0, JSON.stringify(met));
    return {
      ok: state.usedBytes - before.usedBytes <= bound,
      figure: {
        seconds,
        'misses a second': rate,
        'most keys': state.keys,
        'most MiB': (state.usedBytes - before.usedBytes) / 1024 ** 2,
        'bound MiB': bound / 1024 ** 2,
      },
    };
  },
};

/** What answers take of Redis. */
export const redisMemoryRows: readonly OperationRow[] = [perAnswer, bounded];
