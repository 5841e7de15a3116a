import { eventually } from '../../support/time/eventually.ts';
import { Redis } from 'ioredis';
import { createCursorCheckpoints } from '../../../src/store/scan-cache/cursor-checkpoints.ts';
import { createRedisKeys } from '../../../src/store/redis/redis-keys.ts';
import type { RedisProfile } from '../../../src/store/redis/redis-profile.ts';
import { createRedis } from '../../../src/store/redis/redis.ts';
import { freePort } from '../../support/process/free-port.ts';
import { type RedisServer, startRedis } from '../../support/redis/redis-server.ts';
import { makeCertificate } from '../../support/redis/certificate.ts';
import { redisUsers } from '../../support/redis/documented-users.ts';
import { runCommand } from '../../support/command/run-command.ts';
import { type ConfigCopy, copyConfig } from '../../support/gateway/config-copy.ts';
import { PEPPER, type Stack, startStack } from '../../support/gateway/stack.ts';
import { patientTimes } from '../../support/gateway/generous-timeouts.ts';
import { startForAll } from '../../support/jest/lifetime.ts';

let server: RedisServer;
let admin: Redis;
let tlsPort: number;
const configs: ConfigCopy[] = [];
const certificate = startForAll(makeCertificate);
beforeAll(async () => {
  tlsPort = await freePort();
  server = await startRedis('--tls-port', String(tlsPort), ...certificate.args);
  admin = new Redis(server.url);
  for (const { name, rules } of redisUsers)
    await admin.acl('SETUSER', name, 'on', `>${name}-secret`, ...rules);
});
afterAll(async () => {
  await admin.quit();
  await server.stop();
  for (const config of configs) config.remove();
});

const urlOf = (user: string) => `rediss://${user}:${user}-secret@127.0.0.1:${tlsPort}`;

/** A configuration in which each role enters as a user of its own. */
function configFor(users: {
  readonly keys: string;
  readonly limits: string;
  readonly cache: string;
}): string {
  const config = copyConfig();
  config.useGenerousTimeouts();
  configs.push(config);
  const roles = Object.entries(users).map(
    ([role, user]) => `  ${role}: { url: '${urlOf(user)}', tls: { ca: '\${file:${certificate.file}}' } }\n`,
  );
  config.edit('portico.yaml', '  url: ${REDIS_URL:-}\n', roles.join(''));
  config.edit('sources/crm.yaml', 'concurrency: 8', 'concurrency: 8\n  requestsPerSecond: 1000');
  return config.file;
}

const gatewayUsers = { keys: 'portico-keys', limits: 'portico-limits', cache: 'portico-cache' };

async function portico(...args: string[]): Promise<string> {
  const file = configFor({ ...gatewayUsers, keys: 'portico-operator' });
  const { code, out, err } = await runCommand(['--config', file, ...args], { PORTICO_KEY_PEPPER: PEPPER });
  expect([code, err]).toEqual([0, '']);
  return out;
}

/** What Redis refused somebody, since this was last asked. */
async function refused(): Promise<readonly string[]> {
  const log = (await admin.acl('LOG')) as unknown[];
  await admin.acl('LOG', 'RESET');
  return log.map((entry) => JSON.stringify(entry));
}

async function withStack(work: (stack: Stack) => Promise<void>): Promise<void> {
  const stack = await startStack({ configFile: configFor(gatewayUsers) });
  try {
    await work(stack);
  } finally {
    await stack.close();
  }
}

