import { createServer, request, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { checkedFetch } from '../support/client/openapi-check.ts';
import {
  type GatewayProcess,
  runPortico,
  startGatewayProcess,
  startUpstreams,
} from '../support/gateway/gateway-process.ts';
import { type RedisServer, startRedis } from '../support/redis/redis-server.ts';
import { type ConfigCopy, copyConfig } from '../support/gateway/config-copy.ts';

/** 5,000 users, 40 in a call, and a look behind the last one. */
const CALLS_OF_A_SCAN = 126;

/** What stands between the gateways and a source: it counts the calls, and may keep them waiting. */
async function startWitness(target = '') {
  const state = { calls: 0, holds: false };
  const server: Server = createServer((incoming, outgoing) => {
    state.calls += 1;
    if (state.holds) return;
    const { method, url = '', headers } = incoming;
    const onward = request(target + url, { method, headers }, (reply) => {
      outgoing.writeHead(reply.statusCode ?? 0, reply.headers);
      reply.pipe(outgoing);
    });
    onward.on('error', () => outgoing.destroy());
    incoming.pipe(onward);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    state,
    url: `http://127.0.0.1:${port}`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

let redis: RedisServer;
let upstreams: Awaited<ReturnType<typeof startUpstreams>>;
let users: Awaited<ReturnType<typeof startWitness>>;
let catalog: typeof users;
let config: ConfigCopy;
let key = '';
const fleet: GatewayProcess[] = [];

beforeAll(async () => {
  redis = await startRedis();
  upstreams = await startUpstreams();
  users = await startWitness(upstreams.env.USERS_URL);
  catalog = await startWitness(upstreams.env.CATALOG_URL);
  config = copyConfig();
  // A busy machine must not look like a Redis that has gone.
  config.bePatient();
  const env = {
    ...upstreams.env,
    USERS_URL: users.url,
    CATALOG_URL: catalog.url,
    REDIS_URL: redis.url,
    PORTICO_KEY_PEPPER: 'a-pepper-of-the-fleet',
  };
  fleet.push(...(await Promise.all([1, 2].map(() => startGatewayProcess(env, config.file)))));
  const args = [
    'keys',
    'create',
    '--label',
    'fleet',
    '--permissions',
    'users:read,products:read',
    '--tier',
    'roomy',
  ];
  const { out } = await runPortico(['--config', config.file, ...args, '--json'], env);
  ({ key } = JSON.parse(out) as { key: string });
});
afterAll(async () => {
  await Promise.all(fleet.map(({ process }) => process.kill()));
  users.close();
  catalog.close();
  await upstreams.close();
  await redis.stop();
  config.remove();
});

const ask = ({ url }: GatewayProcess, query: string) =>
  checkedFetch(`${url}/v1/${query}`, { headers: { authorization: `Bearer ${key}` } });

describe('two gateway processes on one Redis', () => {
  it('scan once for whatever is asked of them at the same time, and agree', async () => {
    const queries = ['?sort=name', '?sort=-name&limit=3', '?sort=name&page=7', '?sort=-email&page=2'];
    const answers = await Promise.all(
      fleet.flatMap((gateway) => queries.map((query) => ask(gateway, `users${query}`))),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    const bodies = await Promise.all(answers.map((answer) => answer.text()));
    expect(bodies.slice(queries.length)).toEqual(bodies.slice(0, queries.length));
    expect(users.state.calls).toBe(CALLS_OF_A_SCAN);
  });

  it('leave it to the other where the one that scans is killed', async () => {
    const [dies, stays] = fleet as [GatewayProcess, GatewayProcess];
    catalog.state.holds = true;
    const lost = ask(dies, 'products?min_price=10').catch(() => 'the connection was closed');
    while (catalog.state.calls === 0) await new Promise(setImmediate);
    const answer = ask(stays, 'products?min_price=10&limit=11');
    await dies.process.kill();
    catalog.state.holds = false;
    expect((await answer).status).toBe(200);
    expect(await lost).toBe('the connection was closed');
  });
});
