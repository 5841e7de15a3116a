import { writeFileSync } from 'node:fs';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { runCommand } from '../support/command/run-command.ts';
import { serve, TOKEN } from '../support/dialects/serve.ts';
import { twoLists } from '../support/dialects/two-lists.ts';
import { freePort } from '../support/process/free-port.ts';
import { program } from '../support/process/program.ts';
import { startProcess } from '../support/process/running-process.ts';
import { createFolder } from '../support/process/folder.ts';
import { endAfterTest, startForEach } from '../support/jest/lifetime.ts';

const run = promisify(execFile);

const folder = startForEach(() => createFolder('try'));
const service = startForEach(() => serve(twoLists));

/** The file that `portico infer` writes of both lists. */
async function drafted(): Promise<string> {
  const file = join(folder.path, 'shop.yaml');
  const resources = ['users', 'products'].flatMap((one) => [
    '--resource',
    `${one}=${service.origin}/api/${one}`,
  ]);
  const header = ['--header', `Authorization: Bearer ${TOKEN}`];
  await runCommand(['infer', ...resources, '--name', 'shop', '--out', file, ...header]);
  return file;
}

describe('portico try', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)(
    'serves one file without a gateway file or a pepper, prints commands that work, and ends on %s to npm',
    async (signal) => {
      const file = await drafted();
      const args = ['run', '-s', 'portico', '--', 'try', file, '--port', '0'];
      const running = endAfterTest(startProcess('npm', args, { SHOP_TOKEN: TOKEN }));
      await running.prints(/Ctrl-C/);
      const commands = running.out.split('\n').flatMap((line) => /^ *(curl .*)$/.exec(line)?.[1] ?? []);
      const totals: unknown[] = [];
      for (const command of commands) {
        const { stdout } = await run('bash', ['-c', `${command} --silent --fail`]);
        totals.push(JSON.parse(stdout).meta.total);
      }
      expect(totals).toEqual([27, 27, 43]);
      running.signal(signal);
      expect(await running.ended).toEqual({ code: 0, signal: null });
      expect(running.isGroupAlive()).toBe(false);
    },
  );

  it('listens on PORT, as start and demo do, unless --port names another', async () => {
    const file = await drafted();
    const [fromEnvironment, fromOption] = [await freePort(), await freePort()];
    const listens = async (options: readonly string[]) => {
      const args = [program(), 'try', file, ...options];
      const running = endAfterTest(
        startProcess(process.execPath, args, { SHOP_TOKEN: TOKEN, PORT: String(fromEnvironment) }),
      );
      await running.prints(/Ctrl-C/);
      const [, port] = /is served on http:\/\/127\.0\.0\.1:(\d+),/.exec(running.out) ?? [];
      running.signal('SIGTERM');
      await running.ended;
      return Number(port);
    };
    expect(await listens([])).toBe(fromEnvironment);
    expect(await listens(['--port', String(fromOption)])).toBe(fromOption);
  });

  it.each(['http', '65536', '-1', '80a'])('refuses PORT=%s, and says what a port is', async (PORT) => {
    const { code, err } = await runCommand(['try', await drafted()], { SHOP_TOKEN: TOKEN, PORT });
    const said = `portico: PORT is "${PORT}". Expected a port from 0 to 65535; 0 takes any free one.\n`;
    expect({ code, err }).toEqual({ code: 78, err: expect.stringContaining(said) });
  });

  it('names the variable that the file needs', async () => {
    const { code, err } = await runCommand(['try', await drafted()]);
    expect({ code, err }).toEqual({ code: 78, err: expect.stringContaining('SHOP_TOKEN is not set') });
  });

  it('says what is wrong with a file', async () => {
    const file = join(folder.path, 'wrong.yaml');
    writeFileSync(file, 'source: 1\nname: wrong\n');
    expect((await runCommand(['try', file])).code).toBe(78);
  });
});