describe('the Redis users of config/docs/operate.md, over TLS', () => {
  it('are one for each role, and one for the operator', () => {
    expect(redisUsers.map(({ name }) => name)).toEqual([...Object.values(gatewayUsers), 'portico-operator']);
  });

  it('may do all that Portico does', async () => {
    await refused();
    const create = ['keys', 'create', '--label', 'x', '--permissions', 'users:read', '--json'];
    const { key, id } = JSON.parse(await portico(...create)) as { key: string; id: string };
    const headers = { 'x-api-key': key };
    await withStack(async (stack) => {
      expect(await stack.isReady()).toBe(true);
      for (const path of ['/v1/users?sort=name', '/v1/users?sort=name&offset=40', '/v1/users/user_3'])
        expect((await stack.ask(path, { headers })).status).toBe(200);
      expect((await stack.ask('/v1/users', { headers: { 'x-api-key': 'ptk_nobody_x' } })).status).toBe(401);
      await eventually(async () => (await admin.keys('portico:{requests}:*')).length > 0);
      expect(await (await fetch(`${stack.adminUrl}/api/requests`)).json()).toMatchObject({ scope: 'fleet' });
      const purge = await fetch(`${stack.adminUrl}/api/cache/purge?tag=users`, { method: 'POST' });
      expect(purge.status).toBe(200);
      expect((await stack.ask('/v1/users?sort=name', { headers })).status).toBe(200);
    });
    await portico('cache', 'purge', '--tag', 'products');
    await portico('keys', 'list');
    await portico('keys', 'rotate', id);
    await portico('keys', 'update', id, '--label', 'y');
    await portico('keys', 'revoke', id);
    await portico('keys', 'delete', id);
    await portico('keys', 'prune');
    await portico('audit', '--verify');
    await portico(...create);
    await withStack(async (stack) => {
      expect((await stack.ask('/v1/users', { headers })).status).toBe(401);
    });
    const kinds = (await admin.keys('*')).map((name) => /^portico:\{?([\w-]+)/.exec(name)?.[1]);
    // The figures of a minute are written once it is over, which may be during this test.
    expect([...new Set(kinds)].filter((kind) => kind !== 'figures').sort()).toEqual([
      'api-key',
      'api-keys',
      'audit',
      'cache',
      'limit',
      'purges',
      'requests',
      'snapshot',
    ]);
    expect(await refused()).toEqual([]);
  });

  it('may store the checkpoints of walks', async () => {
    const client = new Redis(urlOf('portico-cache'), { tls: { ca: certificate.ca } });
    const redis = { client, keys: createRedisKeys('portico:'), scope: 'x' };
    const place = { offset: 10, next: 'x', total: 9, storedAt: 1, firstId: 'a', last: [] };
    const [one, other] = [createCursorCheckpoints({ redis }), createCursorCheckpoints({ redis })];
    await one.add('walk', place, 10_000);
    expect(await other.farthest('walk', [10])).toEqual(place);
    await one.drop('walk');
    await client.quit();
    expect(await refused()).toEqual([]);
  });

  it.each([
    ['portico-keys', ['set', 'portico:api-key:x', '1']],
    ['portico-keys', ['sadd', 'portico:api-keys', 'x']],
    ['portico-keys', ['del', 'portico:audit']],
    ['portico-limits', ['get', 'portico:api-key:x']],
    ['portico-cache', ['get', 'portico:api-key:x']],
    ['portico-cache', ['del', 'portico:limit:{x}:y']],
    ['portico-operator', ['get', 'portico:cache:{x}:value']],
    ['portico-cache', ['flushall']],
  ])('may do nothing else: %s %j', async (user, [command = '', ...args]) => {
    const client = new Redis(urlOf(user), { tls: { ca: certificate.ca } });
    await expect(client.call(command, ...args)).rejects.toThrow('NOPERM');
    await client.quit();
    expect(await refused()).toHaveLength(1);
  });
});

describe('a Redis over TLS', () => {
  /** Whether such a connection stands, and what the log says. */
  async function tryOut(url: string, tls: NonNullable<RedisProfile['access']>['tls']) {
    const log: string[] = [];
    const note = (fields: object, message: string) => void log.push(`${message} ${JSON.stringify(fields)}`);
    const redis = createRedis({ url, access: { tls }, ...patientTimes }, { info: note, warn: note });
    await eventually(() => redis.isReady() || log.length > 0);
    const is = redis.isReady();
    await redis.close();
    return { is, log: log.join('\n') };
  }
  const url = (user = 'portico-keys', host = '127.0.0.1') =>
    `rediss://${user}:${user}-secret@${host}:${tlsPort}`;

  it('is used when its certificate is trusted and names its address, or the configured name', async () => {
    const { ca } = certificate;
    expect(await tryOut(url(), { ca })).toEqual({ is: true, log: '' });
    expect(await tryOut(url(), { ca, servername: 'redis.test' })).toEqual({ is: true, log: '' });
  });

  it('is out of reach when its certificate is not trusted, or names another host', async () => {
    const stranger = await tryOut(url(), undefined);
    expect([stranger.is, stranger.log]).toEqual([false, expect.stringContaining('self-signed certificate')]);
    const other = await tryOut(url(), { ca: certificate.ca, servername: 'other.test' });
    expect([other.is, other.log]).toEqual([false, expect.stringContaining('other.test')]);
  });

  it('is out of reach for an unknown user, and no secret is logged', async () => {
    const unknown = await tryOut(url('nobody'), { ca: certificate.ca });
    expect([unknown.is, unknown.log]).toEqual([false, expect.stringContaining('WRONGPASS')]);
    expect(unknown.log).not.toContain('secret');
  });
});
