import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { parse, stringify } from 'yaml';
import type { IncidentList } from '../../../src/admin/api/incident-specs.ts';
import type { FaultBench } from '../../faults/harness/bench.ts';
import type { FaultGateway } from '../../faults/harness/gateway.ts';
import { startRotatingIssuer } from '../../faults/harness/harm/rotating-issuer.ts';
import { usersSource } from '../../operations/harness/users-source.ts';
import { runCommand } from '../../support/command/run-command.ts';
import { offsetList } from '../../support/upstream/offset-list-yaml.ts';
import { serving, startUpstream, type UpstreamRequest } from '../../support/upstream/scripted-upstream.ts';
import { type Caller, type Callers, startCallers } from './callers.ts';
import { type Injector, startInjector } from './injector.ts';

type Redis = Awaited<ReturnType<FaultBench['redis']>>;

/** A message that the receiver of webhooks got. */
export type Told = { readonly at: number; readonly type: string; readonly data: Record<string, unknown> };

/** Two replicas, two Redis servers, an issuer, two services and a receiver of webhooks, with callers who ask all the time. */
export type Fleet = {
  readonly gateways: readonly FaultGateway[];
  /** The service of the users, that of the products, and the address of the issuer's keys. */
  readonly people: Injector;
  readonly goods: Injector;
  readonly issuer: Injector;
  /** The Redis of keys and limits, and that of the cache. */
  readonly redis: { readonly keys: Redis; readonly cache: Redis };
  readonly callers: Callers;
  readonly told: readonly Told[];
  /** Asks the listener of a replica, as the page does. */
  readonly ask: (path: string, replica?: number) => Promise<unknown>;
  readonly incidents: (replica?: number) => Promise<IncidentList>;
  /** A command of an operator on a replica. */
  readonly run: (...args: readonly string[]) => Promise<{ readonly code: number; readonly out: string }>;
  /** Writes a window of the tier `spare` to the file of a replica, and asks it for a reload; from when to when that was. */
  readonly reload: (replica: number, window: string) => Promise<readonly [from: number, to: number]>;
};

const TOKEN = 'the-token-that-ada-has-alone';
/** Rows of each list; more than the cache holds for a second. */
const ROWS = 600;
const PAGE = 10;
/** The issuer is asked as often, because its keys serve no longer. */
const KEYS = { keysFresh: '7s', keysStale: '7s' };

const NET = `timeout: 2s, concurrency: 128, breaker: { calls: 10, window: 5s, open: 4s }`;
const BUDGET = 'budget: { time: 4s, snapshot: 1s }';

const goodsSource = (baseUrl: string) => `source: 1
name: goods
net: { baseUrl: '${baseUrl}', ${NET} }
${BUDGET}
outcomes: [{ status: 200, is: ok }]
resources:
  products:
    id: { kind: number }
    ${offsetList('/goods')}
      map: { id: id, name: name, description: null, price: null, category: null }
`;

const recordOf = (id: number) => ({
  id,
  name: `Record ${id}`,
  mail: `r${id}@example.test`,
  made: '2026-01-02T03:04:05Z',
});

/** Answers of a service that is well: a record, or a window of the list. */
function answerWell({ id, query }: UpstreamRequest): unknown {
  if (!Number.isNaN(id)) return recordOf(id);
  const from = Number(query.get('from'));
  const count = Math.max(0, Math.min(Number(query.get('count')), ROWS - from));
  return { total: ROWS, rows: Array.from({ length: count }, (_, at) => recordOf(from + at + 1)) };
}

const list = (name: 'users' | 'products', n: number): readonly [string, string] => [
  `${name}.list`,
  `/v1/${name}?limit=${PAGE}&page=${1 + ((n * 7) % (ROWS / PAGE))}`,
];
const user = (n: number): readonly [string, string] => [
  'users.get',
  `/v1/users/user_${1 + ((n * 13) % ROWS)}`,
];

/** The callers, some forty requests a second. Each has a key with its name as label; `partner` has tokens. */
const CALLERS: readonly (Omit<Caller, 'credential'> & { readonly tier?: string })[] = [
  { name: 'web', rps: 14, ask: (n) => (n % 3 === 0 ? list('products', n) : list('users', n)) },
  { name: 'mobile', rps: 12, ask: (n) => (n % 2 === 0 ? user(n) : list('products', n)) },
  { name: 'billing', rps: 6, tier: 'closed', ask: (n) => list('products', n) },
  { name: 'scraper', rps: 1, tier: 'small', ask: (n) => list('products', n) },
  { name: 'partner', rps: 6, ask: (n) => list('users', n) },
];

