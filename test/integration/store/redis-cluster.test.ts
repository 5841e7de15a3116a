import { hostAndPort } from '../../../src/config/schema/elements/scalars.ts';
import { holding } from '../../support/pipeline/held-calls.ts';
import { startRedisCluster } from '../../support/redis/cluster.ts';
import { runCommand } from '../../support/command/run-command.ts';
import { closeMembers, openMember } from '../../support/pipeline/scan-cache-fleet.ts';
import { eventually } from '../../support/time/eventually.ts';
import { PEPPER, type Stack, startStack } from '../../support/gateway/stack.ts';
import { copyConfig } from '../../support/gateway/config-copy.ts';
import { expectedBody, honest, products, shopText } from '../../unit/pipeline/reading/shop.ts';
import { startForAll } from '../../support/jest/lifetime.ts';

const FEW = 25;
const fleet: Stack[] = [];

const cluster = startForAll(startRedisCluster);
const config = startForAll(copyConfig);
beforeAll(async () => {
  // A busy machine must not look like a Redis that has gone: each gateway would then count alone.
  config.useGenerousTimeouts();
  config.edit('portico.yaml', '  url: ${REDIS_URL:-}', `  cluster: [${cluster.nodes.join(', ')}]`);
  config.edit('portico.yaml', '    roomy:', `    few: { windows: [${FEW} per 60s] }\n    roomy:`);
  for (const _ of [1, 2]) fleet.push(await startStack({ configFile: config.file }));
});
afterAll(async () => {
  await Promise.all(fleet.map((stack) => stack.close()));
});

/** A command of `portico` with the configuration of the fleet. */
async function portico(...args: readonly string[]): Promise<string> {
  const { code, out, err } = await runCommand(['--config', config.file, ...args], {
    PORTICO_KEY_PEPPER: PEPPER,
  });
  expect([code, err]).toEqual([0, '']);
  return out;
}

async function createKey(tier: string): Promise<{ key: string; id: string }> {
  const terms = ['--label', 'x', '--permissions', 'users:read', '--tier', tier, '--json'];
  return JSON.parse(await portico('keys', 'create', ...terms)) as { key: string; id: string };
}

async function ask(stack: Stack, key: string, query = 'limit=1'): Promise<Response> {
  return await stack.ask(`/v1/users?${query}`, { headers: { authorization: `Bearer ${key}` } });
}

describe('two gateways on a Redis Cluster of three masters', () => {
  it('are ready, and follow keys that the commands create, list and revoke', async () => {
    for (const gateway of fleet) expect(await gateway.isReady()).toBe(true);
    const made = await Promise.all(Array.from({ length: 6 }, () => createKey('roomy')));
    for (const { key } of made) for (const stack of fleet) expect((await ask(stack, key)).status).toBe(200);
    const listed = JSON.parse(await portico('keys', 'list', '--json')) as { id: string }[];
    expect(listed.map(({ id }) => id)).toEqual(made.map(({ id }) => id).sort());
    await portico('keys', 'revoke', made[0]!.id);
    for (const stack of fleet) await eventually(async () => (await ask(stack, made[0]!.key)).status === 401);
  });

  it('hold limits together: each of six callers, on whatever master, gets just what the tier has', async () => {
    const keys = await Promise.all(Array.from({ length: 6 }, () => createKey('few')));
    const asked = keys.flatMap(({ key }) =>
      Array.from({ length: 2 * FEW }, async (_, at) => ({
        key,
        status: (await ask(fleet[at % 2]!, key)).status,
      })),
    );
    const answers = await Promise.all(asked);
    const accepted = keys.map(
      ({ key }) => answers.filter((answer) => answer.key === key && answer.status === 200).length,
    );
    expect(accepted).toEqual(keys.map(() => FEW));
  });

  it('share cached answers, and drop them when they are purged', async () => {
    const queries = Array.from({ length: 12 }, (_, at) => `limit=${60 + at}&page=2`);
    const { key } = await createKey('roomy');
    const cacheStatuses = async (stack: Stack) =>
      await Promise.all(
        queries.map(async (query) => (await ask(stack, key, query)).headers.get('cache-status') ?? ''),
      );
    const first = await cacheStatuses(fleet[0]!);
    expect(first.filter((status) => status.includes('fwd='))).toHaveLength(queries.length);
    // The answers are written in the background, after the callers have got them.
    await eventually(async () => (await cacheStatuses(fleet[1]!)).every((status) => status.includes('hit')));
    await portico('cache', 'purge', '--all');
    await eventually(async () => (await cacheStatuses(fleet[1]!)).some((status) => !status.includes('hit')));
  });

  it('share the rows of a scan', async () => {
    const rows = products(245);
    const text = shopText({ order: 'unknown', budget: '{ snapshot: 30s }' });
    const { serve, release } = holding(honest(() => rows));
    const url = cluster.nodes.map((node) => hostAndPort.parse(node));
    const members = [await openMember({ url, prefix: 'rows:', text }, serve)];
    members.push(await openMember({ url, prefix: 'rows:', text }, serve));
    const questions = ['limit=7', 'limit=100&page=3', 'category=Toys&limit=10'];
    const bodies = await release(
      Promise.all(members.flatMap((member) => questions.map((raw) => member.list(raw)))),
    );
    const expected = questions.map((raw) => expectedBody('products', rows, raw));
    expect(bodies).toEqual([...expected, ...expected]);
    expect(members.map(({ calls }) => calls.length).sort()).toEqual([0, 25]);
    await closeMembers(members);
  });
});
