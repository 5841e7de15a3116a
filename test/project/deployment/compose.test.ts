import { execFile } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { sampleNames, samplePorts } from '../../../src/cli/demo/serve.ts';
import { startForAll } from '../../support/jest/lifetime.ts';
import { parseDockerfile } from '../../support/process/dockerfile.ts';
import { createFolder } from '../../support/process/folder.ts';
import { program } from '../../support/process/program.ts';
import { serving, startUpstream } from '../../support/upstream/scripted-upstream.ts';

type Service = {
  build?: string;
  command?: string[];
  environment?: Record<string, string | null>;
  ports?: string[];
  volumes?: string[];
  profiles?: string[];
  mem_limit?: string;
  logging?: { options: Record<string, string> };
  depends_on?: Record<string, { condition: string }>;
  healthcheck: { test: string[] };
};

const root = new URL('../../../', import.meta.url).pathname;
const text = readFileSync(join(root, 'docker-compose.yml'), 'utf8');
const compose = parse(text, { merge: true }) as { services: Record<string, Service>; volumes: object };
const { services } = compose;
const gateway = services['gateway']!;
const environment = gateway.environment!;

/** The variables that its configuration reads, with their defaults. */
const variables = new Map(
  ['compose.yaml', ...readdirSync(join(root, 'config/sources')).map((file) => `sources/${file}`)]
    .map((file) => readFileSync(join(root, 'config', file), 'utf8').replaceAll(/^\s*#.*$/gm, ''))
    .flatMap((yaml) => [...yaml.matchAll(/\$\{([A-Z_]+)(?::-([^}]*))?\}/g)])
    .map(([, name = '', fallback]) => [name, fallback]),
);

/** What the services mount: from, to, and how. */
const mounts = Object.values(services)
  .flatMap(({ volumes }) => volumes ?? [])
  .map((mount) => mount.split(':'));

/** The order of names in the example. */
const byExample =
  (example: string) =>
  ([one]: (string | undefined)[], [other]: (string | undefined)[]) =>
    example.indexOf(`${one ?? ''}=`) - example.indexOf(`${other ?? ''}=`);

/** Exit code and output of a command; the Node of the tests stands for the one in the image. */
function run(command: readonly string[]): Promise<{ code: number; output: string }> {
  const [file = '', ...args] = command;
  return new Promise((resolve) => {
    execFile(file === 'node' ? process.execPath : file, args, { cwd: root }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), output: stdout + stderr });
    });
  });
}

/** A command of the image, for the program as the image has it. */
const ofProgram = (command: readonly string[]) =>
  command.map((word) => (word === 'dist/main.js' ? program() : word));