function configOf(redis: Fleet['redis'], receiver: string, jwt: Readonly<Record<string, string>>) {
  return {
    admin: { token: '', tokens: [{ name: 'ada', role: 'operator', token: TOKEN }] },
    listen: { drain: '2s' },
    // A busy machine must not look like a Redis that is gone.
    redis: {
      url: redis.keys.url,
      commandTimeout: '5s',
      connectTimeout: '5s',
      cache: { url: redis.cache.url },
    },
    auth: { jwt: { ...jwt, ...KEYS } },
    webhooks: [
      {
        url: receiver,
        secret: 'a-secret-of-the-night',
        events: ['incident.opened', 'incident.worsened', 'incident.ended'],
      },
    ],
    resources: {
      users: {
        source: 'people',
        deadline: '8s',
        cache: { fresh: '1s', notFound: '1s', staleIfError: '12s' },
      },
      products: { source: 'goods', deadline: '8s', cache: { fresh: '1s' } },
    },
    limits: {
      tiers: {
        closed: { windows: ['100000 per 1s'], onStoreFailure: 'closed' },
        small: { windows: ['5 per 1s'] },
        spare: { windows: ['1 per 1s'] },
      },
    },
  };
}

async function startServices(bench: FaultBench, hosts: number) {
  const keys = bench.own(await startRotatingIssuer());
  const ofKeys = () => fetch(keys.config['jwksUrl'] ?? '').then((answer) => answer.json());
  const issuer = bench.own(await startInjector(ofKeys));
  return {
    issuer,
    people: bench.own(await startInjector(answerWell, hosts)),
    goods: bench.own(await startInjector(answerWell)),
    jwt: { ...keys.config, jwksUrl: `${issuer.origins[0] ?? ''}/keys` },
    token: () => keys.newToken(1),
  };
}

/** Starts callers with keys of their own. */
async function startNamedCallers(
  bench: FaultBench,
  gateways: readonly FaultGateway[],
  token: () => Promise<string>,
): Promise<Callers> {
  const callers: Caller[] = [];
  for (const { tier, ...one } of CALLERS) {
    const { key, record } = bench.mint();
    const kept = { ...record, label: one.name, tier: tier ?? record.tier };
    if (one.name !== 'partner') await gateways[0]?.withStored(({ store }) => store.create(kept));
    const credential = one.name === 'partner' ? token : () => Promise.resolve(key);
    callers.push({ ...one, credential });
  }
  return bench.own(
    startCallers(
      gateways.map(({ url }) => url),
      callers,
    ),
  );
}

/** Has an operator reload a replica. */
function reloader(gateways: readonly FaultGateway[]) {
  return async (replica: number, window: string): Promise<readonly [number, number]> => {
    const gateway = gateways[replica];
    if (gateway === undefined) throw new Error(`there is no replica ${replica}`);
    const config = parse(readFileSync(gateway.configFile, 'utf8')) as {
      limits: { tiers: Record<string, unknown> };
    };
    config.limits.tiers['spare'] = { windows: [window] };
    writeFileSync(gateway.configFile, stringify(config));
    const at = Date.now();
    await gateway.reload();
    return [at, Date.now()];
  };
}

/** Starts a fleet whose users come from so many hosts. It is well, and its callers ask. */
export async function startFleet(bench: FaultBench, hosts = 1): Promise<Fleet> {
  const { people, goods, issuer, jwt, token } = await startServices(bench, hosts);
  const told: Told[] = [];
  const receiver = bench.own(
    await startUpstream(
      serving(({ body }) => {
        told.push({ at: Date.now(), ...(JSON.parse(body) as Omit<Told, 'at'>) });
        return { status: 204 };
      }),
    ),
  );
  // What it holds survives that it is killed.
  const redis = {
    keys: await bench.redis('--appendonly', 'yes', '--appendfsync', 'always'),
    cache: await bench.redis(),
  };
  const [base = '', ...others] = people.origins;
  const net =
    others.length === 0 ? NET : `${NET}, otherUrls: [${others.map((url) => `'${url}'`).join(', ')}]`;
  const options = {
    config: configOf(redis, receiver.origin, jwt),
    sources: {
      'people.yaml': usersSource(base, net, BUDGET),
      'goods.yaml': goodsSource(goods.origins[0] ?? ''),
    },
    adminToken: TOKEN,
    keys: 0,
    truth: () => undefined,
    mayEnd: true,
  };
  const gateways = [await bench.gateway(options), await bench.gateway(options)];
  const headers = { authorization: `Bearer ${TOKEN}` };
  const ask = async (path: string, replica = 1): Promise<unknown> =>
    (await fetch(`${gateways[replica]?.adminUrl ?? ''}${path}`, { headers })).json();
  return {
    ...{ gateways, people, goods, issuer, redis, told, ask },
    callers: await startNamedCallers(bench, gateways, token),
    incidents: async (replica) => (await ask('/api/incidents', replica)) as IncidentList,
    run: (...args) =>
      runCommand([...args, '--gateway', gateways[0]?.adminUrl ?? ''], { PORTICO_ADMIN_TOKEN: TOKEN }),
    reload: reloader(gateways),
  };
}

/** Waits until a moment, milliseconds since the epoch. */
export const sleepUntil = (at: number) => sleep(Math.max(0, at - Date.now()));
