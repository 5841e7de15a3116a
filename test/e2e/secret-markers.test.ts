import { Redis } from 'ioredis';
import { mintKey } from '../../src/pipeline/stages/authentication/key-changes.ts';
import { Secret } from '../../src/kernel/secret.ts';
import { createKeyStore } from '../../src/store/key-store.ts';
import { createRedisKeys } from '../../src/store/redis/redis-keys.ts';
import { eventually } from '../support/time/eventually.ts';
import { askRaw, request } from '../support/client/raw-client.ts';
import { readRedisValue } from '../support/redis/read-value.ts';
import { startRedis } from '../support/redis/redis-server.ts';
import { startIssuer } from '../support/auth/issuer-server.ts';
import { INNER_TEXT, startFailingUpstream } from '../support/upstream/failing-upstream.ts';
import { KEY, PEPPER, type Stack, type StackOptions, startStack } from '../support/gateway/stack.ts';
import { MARKER } from '../support/secret-markers/marker-watch.ts';
import { endAfterTest, startForAll } from '../support/jest/lifetime.ts';

const credentials = {
  users: { user: `user-${MARKER}`, password: `password-${MARKER}` },
  catalog: { key: `key-${MARKER}` },
  orders: { token: `token-${MARKER}` },
  people: { token: `people-${MARKER}` },
};
const env = {
  USERS_USER: credentials.users.user,
  USERS_PASSWORD: credentials.users.password,
  CATALOG_KEY: credentials.catalog.key,
  ORDERS_TOKEN: credentials.orders.token,
  PEOPLE_TOKEN: credentials.people.token,
};

/** Everything that came out of a gateway, and what it came out as. */
let outputs: [what: string, text: string][] = [];
/** What may come out nowhere. */
const secrets = [MARKER, KEY, PEPPER, INNER_TEXT, ...Object.values(env)];

const redis = startForAll(startRedis);
const issuer = startForAll(startIssuer);
const client = startForAll(() => new Redis(redis.url));
beforeEach(async () => {
  outputs = [];
  await client.flushall();
});

function start(options: StackOptions = {}): Promise<Stack> {
  return startStack({
    secretMarker: MARKER,
    credentials,
    env,
    redis: { url: redis.url, prefix: 'markers:' },
    ...options,
    configure(config, sources) {
      const { issuer: iss, audience, jwksUrl } = issuer;
      const rest = {
        permissionsClaim: 'scope',
        tier: 'roomy',
        clockTolerance: 0,
        keysFresh: 1e6,
        keysStale: 1e7,
      };
      config.auth.jwt = { issuer: iss, audience, jwksUrl, algorithms: ['ES256'], ...rest };
      options.configure?.(config, sources);
    },
  });
}

/** A key in Redis, as an operator makes it. */
async function storeKey(): Promise<string> {
  const about = { label: 'markers', permissions: ['users:read', 'products:read'], tier: 'roomy' };
  const { key, record } = mintKey(new Secret(PEPPER), Date.now(), about);
  await createKeyStore(client, createRedisKeys('markers:')).create(record);
  return key;
}

const noise = {
  cookie: `session=${MARKER}`,
  referer: `https://${MARKER}.example/`,
  'user-agent': MARKER,
  'x-forwarded-for': MARKER,
  'x-anything': MARKER,
  'x-request-id': `${MARKER} with a space`,
  traceparent: MARKER,
};

const paths = [
  '/v1/users?limit=100',
  '/v1/users?sort=-name',
  '/v1/users/user_3',
  '/v1/users/user_1',
  '/v1/products?limit=100',
  '/v1/products?min_price=1&category=Toys',
  '/legacy/orders',
  '/legacy/orders/1',
  '/legacy/orders/99',
  `/v1/users?password=${MARKER}`,
  `/v1/users?sort=${MARKER}`,
  `/v1/users?page=${MARKER}`,
  `/v1/products?min_price=${MARKER}`,
  `/v1/users/${MARKER}`,
  `/v1/users/%ff${MARKER}`,
  `/v1/${MARKER}`,
  `/${MARKER}?x=${MARKER}`,
];

