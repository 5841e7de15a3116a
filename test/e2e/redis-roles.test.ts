import { Redis } from 'ioredis';
import { startGatewayProcess, startUpstreams } from '../support/gateway/gateway-process.ts';
import { type RedisServer, startRedis } from '../support/redis/redis-server.ts';
import { runCommand } from '../support/command/run-command.ts';
import { eventually } from '../support/time/eventually.ts';
import { copyConfig } from '../support/gateway/config-copy.ts';
import { startForAll } from '../support/jest/lifetime.ts';

const ROLES = ['keys', 'limits', 'cache'] as const;
type Role = (typeof ROLES)[number];

/** What the keys of a role are called, behind the prefix. */
const NAMES: Readonly<Record<Role, RegExp>> = {
  keys: /^portico:(?:api-key:|api-keys(?:-used)?$|audit$)/,
  limits: /^portico:limit:\{/,
  cache: /^portico:(?:cache:|snapshot:|\{purges\}:|\{?(?:requests|figures)\b)/,
};
const POINTS = 25;

const [keys, limits, cache] = [startForAll(startRedis), startForAll(startRedis), startForAll(startRedis)];
const servers: Readonly<Record<Role, RedisServer>> = { keys, limits, cache };
const upstreams = startForAll(startUpstreams);
const env = () => ({ ...upstreams.env, PORTICO_KEY_PEPPER: 'a-pepper-of-the-roles' });
const config = startForAll(copyConfig);
beforeAll(() => {
  const roles = ROLES.map((role) => `  ${role}: { url: '${servers[role].url}' }\n`).join('');
  // A busy machine must not look like a Redis that has gone.
  config.useGenerousTimeouts();
  config.edit('portico.yaml', '  url: ${REDIS_URL:-}\n', roles);
  config.edit('portico.yaml', 'workers: ${WORKERS:-1}', 'workers: 2');
  config.edit(
    'portico.yaml',
    '    roomy: { windows: [200 per 1s, 20000 per 60s] }',
    `    roomy: { windows: [1000000 per 60s] }
    few: { windows: [${POINTS} per 60s] }
    strict: { windows: [1000000 per 60s], onStoreFailure: closed }`,
  );
});
const gateway = startForAll(() => startGatewayProcess(env(), config.file));

async function portico(...args: string[]): Promise<string> {
  const { code, out, err } = await runCommand(['--config', config.file, ...args], env());
  expect([code, err]).toEqual([0, '']);
  return out;
}

async function newKey(tier: string): Promise<string> {
  const args = ['--label', 'x', '--permissions', 'users:read,products:read', '--tier', tier, '--json'];
  return (JSON.parse(await portico('keys', 'create', ...args)) as { key: string }).key;
}

async function ask(path: string, key: string) {
  const answer = await fetch(gateway.url + path, { headers: { 'x-api-key': key } });
  return {
    status: answer.status,
    body: (await answer.json()) as { data?: unknown; error?: { code: string } },
  };
}

async function readiness() {
  const answer = await fetch(`${gateway.adminUrl}/readyz`);
  const { checks } = (await answer.json()) as { checks: Readonly<Record<string, boolean>> };
  return { status: answer.status, checks };
}

async function connected(role: Role): Promise<number> {
  const text = await gateway.metrics();
  return Number(new RegExp(`^portico_redis_connected\\{role="${role}"\\} (\\d+)$`, 'm').exec(text)?.[1]);
}

/** Ends a server, and waits until the gateway has noticed. */
async function lose(role: Role): Promise<void> {
  await servers[role].kill();
  await eventually(async () => (await connected(role)) === 0);
}

describe('a gateway of two processes with a Redis for keys, one for limits and one for the cache', () => {
  const LIST = '/v1/users?limit=3&sort=-created_at';
  let roomy: string;
  let strict: string;
  let right: unknown;

  it('keeps of each role its own keys in its own Redis, and nothing else', async () => {
    roomy = await newKey('roomy');
    strict = await newKey('strict');
    right = (await ask(LIST, roomy)).body.data;
    await ask('/v1/products?category=Toys&limit=3', strict);
    await portico('cache', 'purge', '--tag', 'products');
    for (const role of ROLES) {
      const client = new Redis(servers[role].url);
      const found = await client.keys('*');
      client.disconnect();
      expect(found.length).toBeGreaterThan(0);
      expect(found.filter((name) => !NAMES[role].test(name))).toEqual([]);
    }
    expect(await readiness()).toEqual({
      status: 200,
      checks: { workers: true, 'redis.keys': true, 'redis.limits': true, 'redis.cache': true },
    });
    expect(await connected('cache')).toBe(2);
  });

  it('knows every key still when the Redis of the cache has been emptied', async () => {
    const unasked = await newKey('roomy');
    const client = new Redis(servers.cache.url);
    await client.flushall();
    client.disconnect();
    expect(await ask(LIST, unasked)).toMatchObject({ status: 200, body: { data: right } });
  });

  it('answers right without the Redis of the cache, keeps limits to the request, is ready, and tells', async () => {
    const few = await newKey('few');
    await lose('cache');
    const all = await Promise.all(Array.from({ length: POINTS + 15 }, () => ask(LIST, few)));
    const answered = all.filter(({ status }) => status === 200);
    expect(answered).toHaveLength(POINTS);
    for (const { body } of answered) expect(body.data).toEqual(right);
    expect(all.filter(({ status }) => status === 429)).toHaveLength(15);
    expect(await readiness()).toMatchObject({
      status: 200,
      checks: { 'redis.keys': true, 'redis.limits': true, 'redis.cache': false },
    });
    expect(gateway.process.out).toMatch(/"roles":\["cache"\],.*"msg":"Redis is out of reach/);
  });

  it('opens and closes tiers as configured without the Redis of the limits, and is ready', async () => {
    await lose('limits');
    // Points that a process had set aside are spent first: for half a second at most.
    await eventually(async () => (await ask(LIST, strict)).status === 503);
    await eventually(async () => (await ask(LIST, strict)).body.error?.code === 'limiter_unavailable');
    expect(await ask(LIST, roomy)).toMatchObject({ status: 200, body: { data: right } });
    expect(await readiness()).toMatchObject({ status: 200, checks: { 'redis.limits': false } });
  });

  it('is ready for a minute without the Redis of the keys, which it knows, but not for those who ask strictly', async () => {
    await lose('keys');
    expect(await readiness()).toMatchObject({ status: 200, checks: { 'redis.keys': false } });
    expect((await fetch(`${gateway.adminUrl}/readyz?strict`)).status).toBe(503);
    // The keys that a process knows are known for a minute.
    await eventually(async () => (await readiness()).status === 503, { withinMs: 90_000, everyMs: 1_000 });
    expect(await readiness()).toMatchObject({ status: 503, checks: { workers: true, 'redis.keys': false } });
  });
});
