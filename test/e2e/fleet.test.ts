import { runCommand } from '../support/command/run-command.ts';
import { eventually } from '../support/time/eventually.ts';
import { checkedFetch } from '../support/client/openapi-check.ts';
import {
  createKey,
  type GatewayProcess,
  startGatewayProcess,
  startUpstreams,
} from '../support/gateway/gateway-process.ts';
import { startRedis } from '../support/redis/redis-server.ts';
import { copyConfig } from '../support/gateway/config-copy.ts';
import { startForAll } from '../support/jest/lifetime.ts';

const redis = startForAll(startRedis);
const upstreams = startForAll(startUpstreams);
const config = startForAll(copyConfig);
beforeAll(() => {
  // A busy machine must not look like a Redis that has gone: each gateway would then count alone.
  config.useGenerousTimeouts();
  config.edit('portico.yaml', '    roomy:', '    few: { windows: [25 per 60s] }\n    roomy:');
});
const env = () => ({
  ...{ ...upstreams.env, REDIS_URL: redis.url, PORTICO_KEY_PEPPER: 'a-pepper-of-the-fleet' },
});
const start = () => startGatewayProcess(env(), config.file);
const fleet = startForAll(() => Promise.all([start(), start()]));

const keyOf = (tier: string) => createKey(config.file, env(), { tier });

async function ask(gateway: GatewayProcess, key: string): Promise<number> {
  const headers = { authorization: `Bearer ${key}` };
  return (await checkedFetch(`${gateway.url}/v1/users?limit=1`, { headers })).status;
}

const untilRefused = (gateway: GatewayProcess, key: string) =>
  eventually(async () => (await ask(gateway, key)) === 401);

describe('two gateway processes on one Redis', () => {
  it('accept a new key at once, and refuse it once it is revoked', async () => {
    const { key, id } = await keyOf('roomy');
    expect(await Promise.all(fleet.map((gateway) => ask(gateway, key)))).toEqual([200, 200]);

    const { code } = await runCommand(['--config', config.file, 'keys', 'revoke', id], env());
    expect(code).toBe(0);
    await Promise.all(fleet.map((gateway) => untilRefused(gateway, key)));
  });

  it('hold one limit together: of sixty requests, half to each, exactly the limit is accepted', async () => {
    const { key } = await keyOf('few');
    const statuses = await Promise.all(Array.from({ length: 60 }, (_, at) => ask(fleet[at % 2]!, key)));
    const counted = (wanted: number) => statuses.filter((status) => status === wanted).length;
    expect({ accepted: counted(200), refused: counted(429) }).toEqual({ accepted: 25, refused: 35 });
  });

  it('share cached answers', async () => {
    const { key } = await keyOf('roomy');
    const statuses: (string | null)[] = [];
    for (const gateway of fleet) {
      const response = await checkedFetch(`${gateway.url}/v1/users?limit=77&page=3`, {
        headers: { 'x-api-key': key },
      });
      statuses.push(response.headers.get('cache-status'));
    }
    expect(statuses).toEqual(['portico; fwd=miss', 'portico; hit']);
  });
});