async function record(stack: Stack, path: string, init: RequestInit): Promise<void> {
  const response = await stack.ask(path, { ...init, headers: { ...noise, ...(init.headers as object) } });
  outputs.push([`headers of ${path}`, JSON.stringify([...response.headers])]);
  outputs.push([`body of ${path}`, await response.text()]);
}

/** Asks for everything with every kind of credential, good and bad. */
async function askEverything(stack: Stack, keys: readonly string[], token: string): Promise<void> {
  const bad = [`Basic ${MARKER}`, `Bearer ${MARKER}`, `Bearer eyJhbGciOiJub25lIn0.${MARKER}.`];
  for (const path of paths) {
    for (const key of keys) await record(stack, path, { headers: { 'x-api-key': key } });
    for (const authorization of bad) await record(stack, path, { headers: { authorization } });
    await record(stack, path, { headers: { authorization: `Bearer ${token}` } });
    await record(stack, path, {});
  }
  await record(stack, '/v1/users', { method: 'POST', body: MARKER });
  const malformed = [request('GET', `/v1/users/${MARKER}ü`), `${MARKER}\r\n\r\n`, request('CONNECT', MARKER)];
  for (const bytes of malformed)
    outputs.push(['answer to malformed bytes', (await askRaw(stack.port, bytes)).body.toString()]);
}

async function readRedis(): Promise<void> {
  let values = 0;
  for await (const keys of client.scanStream({ count: 1_000 })) {
    for (const key of keys as string[]) {
      values += 1;
      outputs.push([`Redis key ${key}`, `${key} ${await readRedisValue(client, key)}`]);
    }
  }
  expect(values).toBeGreaterThan(5);
}

/** The stories of failed and refused requests reach Redis a second later. */
async function storiesAreWritten(): Promise<void> {
  await eventually(async () => (await client.keys('markers:{requests}:*')).length > 0);
}

async function collect(stack: Stack): Promise<void> {
  outputs.push(['metrics', await stack.metrics()]);
  outputs.push(['readiness', await (await fetch(`${stack.adminUrl}/readyz`)).text()]);
  await storiesAreWritten();
  await stack.close();
  outputs.push(['log', stack.log.join('')]);
  await readRedis();
}

/** The outputs that hold a secret, by name. */
function leaks(more: readonly string[] = []): string[] {
  const wanted = [...secrets, ...more];
  return outputs.filter(([, text]) => wanted.some((secret) => text.includes(secret))).map(([what]) => what);
}

describe('a secret marker in every secret', () => {
  it('comes out of no answer, log line, metric or Redis value of a gateway that works', async () => {
    const [stored, token] = [await storeKey(), await issuer.token('ES256')];
    const stack = await start();
    await askEverything(stack, [KEY, stored], token);
    await collect(stack);
    expect(outputs.length).toBeGreaterThan(200);
    expect(leaks([stored.split('_')[2]!, token.split('.')[2]!])).toEqual([]);
  });

  it.each([
    'answers 500',
    'answers with a page of HTML',
    'answers with JSON of another shape',
    'stops in the middle of its answer',
    'refuses the credential with 401',
    'refuses connections',
    'resets the connection',
  ] as const)('comes out of none where an upstream %s', async (fault) => {
    const upstream = endAfterTest(await startFailingUpstream(fault));
    const stack = await start({ upstream: upstream.origin });
    const translated = paths.filter((path) => path.startsWith('/v1/'));
    for (const path of translated) await record(stack, path, { headers: { 'x-api-key': KEY } });
    await collect(stack);
    expect(leaks()).toEqual([]);
  });

  it('would be found: the services do say it', async () => {
    const stack = await start();
    const { port } = stack.services.users.server.address() as { port: number };
    const login = Buffer.from(`${credentials.users.user}:${credentials.users.password}`).toString('base64');
    const reply = await fetch(`http://127.0.0.1:${port}/crm/v3/contacts.do`, {
      headers: { authorization: `Basic ${login}` },
    });
    outputs.push(['the service itself', await reply.text()]);
    await stack.close();
    expect(leaks()).toEqual(['the service itself']);
  });
});