/** The rules of the Compose specification, and of good practice, that each file breaks. */
async function findBroken(...files: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>> {
  const { output } = await run([
    'node',
    'node_modules/dclint/bin/dclint.cjs',
    '--formatter',
    'json',
    ...files,
  ]);
  const results = JSON.parse(output) as { filePath: string; messages: { rule: string }[] }[];
  return new Map(results.map(({ filePath, messages }) => [filePath, messages.map(({ rule }) => rule)]));
}

describe('docker-compose.yml against the Compose specification', () => {
  const mistakes = [
    { what: 'a misspelt key', from: 'depends_on:', to: 'dependson:' },
    { what: 'a condition that does not exist', from: 'service_healthy', to: 'service_happy' },
    { what: 'a duration that is a list', from: 'interval: 5s', to: 'interval: [5s]' },
  ];
  const directory = startForAll(() => createFolder('compose'));
  const fileOf = (what: string) => join(directory.path, `${what}.yml`);
  let found: ReadonlyMap<string, readonly string[]>;
  beforeAll(async () => {
    for (const { what, from, to } of mistakes) writeFileSync(fileOf(what), text.replaceAll(from, to));
    found = await findBroken('docker-compose.yml', ...mistakes.map(({ what }) => fileOf(what)));
  });

  it('is valid, and follows good practice', () => {
    expect(found.get('docker-compose.yml')).toEqual([]);
  });

  it.each(mistakes)('would not be with $what', ({ what }) => {
    expect(found.get(fileOf(what))).toContain('invalid-schema');
  });
});

describe('what docker-compose.yml names exists', () => {
  it('builds from the Dockerfile that is here', () => {
    const built = Object.values(services).flatMap(({ build }) => (build === undefined ? [] : [build]));
    expect([...new Set(built)]).toEqual(['.']);
    expect(existsSync(join(root, 'Dockerfile'))).toBe(true);
  });

  it('mounts what is here, to be read alone, and volumes that it declares', () => {
    const ours = mounts.filter(([from = '']) => from.startsWith('./'));
    expect(ours.filter(([from = '', , mode]) => !existsSync(join(root, from)) || mode !== 'ro')).toEqual([]);
    const named = mounts.filter(([from = '']) => !from.startsWith('./')).map(([from]) => from);
    expect(named.sort()).toEqual(Object.keys(compose.volumes));
  });

  it('mounts the configuration of the gateway as a folder, where the image has its own', () => {
    expect(gateway.volumes).toEqual(['./config:/app/config:ro']);
    expect(environment['PORTICO_CONFIG']).toBe('config/compose.yaml');
  });

  it('sets variables that the configuration reads, and every one of them', () => {
    const set = Object.keys(environment).filter((name) => name !== 'PORTICO_CONFIG');
    expect(set.filter((name) => !variables.has(name))).toEqual([]);
    // The address is left at its default: every address of the container.
    expect([...variables.keys()].filter((name) => !(name in environment))).toEqual(['HOST']);
    expect(variables.get('HOST')).toBe('0.0.0.0');
  });

  it('leaves unset only what the configuration has a default for', () => {
    const unset = Object.keys(environment).filter((name) => environment[name] === null);
    expect(unset.filter((name) => variables.get(name) === undefined)).toEqual([]);
  });

  it('asks for every password by name, and the example of the file for them has each of these, empty', () => {
    const asked = [...text.matchAll(/\$\{([A-Z_]+):\?/g)].map(([, name]) => name);
    const example = readFileSync(join(root, 'config/compose.env.example'), 'utf8');
    const named = [...example.matchAll(/^([A-Z_]+)=(.*)$/gm)].map(([, name, value]) => [name, value]);
    expect(named).toEqual([...new Set(asked)].map((name) => [name, '']).sort(byExample(example)));
    expect(readFileSync(join(root, '.gitignore'), 'utf8').split('\n')).toContain('.env');
  });

  it('listens on the ports it publishes, the image exposes and the configuration defaults to', () => {
    expect(gateway.ports).toEqual(['127.0.0.1:8080:8080', '127.0.0.1:9090:9090']);
    expect([environment['PORT'], environment['ADMIN_PORT']]).toEqual(['8080', '9090']);
    expect([variables.get('PORT'), variables.get('ADMIN_PORT')]).toEqual(['8080', '9090']);
    const dockerfile = parseDockerfile(readFileSync(join(root, 'Dockerfile'), 'utf8'));
    expect(dockerfile).toContainEqual({ word: 'EXPOSE', rest: '8080 9090' });
  });

  it('publishes to this machine alone', () => {
    const published = Object.values(services).flatMap(({ ports }) => ports ?? []);
    expect(published.filter((port) => !port.startsWith('127.0.0.1:'))).toEqual([]);
  });

  it('bounds the memory and the log of every service', () => {
    const all = Object.entries(services);
    expect(all.filter(([, { mem_limit: limit }]) => !/^\d+m$/.test(limit ?? ''))).toEqual([]);
    expect(all.filter(([, { logging }]) => logging?.options['max-size'] !== '10m')).toEqual([]);
  });

  it('starts the gateway and its Redis alone, where no profile is asked for', () => {
    const always = Object.keys(services).filter((name) => services[name]!.profiles === undefined);
    expect(always).toEqual(['gateway', 'redis', 'redis-cache']);
    const samples = Object.keys(services).filter((name) => services[name]!.profiles?.[0] === 'samples');
    expect(samples).toEqual(sampleNames);
  });

  it.each(sampleNames)('reaches the %s service where it listens', (name) => {
    const url = environment[`${name.toUpperCase()}_URL`];
    expect(url).toBe(`\${${name.toUpperCase()}_URL:-http://${name}:${samplePorts[name]}}`);
    expect(services[name]!.healthcheck.test.join(' ')).toContain(`http://127.0.0.1:${samplePorts[name]}'`);
  });

  it('waits for each Redis of the gateway, which has a health check, and for nothing that may be away', () => {
    expect(Object.keys(gateway.depends_on!)).toEqual(['redis', 'redis-cache']);
    for (const service of Object.values(services)) expect(service.healthcheck.test[0]).toBe('CMD');
  });
});

describe('the commands of docker-compose.yml work', () => {
  it.each(sampleNames)('the one of the %s service is one that the command line knows', async (name) => {
    const command = services[name]!.command!;
    expect(command.slice(0, 4)).toEqual(['node', 'dist/main.js', 'samples', name]);
    const { code, output } = await run([...ofProgram(command), '--help']);
    expect(code).toBe(0);
    for (const option of command.filter((word) => word.startsWith('--'))) expect(output).toContain(option);
  });

  it('the one that its comment tells for making a key, too', async () => {
    const [, documented = ''] = /docker compose exec gateway (.*)$/m.exec(text) ?? [];
    const command = documented.split(' ');
    expect(command.slice(0, 4)).toEqual(['node', 'dist/main.js', 'keys', 'create']);
    const { code, output } = await run([...ofProgram(command), '--print']);
    expect(output).toContain('ptk_');
    expect(code).toBe(0);
  });

  it.each(['gateway', ...sampleNames])('the health check of %s tells health from sickness', async (name) => {
    const check = services[name]!.healthcheck.test.slice(1);
    // A sample service is well whatever it answers; the gateway says on this path whether it is.
    const isHealthy = (path: string) => path === '/readyz' || name !== 'gateway';
    const service = await startUpstream(serving(({ path }) => ({ status: isHealthy(path) ? 200 : 404 })));
    const aimed = (part: string) => part.replace(/127\.0\.0\.1:\d+/, `127.0.0.1:${service.port}`);
    expect((await run(check.map(aimed))).code).toBe(0);
    service.does(({ socket }) => socket.destroy());
    expect((await run(check.map(aimed))).code).toBe(1);
    await service.close();
    expect((await run(check.map(aimed))).code).toBe(1);
  });
});
