import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CliContext } from '../../../src/cli/context/context.ts';
import { offeredKeys } from '../../../src/cli/gateway/keys.ts';
import { runCommand } from '../../support/command/run-command.ts';
import { startStack } from '../../support/gateway/stack.ts';
import { startForAll } from '../../support/jest/lifetime.ts';
import { createFolder } from '../../support/process/folder.ts';
import { startRedis } from '../../support/redis/redis-server.ts';

const redis = startForAll(startRedis);
const folder = startForAll(() => createFolder('nouns'));
const stack = startForAll(() => startStack({ redis: { url: redis.url, prefix: 'portico:' } }));
const run = (...words: string[]) => runCommand([...words, '--gateway', stack.adminUrl]);
let keyId = '';

beforeAll(async () => {
  const made = await run('keys', 'create', '--label', 'CRM', '--permissions', 'users:read', '--json');
  keyId = (JSON.parse(made.out) as { id: string }).id;
  await stack.get('/v1/users?limit=1');
  await stack.ask('/v1/users');
});

describe('portico list, get and describe', () => {
  it.each([
    ['keys', () => keyId],
    ['callers', () => 'everything'],
    ['sources', () => 'crm'],
  ])('are alike over %s', async (noun, idOf) => {
    const id = idOf();
    const [list, get, describe] = [
      await run('list', noun),
      await run('get', noun, id),
      await run('describe', noun, id),
    ];
    expect([list.code, get.code, describe.code]).toEqual([0, 0, 0]);
    const row = get.out.split('\n')[1]!.split(/ {2,}/)[0]!;
    expect(list.out).toMatch(new RegExp(`^${row} `, 'm'));
    expect(describe.out).toContain(id);
    expect(JSON.parse((await run('get', noun, id, '--json')).out)).toBeInstanceOf(Object);
  });

  it('take a noun in the singular, and know what may be meant', async () => {
    expect((await run('get', 'key', keyId)).out).toContain(keyId);
    expect(await run('list', 'kyes')).toMatchObject({
      code: 64,
      err: expect.stringContaining('did you mean keys?'),
    });
    expect(await run('get', 'source', 'crn')).toMatchObject({
      code: 1,
      err: 'portico: there is no source crn\n    hint: did you mean crm?\n',
    });
  });
});

describe('portico callers', () => {
  it('is a table of who asks', async () => {
    const { out } = await run('callers');
    expect(out).toMatch(/^ID +.*REQUESTS +/);
    expect(out).toMatch(/^everything +/m);
  });
});

describe('a shell that completes words about keys', () => {
  it('is offered the ids of the keys, and nothing where no gateway answers', async () => {
    const file = join(folder.path, 'portico.yaml');
    const { hostname: host, port } = new URL(stack.adminUrl);
    const context = { env: {}, stop: new AbortController().signal } as unknown as CliContext;
    const words = ['complete', '--', 'keys', 'show', ''];
    writeFileSync(file, `portico: 1\nadmin: { host: ${host}, port: ${port} }\n`);
    expect(await offeredKeys(words, () => file, context)).toEqual([keyId]);
    expect(await offeredKeys(['complete', '--', 'check', ''], () => file, context)).toEqual([]);
    writeFileSync(file, `portico: 1\nadmin: { host: ${host}, port: 2 }\n`);
    expect(await offeredKeys(words, () => file, context)).toEqual([]);
  });
});
