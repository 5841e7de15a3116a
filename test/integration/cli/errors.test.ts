import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { parseApiKey } from '../../../src/pipeline/stages/authentication/api-key.ts';
import { runCommand } from '../../support/command/run-command.ts';
import { startStack } from '../../support/gateway/stack.ts';
import { endAfterTest, startForAll } from '../../support/jest/lifetime.ts';
import { createFolder } from '../../support/process/folder.ts';
import { startRedis } from '../../support/redis/redis-server.ts';

const stack = startForAll(() => startStack());
const redis = startForAll(startRedis);
const folder = startForAll(() => createFolder('errors'));
// No client of HTTP is kept from asking this port, and nothing listens there.
const NOWHERE = 'http://127.0.0.1:2';
const CREATE = ['keys', 'create', '--label', 'web', '--permissions', 'users:read'];

/** A configuration with keys in Redis, and other lines. */
function writeGateway(lines: string): string {
  const file = join(folder.path, 'portico.yaml');
  mkdirSync(join(folder.path, 'sources'), { recursive: true });
  const own = `portico: 1\nauth: { apiKeys: { pepper: a pepper of more than sixteen } }\nresources: {}\n`;
  writeFileSync(file, `${own}redis: { url: '${redis.url}' }\n${lines}`);
  return file;
}

