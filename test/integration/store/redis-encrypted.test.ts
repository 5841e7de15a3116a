import { Redis } from 'ioredis';
import { describeOnRequest } from '../../support/jest/describe-on-request.ts';
import { startRedisCluster } from '../../support/redis/cluster.ts';
import { startWatchedRedis } from '../../support/redis/sentinel.ts';
import { type Certificate, makeCertificate } from '../../support/redis/certificate.ts';
import { redisUsers } from '../../support/redis/documented-users.ts';
import { runCommand } from '../../support/command/run-command.ts';
import { copyConfig } from '../../support/gateway/config-copy.ts';
import { PEPPER, startStack } from '../../support/gateway/stack.ts';
import { endAfterTest } from '../../support/jest/lifetime.ts';

let certificate: Certificate;

/** What all users of config/docs/operate.md may do together. */
const everything = redisUsers.flatMap(({ rules }) => rules);

/** Makes a user, and answers what was refused to anybody on these servers, once that is asked for. */
async function addUser(ports: readonly number[], name: string, rules: readonly string[]) {
  const clients = ports.map((port) => new Redis(port, '127.0.0.1'));
  for (const client of clients) await client.call('ACL', 'SETUSER', name, 'on', `>${name}-secret`, ...rules);
  return async () => {
    const logs = await Promise.all(clients.map((client) => client.call('ACL', 'LOG')));
    for (const client of clients) client.disconnect();
    return logs.flat().map((entry) => JSON.stringify(entry));
  };
}

/** Makes a key, asks with it, and revokes it, with such a part `redis` of the configuration. */
async function useRedis(lines: readonly string[]): Promise<void> {
  const config = copyConfig();
  config.useGenerousTimeouts();
  const access = [
    '  username: portico',
    '  password: portico-secret',
    `  tls: { ca: '\${file:${certificate.file}}' }`,
  ];
  config.edit('portico.yaml', '  url: ${REDIS_URL:-}', [...lines, ...access].join('\n'));
  async function portico(...args: string[]): Promise<string> {
    const run = await runCommand(['--config', config.file, ...args], { PORTICO_KEY_PEPPER: PEPPER });
    expect([run.code, run.err]).toEqual([0, '']);
    return run.out;
  }
  const create = ['keys', 'create', '--label', 'x', '--permissions', 'users:read', '--json'];
  const { key, id } = JSON.parse(await portico(...create)) as { key: string; id: string };
  const stack = await startStack({ configFile: config.file });
  expect(await stack.isReady()).toBe(true);
  for (const path of ['/v1/users?sort=name', '/v1/users?limit=3'])
    expect((await stack.ask(path, { headers: { 'x-api-key': key } })).status).toBe(200);
  await portico('cache', 'purge', '--all');
  expect(await portico('keys', 'revoke', id)).toContain('revoked');
  expect(await portico('check', '--no-fixtures')).not.toContain('Redis');
  await stack.close();
  config.remove();
}

// A dozen servers behind TLS take their time; one server is in `redis-access.test.ts`, which always runs.
describeOnRequest('FLEETS', 'behind TLS and a user with the rights of config/docs/operate.md', () => {
  beforeAll(async () => {
    certificate = await makeCertificate();
  });
  afterAll(() => certificate.remove());

  it('a cluster with a replica is used', async () => {
    const cluster = endAfterTest(await startRedisCluster({ replica: true, certificate }));
    const rules = [...everything, '+cluster|slots', '+cluster|info', '+readonly', '+client|setname'];
    const refused = await addUser(cluster.adminPorts, 'portico', rules);
    await useRedis([`  cluster: [${cluster.nodes.join(', ')}]`]);
    expect(await refused()).toEqual([]);
  });

  it('a master is used that sentinels name, who ask for a user of their own', async () => {
    const watched = endAfterTest(await startWatchedRedis(certificate));
    const refused = await addUser([watched.master.port], 'portico', everything);
    const rules = ['+sentinel|get-master-addr-by-name', '+sentinel|sentinels'];
    const refusedBySentinels = await addUser(watched.adminPorts, 'watcher', rules);
    await useRedis([
      '  sentinel:',
      `    name: ${watched.name}`,
      `    nodes: [${watched.sentinels.join(', ')}]`,
      '    username: watcher',
      '    password: watcher-secret',
    ]);
    expect(await refused()).toEqual([]);
    expect(await refusedBySentinels()).toEqual([]);
  });
});
