import { Redis } from 'ioredis';
import { startRedis } from '../../support/redis/redis-server.ts';
import { startWatchedRedis } from '../../support/redis/sentinel.ts';
import { runCommand } from '../../support/command/run-command.ts';
import { eventually } from '../../support/time/eventually.ts';
import { copyConfig } from '../../support/gateway/config-copy.ts';
import { endAfterTest, startForAll } from '../../support/jest/lifetime.ts';

const UNSURE = 'no replica has acknowledged the change within a second';
const env = { PORTICO_KEY_PEPPER: 'a-pepper-of-the-replicas' };

const watched = startForAll(startWatchedRedis);
const config = startForAll(copyConfig);
beforeAll(() => {
  const nodes = watched.sentinels.map((node) => `'${node}'`).join(', ');
  config.edit(
    'portico.yaml',
    '  url: ${REDIS_URL:-}',
    `  sentinel: { name: ${watched.name}, nodes: [${nodes}] }`,
  );
});

async function keys(args: readonly string[], { file, url = '' }: { file: string; url?: string } = config) {
  const { code, out, err } = await runCommand(['--config', file, 'keys', ...args, '--json'], {
    ...env,
    REDIS_URL: url,
  });
  expect(code).toBe(0);
  return { err, id: (JSON.parse(out) as { id: string }).id };
}

const create = ['create', '--label', 'x', '--permissions', 'users:read'];

/** What a server has of a key. */
async function recordOn(url: string, id: string): Promise<string | null> {
  const client = new Redis(url);
  const text = await client.get(`portico:api-key:${id}`);
  client.disconnect();
  return text;
}

describe('a key that is changed in a Redis with a replica', () => {
  it('is on the replica when the command ends, as a new key and as a revoked one', async () => {
    const { id, err } = await keys(create);
    expect(await recordOn(watched.replica.url, id)).toBe(await recordOn(watched.master.url, id));
    expect((await keys(['revoke', id])).err + err).toBe('');
    expect(await recordOn(watched.replica.url, id)).toContain('revokedAt');
  });

  it('may be lost where the replica hangs or is gone, and the operator is warned', async () => {
    const shipped = { file: 'config/portico.yaml', url: watched.master.url };
    const [{ id }, other] = [await keys(create), await keys(create, shipped)];
    await watched.replica.pause();
    const began = performance.now();
    expect((await keys(['revoke', id])).err).toContain(UNSURE);
    expect(performance.now() - began).toBeGreaterThan(950);
    expect((await keys(['rotate', other.id], shipped)).err).toContain(UNSURE);
    await watched.replica.kill();
    const client = new Redis(watched.master.url);
    await eventually(async () => (await client.info('replication')).includes('connected_slaves:0'));
    client.disconnect();
    expect((await keys(create)).err).toContain(UNSURE);
  });

  it('does not wait where the server has no replica', async () => {
    const alone = endAfterTest(await startRedis());
    expect((await keys(create, { file: 'config/portico.yaml', url: alone.url })).err).toBe('');
  });
});