/** The address of a server, which is closed after the test. */
async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  endAfterTest({
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('the exit code', () => {
  it.each([
    [64, ['keys', 'update', 'abcdef']],
    [64, ['cache', 'purge']],
    [64, ['keys', 'create']],
    [64, [...CREATE, '--tier', 'gone', '--print']],
    [64, ['migration', 'ramp', 'users', '--percent', 'many']],
    [64, ['keys', 'import', '/nowhere/keys.jsonl']],
    [64, ['keys', 'list', '--gateway', 'nonsense']],
    [64, ['requests', '--gateway', NOWHERE, '--code', 'not_foun']],
    [69, ['keys', 'list']],
    [69, ['keys', 'list', '--gateway', NOWHERE]],
    [69, ['requests', '--gateway', NOWHERE]],
    [69, ['reload', '--gateway', NOWHERE]],
    [69, ['quality', '--gateway', NOWHERE]],
    [78, ['-c', '/nowhere/portico.yaml', 'check']],
  ])('is %i for %j', async (code, args) => {
    expect((await runCommand(args, { REDIS_URL: 'redis://127.0.0.1:1' })).code).toBe(code);
  });

  it('is 78 where the configuration has no Redis', async () => {
    expect((await runCommand(['keys', 'list'])).code).toBe(78);
  });

  it('is 130 for a diagnosis that Ctrl-C ends, which says what it had found', async () => {
    const stop = new AbortController();
    let asked = 0;
    const slow = createServer((_request, response) => {
      if ((asked += 1) === 4) stop.abort();
      if (asked < 4)
        response.setHeader('content-type', 'application/json').end('{"items":[{"id":1}],"total":1}');
    });
    const url = await listening(slow);
    const list = `{ request: { path: /x, query: { limit: '{limit}', offset: '{offset}' } }, window: { kind: offset, sizeMax: 5 }, items: items, total: { at: total }, map: { id: id } }`;
    const file = join(folder.path, 'slow.yaml');
    writeFileSync(
      file,
      `source: 1\nname: slow\nnet: { baseUrl: '${url}' }\noutcomes: [{ status: 200, is: ok }]\nresources: { products: { id: { kind: number }, list: ${list} } }\n`,
    );
    const { code, out, err } = await runCommand(['doctor', '--source', file, '--json'], {}, stop.signal);
    expect([code, err]).toEqual([130, expect.stringContaining('stopped before its end')]);
    const { resources } = JSON.parse(out) as { resources: { findings: unknown[] }[] };
    expect(resources[0]?.findings.length).toBeGreaterThan(0);
  });
});

describe('an error with --json', () => {
  it.each([
    [
      'of the words',
      ['cache', 'purge', '--json'],
      { code: 'usage', reason: expect.stringContaining('--tag') },
    ],
    [
      'of commander',
      ['keys', 'create', '--json'],
      { code: 'usage', reason: expect.stringContaining('--label') },
    ],
    ['of Redis', ['keys', 'list', '--json'], { code: 'unavailable', reason: 'Redis cannot be reached' }],
    [
      'of a gateway',
      ['claims', '--gateway', NOWHERE, '--json'],
      { code: 'unavailable', hint: expect.any(String) },
    ],
    [
      'of the files',
      ['-c', '/nowhere/portico.yaml', 'quality', '--json'],
      { code: 'config', problems: expect.any(Array) },
    ],
  ])('%s is one JSON document', async (_what, args, error) => {
    const { out } = await runCommand(args, { REDIS_URL: 'redis://127.0.0.1:1' });
    expect(JSON.parse(out)).toEqual({ error: expect.objectContaining(error) });
  });
});

describe('a raw text of Node or ioredis', () => {
  const RAW =
    /\bconnect E|ENOENT|fetch failed|Connection is closed|getaddrinfo|undefined|operation was aborted/;

  it.each([
    ['a gateway that is not there', ['requests', '--gateway', NOWHERE], 'the connection is refused'],
    ['an address that is none', ['requests', '--gateway', 'nonsense'], 'that is no address'],
    [
      'a host without name',
      ['requests', '--gateway', 'http://x.invalid:9090'],
      'the name of the host is not known',
    ],
    ['a Redis that is not there', ['keys', 'list'], 'the connection is refused'],
    ['a file that is not there', ['keys', 'import', '/nowhere/keys'], '/nowhere/keys: there is no such file'],
    [
      'a token that is not there',
      ['requests', '--token-file', '/nowhere/t', '--gateway', NOWHERE],
      '/nowhere/t: there is no',
    ],
    ['a folder', ['audit', 'restore', 'config'], 'it is a folder'],
  ])('does not reach a user: %s', async (_what, args, said) => {
    const { err } = await runCommand(args, { REDIS_URL: 'redis://127.0.0.1:1' });
    expect(err).toContain(said);
    expect(err).not.toMatch(RAW);
  });
});

describe('--gateway with an address that is no operator’s listener', () => {
  it.each([
    ['keys', ['keys', 'list']],
    ['requests', ['requests']],
    ['reload', ['reload']],
    ['migration', ['migration', 'list']],
  ])('says what it found and what it needs: %s, at the port for callers', async (_what, args) => {
    const { code, err } = await runCommand([...args, '--gateway', stack.url]);
    expect([code, err]).toEqual([
      69,
      expect.stringMatching(/is no operator's listener: HTTP 404 with not_found.*\n? .*admin\.port/s),
    ]);
  });

  it('says it of another server, too', async () => {
    const other = createServer((_request, response) =>
      response.setHeader('content-type', 'text/html').end('<p>'),
    );
    const { err } = await runCommand(['requests', '--gateway', await listening(other)]);
    expect(err).toContain("is no operator's listener: HTTP 200 with text/html");
  });
});

describe('a command on Redis, with a file that is broken', () => {
  it.each([
    ['in another section', 'listen: { port: many }\nunknown: 1\n'],
    ['in what another section names', 'passthrough: [{ name: x, path: /x, upstream: "${GONE}" }]\n'],
  ])('%s reads what it needs, and says so', async (_where, lines) => {
    const args = ['-c', writeGateway(lines), ...CREATE];
    const { code, out, err } = await runCommand(args);
    expect([code, err]).toEqual([
      0,
      expect.stringMatching(/^note: the configuration has \d problems?, which portico check/),
    ]);
    const { id } = parseApiKey(/ptk_\w+/.exec(out)![0])!;
    expect((await runCommand(['-c', writeGateway(lines), 'keys', 'revoke', id])).out).toContain('revoked');
  });

  it('in a section that it needs, names every problem', async () => {
    const { code, err } = await runCommand(['-c', writeGateway('limits: 3\n'), 'keys', 'list']);
    expect([code, err]).toEqual([0, expect.stringContaining('note:')]);
    const file = writeGateway('');
    writeFileSync(file, 'portico: 1\nresources: {}\nredis: { url: 7 }\n');
    expect(await runCommand(['-c', file, 'keys', 'list'])).toMatchObject({
      code: 78,
      err: expect.stringContaining('redis.url'),
    });
  });
});
