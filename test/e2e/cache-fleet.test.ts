import { setTimeout as sleep } from 'node:timers/promises';
import { createKey, type GatewayProcess, startGatewayProcess } from '../support/gateway/gateway-process.ts';
import { runCommand } from '../support/command/run-command.ts';
import { eventually } from '../support/time/eventually.ts';
import { startUpstream } from '../support/upstream/scripted-upstream.ts';
import { crmList, holding } from '../support/upstream/scripts.ts';
import { startRedis } from '../support/redis/redis-server.ts';
import { copyConfig } from '../support/gateway/config-copy.ts';
import { startForAll } from '../support/jest/lifetime.ts';

let name = 'Ada';
/** A user service in the form of the sample CRM. */
const answers = holding((request) => crmList(request, name), false);
let key: string;

const redis = startForAll(startRedis);
const users = startForAll(() => startUpstream(answers));
const config = startForAll(copyConfig);
beforeAll(async () => {
  // A busy machine must not look like a Redis that has gone: each process would then fill alone.
  config.useGenerousTimeouts();
  config.edit('portico.yaml', 'fresh: 10s, notFound: 2s', 'fresh: 300s, notFound: 2s');
  config.edit('portico.yaml', '200 per 1s, 20000 per 60s', '100000 per 60s');
  ({ key } = await createKey(config.file, env()));
});
const env = () => ({
  ...{ USERS_URL: users.origin, REDIS_URL: redis.url, PORTICO_KEY_PEPPER: 'a-pepper-of-the-fleet' },
});
const start = () => startGatewayProcess(env(), config.file);
const fleet = startForAll(() => Promise.all([start(), start(), start()]));

/** The name of the first user, or what else a process answered. */
async function ask(gateway: GatewayProcess, query: string): Promise<string> {
  const answer = await fetch(`${gateway.url}/v1/users?${query}`, {
    headers: { authorization: `Bearer ${key}` },
  });
  const body = (await answer.json()) as { data?: { name: string }[] };
  return body.data?.[0]?.name ?? String(answer.status);
}

async function purge(tag: string): Promise<void> {
  const { code } = await runCommand(['--config', config.file, 'cache', 'purge', '--tag', tag], env());
  expect(code).toBe(0);
}

async function callsDuring(work: () => Promise<unknown>): Promise<number> {
  const before = users.calls;
  await work();
  return users.calls - before;
}

describe('three gateway processes on one cache', () => {
  it('call the source once for five hundred concurrent cold requests', async () => {
    answers.hold();
    const before = users.calls;
    const asked = Promise.all(Array.from({ length: 500 }, (_, at) => ask(fleet[at % 3]!, 'limit=3')));
    await users.requested(before + 1);
    // Waiting is the proof: nothing tells when a second call does not come.
    await sleep(500);
    answers.release();
    expect(new Set(await asked)).toEqual(new Set(['Ada X']));
    expect(users.calls - before).toBe(1);
  });

  it('call it once more when the process that was calling dies', async () => {
    answers.hold();
    const before = users.calls;
    const [doomed, ...others] = fleet as [GatewayProcess, GatewayProcess, GatewayProcess];
    const lost = ask(doomed, 'limit=4').catch(() => 'lost');
    await users.requested(before + 1);
    const asked = Promise.all(others.map((gateway) => ask(gateway, 'limit=4')));
    await doomed.close();
    expect(await lost).toBe('lost');
    await users.requested(before + 2);
    answers.release();
    expect(await asked).toEqual(['Ada X', 'Ada X']);
    expect(users.calls - before).toBe(2);
    fleet[0] = await start();
  });

  it.each(['users', 'users:2', 'user:2', 'user_2'])(
    'drop what is purged by %s, long before it expires',
    async (tag) => {
      for (const gateway of fleet) expect(await ask(gateway, 'limit=5')).toMatch(/ X$/);
      const calls = await callsDuring(() => Promise.all(fleet.map((gateway) => ask(gateway, 'limit=5'))));
      expect(calls).toBe(0);
      name = `${name}a`;
      await purge(tag);
      for (const gateway of fleet)
        await eventually(async () => (await ask(gateway, 'limit=5')) === `${name} X`);
    },
  );

  it('keep what a purge does not name', async () => {
    await purge('user:77');
    // Waiting is the proof: a purge is known everywhere within half a second, and this one must have no effect.
    await sleep(500);
    expect(await callsDuring(() => Promise.all(fleet.map((gateway) => ask(gateway, 'limit=5'))))).toBe(0);
  });
});
