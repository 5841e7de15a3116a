import { startUpstream } from '../support/upstream/scripted-upstream.ts';
import { forwardingTo } from '../support/upstream/scripts.ts';
import { checkedFetch } from '../support/client/openapi-check.ts';
import {
  type GatewayProcess,
  createKey,
  startGatewayProcess,
  startUpstreams,
} from '../support/gateway/gateway-process.ts';
import { startRedis } from '../support/redis/redis-server.ts';
import { copyConfig } from '../support/gateway/config-copy.ts';
import { startForAll } from '../support/jest/lifetime.ts';

/** 5,000 users, 40 in a call, and a look behind the last one. */
const CALLS_OF_A_SCAN = 126;

let key = '';

const redis = startForAll(startRedis);
const upstreams = startForAll(startUpstreams);
/** They stand between the gateways and the sources, and count the calls. */
const users = startForAll(() => startUpstream(forwardingTo(upstreams.env.USERS_URL)));
const catalog = startForAll(() => startUpstream(forwardingTo(upstreams.env.CATALOG_URL)));
const config = startForAll(copyConfig);
beforeAll(async () => {
  // A busy machine must not look like a Redis that has gone.
  config.useGenerousTimeouts();
  ({ key } = await createKey(config.file, env(), { permissions: 'users:read,products:read' }));
});
const env = () => ({
  ...{ ...upstreams.env, USERS_URL: users.origin, CATALOG_URL: catalog.origin },
  ...{ REDIS_URL: redis.url, PORTICO_KEY_PEPPER: 'a-pepper-of-the-fleet' },
});
const start = () => startGatewayProcess(env(), config.file);
const fleet = startForAll(() => Promise.all([start(), start()]));

const ask = ({ url }: GatewayProcess, query: string) =>
  checkedFetch(`${url}/v1/${query}`, { headers: { authorization: `Bearer ${key}` } });

describe('two gateway processes on one Redis', () => {
  it('scan once for all concurrent queries, and give the same answers', async () => {
    const queries = ['?sort=name', '?sort=-name&limit=3', '?sort=name&page=7', '?sort=-email&page=2'];
    const answers = await Promise.all(
      fleet.flatMap((gateway) => queries.map((query) => ask(gateway, `users${query}`))),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    const bodies = await Promise.all(answers.map((answer) => answer.text()));
    expect(bodies.slice(queries.length)).toEqual(bodies.slice(0, queries.length));
    expect(users.calls).toBe(CALLS_OF_A_SCAN);
  });

  it('scan on the other one when the one that scans is killed', async () => {
    const [dies, stays] = fleet as [GatewayProcess, GatewayProcess];
    catalog.does(() => undefined);
    const lost = ask(dies, 'products?min_price=10').catch(() => 'the connection was closed');
    await catalog.requested(1);
    const answer = ask(stays, 'products?min_price=10&limit=11');
    await dies.close();
    catalog.become(forwardingTo(upstreams.env.CATALOG_URL));
    expect((await answer).status).toBe(200);
    expect(await lost).toBe('the connection was closed');
  });
});
