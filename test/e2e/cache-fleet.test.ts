import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type GatewayProcess, runPortico, startGatewayProcess } from '../support/gateway/gateway-process.ts';
import { type RedisServer, startRedis } from '../support/redis/redis-server.ts';
import { type ConfigCopy, copyConfig } from '../support/gateway/config-copy.ts';

/** A user service in the form of the sample CRM, which counts its calls and answers when it is let. */
function createUsers() {
  const state = { calls: 0, name: 'Ada', open: true };
  const waiting: (() => void)[] = [];
  const server = createServer((req, res) => {
    state.calls += 1;
    const row = (cid: number) => ({
      contact: {
        core: { cid, person: { fname: state.name, lname: 'X' }, comm: { mail: '' }, created: 0 },
      },
    });
    const start = Number(new URL(req.url ?? '', 'http://users').searchParams.get('start'));
    const rows = start === 0 ? [row(1), row(2)] : [];
    const answer = () => {
      res.setHeader('Content-Type', 'application/json');
      res.end(JSON.stringify({ rc: 0, reply: { paging: { hits: 2 }, rows } }));
    };
    if (state.open) answer();
    else waiting.push(answer);
  });
  return {
    state,
    server,
    hold: () => void (state.open = false),
    letGo() {
      state.open = true;
      for (const answer of waiting.splice(0)) answer();
    },
  };
}

const users = createUsers();
let server: Server;
let redis: RedisServer;
let config: ConfigCopy;
let env: Record<string, string>;
let key: string;
const fleet: GatewayProcess[] = [];

beforeAll(async () => {
  redis = await startRedis();
  server = users.server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  config = copyConfig();
  // A busy machine must not look like a Redis that has gone: each process would then fill alone.
  config.bePatient();
  config.edit('portico.yaml', 'fresh: 10s, notFound: 2s', 'fresh: 300s, notFound: 2s');
  config.edit('portico.yaml', '200 per 1s, 20000 per 60s', '100000 per 60s');
  env = {
    USERS_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    REDIS_URL: redis.url,
    PORTICO_KEY_PEPPER: 'a-pepper-of-the-fleet',
  };
  fleet.push(...(await Promise.all([1, 2, 3].map(() => startGatewayProcess(env, config.file)))));
  const create = [
    'keys',
    'create',
    '--label',
    'x',
    '--permissions',
    'users:read',
    '--tier',
    'roomy',
    '--json',
  ];
  const { out } = await runPortico(['--config', config.file, ...create], env);
  key = (JSON.parse(out) as { key: string }).key;
});
afterAll(async () => {
  await Promise.all(fleet.map(({ process }) => process.kill()));
  server.closeAllConnections();
  server.close();
  await redis.stop();
  config.remove();
});

/** The name of the first user, or what else a process answered. */
async function ask(gateway: GatewayProcess, query: string): Promise<string> {
  const answer = await fetch(`${gateway.url}/v1/users?${query}`, {
    headers: { authorization: `Bearer ${key}` },
  });
  const body = (await answer.json()) as { data?: { name: string }[] };
  return body.data?.[0]?.name ?? String(answer.status);
}

async function callsDuring(work: () => Promise<unknown>): Promise<number> {
  const before = users.state.calls;
  await work();
  return users.state.calls - before;
}

async function untilCalled(count: number): Promise<void> {
  while (users.state.calls < count) await new Promise((resolve) => setTimeout(resolve, 5));
}

describe('three gateway processes on one cache', () => {
  it('ask the source once for five hundred cold requests at a time', async () => {
    users.hold();
    const before = users.state.calls;
    const asked = Promise.all(Array.from({ length: 500 }, (_, at) => ask(fleet[at % 3]!, 'limit=3')));
    await untilCalled(before + 1);
    // Time for others to ask as well, if they did.
    await new Promise((resolve) => setTimeout(resolve, 500));
    users.letGo();
    expect(new Set(await asked)).toEqual(new Set(['Ada X']));
    expect(users.state.calls - before).toBe(1);
  });

  it('ask once more where the process dies that was asking', async () => {
    users.hold();
    const before = users.state.calls;
    const [doomed, ...others] = fleet as [GatewayProcess, GatewayProcess, GatewayProcess];
    const lost = ask(doomed, 'limit=4').catch(() => 'lost');
    await untilCalled(before + 1);
    const asked = Promise.all(others.map((gateway) => ask(gateway, 'limit=4')));
    await doomed.process.kill();
    expect(await lost).toBe('lost');
    await untilCalled(before + 2);
    users.letGo();
    expect(await asked).toEqual(['Ada X', 'Ada X']);
    expect(users.state.calls - before).toBe(2);
    fleet[0] = await startGatewayProcess(env, config.file);
  });

  it.each(['users', 'user:2', 'user_2'])('forget what is purged by %s, long before its end', async (tag) => {
    for (const gateway of fleet) expect(await ask(gateway, 'limit=5')).toMatch(/ X$/);
    const calls = await callsDuring(() => Promise.all(fleet.map((gateway) => ask(gateway, 'limit=5'))));
    expect(calls).toBe(0);
    users.state.name = `${users.state.name}a`;
    const { code } = await runPortico(['--config', config.file, 'cache', 'purge', '--tag', tag], env);
    expect(code).toBe(0);
    for (const gateway of fleet) while ((await ask(gateway, 'limit=5')) !== `${users.state.name} X`);
  });

  it('keep what a purge is not about', async () => {
    const { code } = await runPortico(['--config', config.file, 'cache', 'purge', '--tag', 'user:77'], env);
    expect(code).toBe(0);
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(await callsDuring(() => Promise.all(fleet.map((gateway) => ask(gateway, 'limit=5'))))).toBe(0);
  });
});
