import { execFile } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { parse } from 'yaml';
import { sampleNames, samplePorts } from '../../../src/samples/serve.ts';
import { parseDockerfile } from '../../support/process/dockerfile.ts';
import { serving, startUpstream } from '../../support/upstream/scripted-upstream.ts';
import { startRedis } from '../../support/redis/redis-server.ts';

type Service = {
  build?: string;
  command?: string[];
  environment?: Record<string, string | null>;
  ports?: string[];
  volumes?: string[];
  depends_on?: Record<string, { condition: string }>;
  healthcheck: { test: string[] };
};

const root = new URL('../../../', import.meta.url).pathname;
const text = readFileSync(join(root, 'docker-compose.yml'), 'utf8');
const compose = parse(text, { merge: true }) as { services: Record<string, Service>; volumes: object };
const { services } = compose;
const gateway = services['gateway']!;
const environment = gateway.environment!;

/** The variables that the configuration reads, with their defaults. */
const variables = new Map(
  readdirSync(join(root, 'config'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.yaml') && !file.startsWith('examples'))
    .map((file) => readFileSync(join(root, 'config', file), 'utf8').replaceAll(/^\s*#.*$/gm, ''))
    .flatMap((yaml) => [...yaml.matchAll(/\$\{([A-Z_]+)(?::-([^}]*))?\}/g)])
    .map(([, name = '', fallback]) => [name, fallback]),
);

/** Exit code and output of a command; the Node of the tests stands for the one in the image. */
function run(command: readonly string[]): Promise<{ code: number; output: string }> {
  const [file = '', ...args] = command;
  return new Promise((resolve) => {
    execFile(file === 'node' ? process.execPath : file, args, { cwd: root }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), output: stdout + stderr });
    });
  });
}

/** What an image command is in the sources: the build turns src into dist. */
function inSources(command: readonly string[]): string[] {
  return command.map((word) => word.replace(/^dist\/(.*)\.js$/, 'src/$1.ts'));
}

/** The rules of the Compose specification, and of good practice, that the file breaks. */
async function broken(file: string): Promise<string[]> {
  const { output } = await run(['node', 'node_modules/dclint/bin/dclint.cjs', '--formatter', 'json', file]);
  const [result] = JSON.parse(output) as [{ messages: { rule: string }[] }];
  return result.messages.map(({ rule }) => rule);
}

describe('docker-compose.yml against the Compose specification', () => {
  it('is valid, and follows good practice', async () => {
    expect(await broken(join(root, 'docker-compose.yml'))).toEqual([]);
  });

  it.each([
    ['a misspelt key', 'depends_on:', 'dependson:'],
    ['a condition that does not exist', 'service_healthy', 'service_happy'],
    ['a duration that is a list', 'interval: 5s', 'interval: [5s]'],
  ])('would not be with %s', async (_what, from, to) => {
    const directory = await mkdtemp(join(tmpdir(), 'portico-compose-'));
    const file = join(directory, 'docker-compose.yml');
    await writeFile(file, text.replaceAll(from, to));
    expect(await broken(file)).toContain('invalid-schema');
    await rm(directory, { recursive: true });
  });
});

