import { runCommand } from '../../support/command/run-command.ts';
import { type RedisServer, startRedis } from '../../support/redis/redis-server.ts';
import { endAfterTest } from '../../support/jest/lifetime.ts';

let server: RedisServer | undefined;

async function run(args: readonly string[], options: readonly string[], url = (at: string) => at) {
  server = endAfterTest(await startRedis(...options));
  return runCommand(args, { REDIS_URL: url(server.url) });
}

describe('a command that needs Redis says what to do', () => {
  it.each([
    ['asks for a password', ['--requirepass', 'right'], undefined, 'write it into the URL'],
    [
      'has another password',
      ['--requirepass', 'right'],
      (url: string) => url.replace('//', '//:wrong@'),
      'compare it with ACL LIST of Redis',
    ],
  ] as const)('where it %s', async (_what, options, url, hint) => {
    const { code, err } = await run(['keys', 'list'], options, url);
    expect(code).toBe(69);
    expect(err).toMatch(/^Redis is out of reach; reconnecting: .+\n {4}hint: /);
    expect(err).toContain(hint);
    expect(err).not.toContain('wrong@');
  });

  it('where it is full', async () => {
    const full = ['--maxmemory', '1', '--maxmemory-policy', 'noeviction'];
    const { code, err } = await run(['cache', 'purge', '--all'], full);
    expect(code).toBe(69);
    expect(err).toMatch(/Redis is full: OOM [^\n]+\n {4}hint: .*raise its maxmemory/);
  });
});
