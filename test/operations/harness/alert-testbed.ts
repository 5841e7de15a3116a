import { setTimeout as sleep } from 'node:timers/promises';
import type { FaultBench } from '../../faults/harness/bench.ts';
import type { FaultGateway } from '../../faults/harness/gateway.ts';
import { inject } from '../../faults/harness/harm/injected.ts';
import type { RedisServer } from '../../support/redis/redis-server.ts';
import { serving, startUpstream, type UpstreamRequest } from '../../support/upstream/scripted-upstream.ts';
import { type Collector, startCollector } from '../../support/process/telemetry/collector.ts';
import { usersSource } from './users-source.ts';

/** What the service of users and goods does. */
export type Manner = 'well' | 'failing' | 'slow' | 'busy' | 'garbage' | 'disordered' | 'other' | 'renamed';

/** A gateway under a little traffic, with everything that can be done to it. */
export type AlertTestbed = {
  readonly gateway: FaultGateway;
  /** A replica with the same configuration, to which nobody talks. */
  readonly replica: FaultGateway;
  readonly redis: RedisServer;
  /** Where the spans go. */
  readonly collector: Pick<Collector, 'behave'>;
  /** Whether the receiver of webhooks says from now on that it wants no events. */
  readonly refuseWebhooks: (refuses: boolean) => void;
  /** Has the service of the users behave so from now on. */
  readonly behave: (manner: Manner) => void;
  /** What is asked beside the usual; `undefined`: nothing. */
  readonly also: (ask: (() => Promise<unknown>) | undefined) => void;
  /** Orders something of Redis over a connection of the test's own. */
  readonly config: (name: string, value: string) => Promise<unknown>;
  /** A key that stands in Redis and that no process has looked up yet. */
  readonly freshKey: () => string;
};

const ROWS = 200;
const SLOW_MS = 1_500;
const BUSY_MS = 400;
const IN_FLIGHT_MAX = 30;
const FRESH_KEYS = 1_500;

/** `hash` fails while it is told to: that of a body's tag, in the middle of an answer. */
const BROKEN_HASH = `import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
const hash = crypto.hash;
crypto.hash = (algorithm, data, ...more) => {
  if (globalThis.isBroken && Buffer.isBuffer(data)) throw new Error('a fault of its own');
  return hash(algorithm, data, ...more);
};
syncBuiltinESMExports();`;

/** Calls that fail open the breaker soon, and nothing takes long. */
const NET = 'timeout: 5s, concurrency: 200, breaker: { calls: 10, window: 2s, open: 1s }';
const BUDGET = 'budget: { time: 4s, snapshot: 1s }';

/** Records without an id are left out here. */
const goodsOf = (baseUrl: string) => `source: 1
name: goods
net: { baseUrl: '${baseUrl}', ${NET} }
${BUDGET}
outcomes: [{ status: 200, is: ok }]
resources:
  products:
    id: { kind: number }
    onInvalidRecord: drop
    list:
      request: { path: /goods, query: { from: '{offset}', count: '{limit}' } }
      window: { kind: offset, base: 0, sizeMax: 100 }
      total: { at: total }
      items: rows
      order: id
      orderIs: documented
      map: { id: id, name: name, description: null, price: null, category: null }
`;

/** Where a service has become another one than its file says, no date can be read, and some goods have no id. */
function recordOf(id: number, manner: Manner, isUser: boolean) {
  const isOther = manner === 'other';
  const made = isOther ? 'yesterday' : '2026-01-02T03:04:05Z';
  const mail = `u${id}@example.test`;
  const record = { id, name: `Record ${id}`, ...(manner === 'renamed' ? { eMail: mail } : { mail }), made };
  return isOther && !isUser && id % 10 === 0 ? { ...record, id: null } : record;
}

