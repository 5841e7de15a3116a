import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Image,
  parseDockerfile,
  plainEnvironment,
  replayDockerfile,
} from '../../support/process/dockerfile.ts';
import { freePort } from '../../support/process/free-port.ts';
import { describeOnRequest } from '../../support/jest/describe-on-request.ts';

const root = new URL('../../../', import.meta.url).pathname;

let scratch = '';
let image: Image;

function start(command: readonly string[], settings: Record<string, string>): ChildProcess {
  const [file = '', ...args] = command;
  return spawn(file, args, {
    cwd: image.workdir,
    env: { PATH: plainEnvironment()['PATH'], ...image.env, ...settings },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
}

/** Resolves with the exit code, or the name of the signal that ended it. */
async function ended(child: ChildProcess): Promise<number | string> {
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
  return code ?? signal ?? '';
}

/** Runs the image's own health check until it passes or the service is gone. */
async function healthy(service: ChildProcess, settings: Record<string, string>): Promise<boolean> {
  while (service.exitCode === null && service.signalCode === null) {
    const [file = '', ...args] = image.healthcheck;
    const check = execFile(file, args, {
      env: { PATH: plainEnvironment()['PATH'], ...image.env, ...settings },
    });
    if ((await ended(check)) === 0) return true;
  }
  return false;
}

describeOnRequest('IMAGE', 'the image, its Dockerfile replayed in directories', () => {
  // An install and a build: with everything in npm's cache about ten seconds on two cores.
  beforeAll(async () => {
    scratch = await mkdtemp(join(tmpdir(), 'portico-image-'));
    image = await replayDockerfile(root, scratch);
  }, 900_000);

  afterAll(() => rm(scratch, { recursive: true, force: true }));

  it('holds what it runs and nothing it was built with', async () => {
    expect((await readdir(image.workdir)).sort()).toEqual(['config', 'dist', 'node_modules', 'package.json']);
    const packages = await readdir(join(image.workdir, 'node_modules'));
    expect(packages.filter((name) => !name.startsWith('.'))).toEqual(['@opentelemetry']);
    expect(
      (await readdir(join(image.workdir, 'dist'), { recursive: true })).filter((file) =>
        /(?<!\.d)\.ts$/.test(file),
      ),
    ).toEqual([]);
  });

  it('starts with its own command, passes its own health check, and stops with 0 on its own signal', async () => {
    const [port, adminPort] = [await freePort(), await freePort()];
    const settings = {
      HOST: '127.0.0.1',
      PORT: String(port),
      ADMIN_PORT: String(adminPort),
      LOG_LEVEL: 'silent',
    };
    const service = start(image.command, settings);
    try {
      expect(await healthy(service, settings)).toBe(true);
      expect((await fetch(`http://127.0.0.1:${adminPort}/livez`)).status).toBe(200);
      expect((await fetch(`http://127.0.0.1:${port}/v1/users`)).status).toBe(401);
      expect((await fetch(`http://127.0.0.1:${port}/v1/openapi.json`)).status).toBe(200);
      service.kill(image.stopSignal as NodeJS.Signals);
      expect(await ended(service)).toBe(0);
    } finally {
      service.kill('SIGKILL');
    }
  });

  it('is found unhealthy where nothing answers', async () => {
    const [file = '', ...args] = image.healthcheck;
    const check = execFile(file, args, {
      env: { PATH: plainEnvironment()['PATH'], ADMIN_PORT: String(await freePort()) },
    });
    expect(await ended(check)).toBe(1);
  });
});

describe('the Dockerfile', () => {
  it('does not run as root, and is built on the Node that the tests run on', async () => {
    const instructions = parseDockerfile(await readFile(join(root, 'Dockerfile'), 'utf8'));
    expect(instructions).toContainEqual({ word: 'USER', rest: 'node' });
    const bases = instructions.filter(({ word }) => word === 'FROM').map(({ rest }) => rest.split(' ')[0]);
    expect([...new Set(bases)]).toEqual([`node:${process.version.slice(1)}-slim`]);
  });

  it('installs the packages that the bundle loads at run time', async () => {
    const instructions = parseDockerfile(await readFile(join(root, 'Dockerfile'), 'utf8'));
    const installs = instructions.filter(({ rest }) => rest.startsWith('npm ci')).map(({ rest }) => rest);
    expect(installs.at(-1)).toBe('npm ci --omit=dev --ignore-scripts');
  });
});
