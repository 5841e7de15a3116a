import { readdir, readFile, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { copyConfig } from '../support/gateway/config-copy.ts';
import { NODE, runPortico, startGatewayProcess } from '../support/gateway/gateway-process.ts';
import { createFolder } from '../support/process/folder.ts';
import { freePort } from '../support/process/free-port.ts';
import { program } from '../support/process/program.ts';
import { runProcess } from '../support/process/running-process.ts';
import { eventually } from '../support/time/eventually.ts';
import { crmList } from '../support/upstream/scripts.ts';
import { serving, startUpstream } from '../support/upstream/scripted-upstream.ts';
import { endAfterTest, startForAll } from '../support/jest/lifetime.ts';

const LIST_MODULES = resolve('test/support/process/list-modules.ts');

const scratch = startForAll(() => createFolder('start'));
const upstream = startForAll(() => startUpstream(serving((request) => crmList(request, 'Ada'))));
const config = startForAll(copyConfig);
beforeAll(() => {
  config.useGenerousTimeouts();
  config.edit('portico.yaml', '    source: crm\n', '    source: crm\n    public: true\n');
});

const modulesFile = () => join(scratch.path, 'modules');

/** Starts a program as `portico start`, and reads which files it has loaded once it has answered. */
async function startAndAnswer(main: string) {
  const MODULES_FILE = modulesFile();
  await rm(MODULES_FILE, { force: true });
  const env = { USERS_URL: upstream.origin, NODE_OPTIONS: `--import ${LIST_MODULES}`, MODULES_FILE };
  const gateway = await startGatewayProcess(env, config.file, undefined, main);
  const { status } = await fetch(`${gateway.url}/v1/users`);
  const files = (await readFile(MODULES_FILE, 'utf8')).trim().split('\n');
  return { gateway, status, files };
}

describe('a gateway that starts', () => {
  it('loads no command but its own, and no package that only other commands use', async () => {
    const { gateway, status, files } = await startAndAnswer('src/main.ts');
    await gateway.close();
    expect(status).toBe(200);
    expect(files.some((file) => file.endsWith('/src/gateway/gateway.ts'))).toBe(true);
    const forOthers =
      /\/src\/(?:cli\/commands|cli\/(?:check|demo|fixtures|infer|migration|redis)\/|draft\/|samples\/)|\/node_modules\/(?:@bomb\.sh\/tab|log-update|@opentelemetry\/sdk-trace|@opentelemetry\/exporter-trace-otlp-proto)\//;
    expect(files.filter((file) => forOthers.test(file))).toEqual([]);
  });

  it.each(['1', '2'])('says as it listens that Redis is away, with %s processes', async (WORKERS) => {
    const REDIS_URL = `redis://127.0.0.1:${await freePort()}`;
    const env = {
      USERS_URL: upstream.origin,
      PORTICO_KEY_PEPPER: 'a-pepper-of-the-start',
      WORKERS,
      REDIS_URL,
    };
    const gateway = await startGatewayProcess(env);
    const listening = gateway.lines().filter(({ msg, adminPort }) => msg === 'listening' && adminPort);
    await gateway.close();
    expect(listening).toMatchObject([{ redis: 'not connected: redis' }]);
  });

  it('says which Node it needs where it runs on an older one', async () => {
    const { engines } = JSON.parse(await readFile('package.json', 'utf8')) as { engines: { node: string } };
    const needed = engines.node.replace('>=', '');
    const [major, minor] = needed.split('.').map(Number);
    const runOn = (version: string) =>
      runPortico(['--version'], {
        NODE_OPTIONS: `--import data:text/javascript,Object.defineProperty(process,'version',{value:'v${version}'})`,
      });
    expect(await runOn(`${major}.${minor! - 1}.9`)).toMatchObject({
      code: 1,
      err: `portico: this is Node v${major}.${minor! - 1}.9; install Node ${needed} or newer\n`,
    });
    expect(await runOn(`${needed}.0`)).toMatchObject({ code: 0, err: '' });
  });
});

describe('the compiled gateway', () => {
  const main = program();

  it('answers after loading few files, and reads a changed configuration', async () => {
    const started = await startAndAnswer(main);
    const gateway = endAfterTest(started.gateway);
    expect(started.status).toBe(200);
    // From source there are 1,450. The threads and the commands are files of their own, and what they and the library share with
    // the program is, too. A start needs no thread.
    expect(started.files.length).toBeLessThan(20);
    expect(started.files.filter((file) => /commands-|demo-|-thread/.test(file))).toEqual([]);
    expect((await fetch(`${gateway.url}/docs/page.css`)).status).toBe(200);

    config.edit('portico.yaml', 'passthrough:', 'contract: { limitOverflow: clamp }\n\npassthrough:');
    gateway.process.signal('SIGHUP');
    const { url } = gateway;
    await eventually(async () => (await fetch(`${url}/v1/users?limit=500`)).status === 200, {
      withinMs: 60_000,
    });
  });

  it("does not load undici, Node's second client of HTTP, for a start and an answer", async () => {
    const started = await startAndAnswer(main);
    const gateway = endAfterTest(started.gateway);
    gateway.process.signal('SIGTERM');
    const loaded = () => readFile(modulesFile(), 'utf8');
    await eventually(async () => (await loaded()).includes('builtin http\n'), { withinMs: 30_000 });
    expect(await loaded()).not.toContain('undici');
  });

  it('reads what operators post in a charset of its own', async () => {
    const started = await startAndAnswer(main);
    const gateway = endAfterTest(started.gateway);
    const post = (charset: string, body: Buffer) =>
      fetch(`${gateway.adminUrl}/api/session`, {
        method: 'POST',
        headers: { 'Content-Type': `application/json; charset=${charset}` },
        body,
      });
    const text = JSON.stringify({ token: 'é'.repeat(40) });
    const answers = [
      await post('utf-8', Buffer.from(text)),
      await post('utf-16le', Buffer.from(text, 'utf16le')),
      await post('utf-unknown', Buffer.from(text)),
    ];
    // 409: it was read, and a gateway without a token has no sessions.
    expect(answers.map(({ status }) => status)).toEqual([409, 409, 400]);
  });

  it('has every command, and each thread beside the program that starts it', async () => {
    const { code, out } = await runProcess(NODE, [main, '--config', config.file, 'check', '--json']);
    expect({ code, problems: (JSON.parse(out) as { problems?: unknown[] }).problems ?? [] }).toEqual({
      code: 0,
      problems: [],
    });
    const beside = await readdir(join(main, '../bundle/serve'));
    expect(beside).toEqual(expect.arrayContaining(['config-check-thread.js', 'reading-thread.js']));
  });
});
