import { dirname, join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { runCommand } from '../../support/command/run-command.ts';
import { runOnTerminal } from '../../support/command/run-on-terminal.ts';
import { copyConfig } from '../../support/gateway/config-copy.ts';
import { startGatewayProcess, startUpstreams } from '../../support/gateway/gateway-process.ts';
import { startForAll } from '../../support/jest/lifetime.ts';
import { startRedis } from '../../support/redis/redis-server.ts';

/** Names as long as may be. */
const [CRM, PEOPLE, CATALOG, ORDERS] = ['crm', 'people', 'catalog', 'orders'].map((name) =>
  `${name}-of-all-regions-in-the-north-and-the-south`.slice(0, 40),
) as [string, string, string, string];
const REASON = `${'because the sales department of the north has asked for it, '.repeat(3)}twice`;
const GRANTS = [
  ...['--permissions', 'users:read,products:read,orders:read', '--label', REASON.slice(0, 60)],
  ...['--operations', `users.list,users.get,products.list,passthrough.${ORDERS}`],
  ...['--addresses', '127.0.0.0/8,2001:db8:1111:2222::/64,2001:db8:3333:4444::/64,2001:db8:5555:6666::/64'],
];

const config = startForAll(() => {
  const copy = copyConfig();
  copy.edit('demo.yaml', 'source: crm', `source: ${CRM}`);
  copy.edit('demo.yaml', 'to: people', `to: ${PEOPLE}`);
  copy.edit('demo.yaml', 'source: catalog', `source: ${CATALOG}`);
  copy.edit('demo.yaml', 'name: orders', `name: ${ORDERS}`);
  for (const [file, name] of Object.entries({ crm: CRM, people: PEOPLE, catalog: CATALOG }))
    copy.edit(`sources/${file}.yaml`, `name: ${file}\n`, `name: ${name}\n`);
  return copy;
});
const services = startForAll(startUpstreams);
const redis = startForAll(startRedis);
const file = () => join(dirname(config.file), 'demo.yaml');
const gateway = startForAll(() => {
  // Nothing listens at the address of the catalogue, so that requests fail.
  const env = { ...services.env, CATALOG_URL: 'http://127.0.0.1:1', REDIS_URL: redis.url };
  return startGatewayProcess(env, file());
});

const words = (...args: readonly string[]) => [
  ...['--config', file(), ...args],
  ...(args[0] === 'explain' ? [] : ['--gateway', gateway.adminUrl]),
];
const ids: Record<string, string> = {};

beforeAll(async () => {
  const run = async (...args: string[]) => {
    const { code, out, err } = await runCommand(words(...args, '--reason', REASON));
    expect([code, code === 0 ? '' : err]).toEqual([0, '']);
    return out;
  };
  const { key, id } = JSON.parse(await run('keys', 'create', ...GRANTS, '--json')) as Record<string, string>;
  await run('migration', 'create', 'users');
  await run('migration', 'shadow', 'users');
  await run('migration', 'ignore', 'users', 'data[].name', '--until', '2099-01-31');
  config.edit('demo.yaml', 'soak: 5s', 'soak: 6s');
  await run('reload');
  const headers = { authorization: `Bearer ${key}` };
  await fetch(`${gateway.url}/v1/users?limit=3`, { headers });
  const failed = await fetch(`${gateway.url}/v1/products?limit=3`, { headers });
  expect(failed.status).toBe(503);
  Object.assign(ids, { KEY: id, REQUEST: failed.headers.get('x-request-id') });
});

describe.each([
  ...['list sources', 'list callers', 'list keys', 'list claims', 'list migrations', 'list requests'],
  ...[
    'list reloads',
    `get source ${CRM}`,
    `describe source ${CRM}`,
    `describe source passthrough.${ORDERS}`,
    'describe source unknown',
  ],
  ...['describe key KEY', 'describe migration users', 'describe request REQUEST', 'describe caller KEY'],
  ...[
    'callers',
    'status',
    'config',
    'config diff',
    'describe reload 2',
    'keys list',
    'keys show KEY',
    'quality',
    'audit',
  ],
  ...['requests', 'requests --id REQUEST', 'migration list', 'migration status users'],
  ...['migration diffs users', 'migration rules users', 'explain /v1/users?sort=name&page=3'],
])('portico %s', (command) => {
  it('has no line that is wider than a terminal of 80 columns', async () => {
    const { code, written } = await runOnTerminal(
      words(...command.split(' ').map((word) => ids[word] ?? word)),
    );
    expect({ code, written }).toEqual({ code: expect.any(Number), written: expect.stringMatching(/\S/) });
    expect(code).toBeLessThan(64);
    const lines = stripVTControlCharacters(written).split(/\r?\n/);
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
  });
});