describe('what docker-compose.yml names exists', () => {
  it('builds from the Dockerfile that is here, and mounts no file of this machine', () => {
    const built = Object.values(services).flatMap(({ build }) => (build === undefined ? [] : [build]));
    expect([...new Set(built)]).toEqual(['.']);
    expect(existsSync(join(root, 'Dockerfile'))).toBe(true);
    const mounts = Object.values(services).flatMap(({ volumes }) => volumes ?? []);
    expect(mounts.map((mount) => mount.split(':')[0])).toEqual(Object.keys(compose.volumes));
  });

  it('sets variables that the configuration reads, and every one of them', () => {
    expect(Object.keys(environment).filter((name) => !variables.has(name))).toEqual([]);
    // The address is left at its default: every address of the container.
    expect([...variables.keys()].filter((name) => !(name in environment))).toEqual(['HOST']);
    expect(variables.get('HOST')).toBe('0.0.0.0');
  });

  it('leaves unset only what the configuration has a default for', () => {
    const unset = Object.keys(environment).filter((name) => environment[name] === null);
    expect(unset.filter((name) => variables.get(name) === undefined)).toEqual([]);
  });

  it('listens on the ports it publishes, the image exposes and the configuration defaults to', () => {
    expect(gateway.ports).toEqual(['0.0.0.0:8080:8080', '127.0.0.1:9090:9090']);
    expect([environment['PORT'], environment['ADMIN_PORT']]).toEqual(['8080', '9090']);
    expect([variables.get('PORT'), variables.get('ADMIN_PORT')]).toEqual(['8080', '9090']);
    const dockerfile = parseDockerfile(readFileSync(join(root, 'Dockerfile'), 'utf8'));
    expect(dockerfile).toContainEqual({ word: 'EXPOSE', rest: '8080 9090' });
  });

  it('publishes nothing else', () => {
    expect(Object.keys(services).filter((name) => services[name]!.ports !== undefined)).toEqual(['gateway']);
  });

  it.each(sampleNames)('reaches the %s service where it listens', (name) => {
    const url = environment[`${name.toUpperCase()}_URL`];
    expect(url).toBe(`\${${name.toUpperCase()}_URL:-http://${name}:${samplePorts[name]}}`);
    expect(services[name]!.healthcheck.test.join(' ')).toContain(`http://127.0.0.1:${samplePorts[name]}'`);
  });

  it('waits for services that have a health check, and for all of them', () => {
    const others = Object.keys(services).filter((name) => name !== 'gateway');
    expect(Object.keys(gateway.depends_on!).sort()).toEqual(others.sort());
    for (const name of others) expect(services[name]!.healthcheck.test[0]).toBe('CMD');
  });
});

describe('the commands of docker-compose.yml work', () => {
  it.each(sampleNames)('the one of the %s service is one that the command line knows', async (name) => {
    const command = inSources(services[name]!.command!);
    expect(command.slice(0, 4)).toEqual(['node', 'src/main.ts', 'samples', name]);
    const { code, output } = await run([...command, '--help']);
    expect(code).toBe(0);
    for (const option of command.filter((word) => word.startsWith('--'))) expect(output).toContain(option);
  });

  it('the one that its comment tells for making a key, too', async () => {
    const [, documented = ''] = /docker compose exec gateway (.*)$/m.exec(text) ?? [];
    const command = inSources(documented.split(' '));
    expect(command.slice(0, 4)).toEqual(['node', 'src/main.ts', 'keys', 'create']);
    const { code, output } = await run([...command, '--print']);
    expect(output).toContain('ptk_');
    expect(code).toBe(0);
  });

  it('Redis takes its options, evicts nothing and keeps what it has', async () => {
    const [program, ...options] = services['redis']!.command!;
    expect(program).toBe('redis-server');
    const server = await startRedis(...options);
    const client = new Redis(server.url);
    expect(await client.config('GET', 'maxmemory-policy')).toEqual(['maxmemory-policy', 'noeviction']);
    expect(await client.config('GET', 'appendonly')).toEqual(['appendonly', 'yes']);
    client.disconnect();
    await server.stop();
  });

  it.each(['gateway', ...sampleNames])('the health check of %s tells health from sickness', async (name) => {
    const check = services[name]!.healthcheck.test.slice(1);
    // A sample service is well whatever it answers; the gateway says on this path whether it is.
    const isWell = (path: string) => path === '/readyz' || name !== 'gateway';
    const service = await startUpstream(serving(({ path }) => ({ status: isWell(path) ? 200 : 404 })));
    const aimed = (part: string) => part.replace(/127\.0\.0\.1:\d+/, `127.0.0.1:${service.port}`);
    expect((await run(check.map(aimed))).code).toBe(0);
    service.does(({ socket }) => socket.destroy());
    expect((await run(check.map(aimed))).code).toBe(1);
    await service.close();
    expect((await run(check.map(aimed))).code).toBe(1);
  });
});