/** The service of users and goods: 200 of each, in the order of their ids. */
function answerAs(manner: Manner) {
  return async ({ path, query }: UpstreamRequest) => {
    const isUser = path === '/users';
    if (manner === 'slow') await sleep(SLOW_MS);
    if (manner === 'busy') await sleep(BUSY_MS);
    if (manner === 'failing') return { status: 500, body: {} };
    if (manner === 'garbage') return { body: 'no JSON' };
    const from = Number(query.get('from'));
    const count = Math.min(Number(query.get('count')), ROWS - from);
    const rows = Array.from({ length: Math.max(0, count) }, (_, at) =>
      recordOf(from + at + 1, manner, isUser),
    );
    return { body: { total: ROWS, rows: manner === 'disordered' && isUser ? rows.reverse() : rows } };
  };
}

const configOf = (redisUrl: string, endpoint: string, receiver: string) => ({
  webhooks: [{ url: receiver, secret: 'a-secret-of-the-testbed' }],
  redis: { url: redisUrl },
  telemetry: { traces: { endpoint, ratio: 1 } },
  resources: {
    users: { source: 'people', deadline: '5s', cache: { fresh: '0s', notFound: '0s' } },
    products: { source: 'goods', deadline: '5s', cache: { fresh: '0s' } },
  },
  overload: { inFlightMax: IN_FLIGHT_MAX, eventLoopDelayMax: '1m' },
  limits: {
    tiers: { closed: { windows: ['100000 per 1s'], onStoreFailure: 'closed' } },
    failedCredentials: '20 per 2s',
  },
});

/** Opens the place, and lets a little traffic flow until the bench closes it. */
export async function openAlertTestbed(bench: FaultBench): Promise<AlertTestbed> {
  const injected = bench.own(inject('globalThis.isBroken = !globalThis.isBroken', BROKEN_HASH));
  const redis = await bench.redis('--maxmemory-policy', 'noeviction');
  const collector = bench.own(await startCollector());
  let manner: Manner = 'well';
  const upstream = bench.own(await startUpstream(serving((request) => answerAs(manner)(request))));
  let refusesWebhooks = false;
  const receiver = bench.own(
    await startUpstream(serving(() => ({ status: refusesWebhooks ? 410 : 204, body: {} }))),
  );
  const options = {
    config: configOf(redis.url, collector.endpoint, receiver.origin),
    sources: {
      'people.yaml': usersSource(upstream.origin, NET, BUDGET),
      'goods.yaml': goodsOf(upstream.origin),
    },
    truth: () => undefined,
  };
  const gateway = await bench.gateway({ ...options, env: injected.env, keys: FRESH_KEYS });
  const replica = await bench.gateway({ ...options, keys: 0 });
  const closed = bench.mint();
  await gateway.withStored(({ store }) => store.create({ ...closed.record, tier: 'closed' }));
  const state = { over: false, pages: 0, keys: 0, also: undefined as (() => Promise<unknown>) | undefined };

  async function flow(): Promise<void> {
    while (!state.over) {
      state.pages += 1;
      const resource = state.pages % 4 === 0 ? 'products' : 'users';
      const path = `/v1/${resource}?limit=10&page=${1 + (state.pages % 20)}`;
      // Nobody waits for an answer: what is slow must not make the traffic stop.
      const key = state.pages % 5 === 0 ? closed.key : gateway.configuredKey;
      void gateway.ask(path, { key }).catch(() => undefined);
      void state.also?.().catch(() => undefined);
      await sleep(50);
    }
  }
  void flow();
  bench.own({ stop: () => void (state.over = true) });

  return {
    gateway,
    replica,
    redis,
    collector,
    refuseWebhooks: (refuses) => void (refusesWebhooks = refuses),
    behave: (next) => void (manner = next),
    also: (ask) => void (state.also = ask),
    config: (name, value) => gateway.withStored(({ client }) => client.config('SET', name, value)),
    freshKey: () => gateway.storedKeys[(state.keys += 1) % FRESH_KEYS]!,
  };
}
