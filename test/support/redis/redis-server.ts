import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Redis } from 'ioredis';
import { endWithUs, unref } from '../process/end-with-us.ts';
import { startForAll } from '../jest/lifetime.ts';
import { freePort } from '../process/free-port.ts';

/** A real redis-server of the test's own, and the faults it can be put into. */
export type RedisServer = {
  readonly url: string;
  readonly port: number;
  /** Ends the server for good and removes its files. */
  stop(): Promise<void>;
  /** Hangs it (SIGSTOP): connections stay open and are accepted, nothing is answered. */
  pause(): Promise<void>;
  /** Lets a paused server go on. */
  resume(): void;
  /** Kills it (SIGKILL); everything it held is gone. */
  kill(): Promise<void>;
  /** Kills it where it still runs, and starts it empty on the same port. */
  restart(): Promise<void>;
};

/** Starts redis-server with these arguments, and waits until it has said `ready`. It never outlives this process. */
export async function launchServer(args: readonly string[], ready: string): Promise<ChildProcess> {
  const server = spawn('redis-server', args, { stdio: ['ignore', 'pipe', 'ignore'] });
  await once(server, 'spawn');
  endWithUs(server);
  const last: string[] = [];
  for await (const line of createInterface({ input: server.stdout })) {
    if (line.includes(ready)) {
      server.stdout.resume();
      // A test that fails before it stops its server must not keep the run from ending.
      server.unref();
      unref(server.stdout);
      return server;
    }
    last.push(line);
  }
  throw new Error(`redis-server did not start: ${last.slice(-3).join(' | ')}`);
}

function launch(port: number, directory: string, args: readonly string[]): Promise<ChildProcess> {
  const plain = ['--port', String(port), '--bind', '127.0.0.1', '--dir', directory];
  return launchServer([...plain, '--save', '', '--appendonly', 'no', ...args], 'Ready to accept connections');
}

/** Waits until the system has really stopped the process: SIGSTOP takes effect a moment after it was sent. */
async function untilStopped(pid: number): Promise<void> {
  const status = `/proc/${String(pid)}/stat`;
  if (!existsSync(status)) return;
  while (!/\) [Tt] /.test(await readFile(status, 'utf8'))) await new Promise(setImmediate);
}

/**
 * Starts a real redis-server on a free loopback port, without persistence, in a directory of its own.
 * `args` are further options of redis-server, such as `--maxmemory 1mb`. It never outlives this process.
 */
export async function startRedis(...args: readonly string[]): Promise<RedisServer> {
  const directory = await mkdtemp(join(tmpdir(), 'portico-redis-'));
  const port = await freePort();
  let server = await launch(port, directory, args);

  async function kill(): Promise<void> {
    if (server.exitCode !== null || server.signalCode !== null) return;
    server.ref();
    const gone = once(server, 'exit');
    server.kill('SIGKILL');
    await gone;
  }

  return {
    url: `redis://127.0.0.1:${String(port)}`,
    port,
    kill,
    async stop() {
      await kill();
      await rm(directory, { recursive: true, force: true });
    },
    async pause() {
      server.kill('SIGSTOP');
      await untilStopped(server.pid ?? 0);
    },
    resume: () => void server.kill('SIGCONT'),
    async restart() {
      await kill();
      server = await launch(port, directory, args);
    },
  };
}

/** Some Redis, and a key prefix that no other test has. */
export type SharedRedis = { readonly url: string; readonly prefix: string };

async function removeKeys(url: string, pattern: string): Promise<void> {
  const client = new Redis(url);
  for await (const keys of client.scanStream({ match: pattern, count: 1_000 })) {
    if ((keys as string[]).length > 0) await client.del(keys as string[]);
  }
  await client.quit();
}

/**
 * For tests that only need some Redis: the one at `REDIS_URL`, or one started for this test file. Every test
 * gets a prefix of its own. Call it in a `describe` or at the top of the file; read the fields inside tests.
 */
export function useRedis(): SharedRedis {
  const family = `test-${randomBytes(6).toString('hex')}`;
  const given = process.env['REDIS_URL'] ?? '';
  let tests = 0;
  // Clients that are started behind it are ended before it: ioredis waits for seconds for a server that has gone.
  const server = startForAll(() =>
    given === '' ? startRedis() : { url: given, stop: () => removeKeys(given, `${family}-*`) },
  );
  beforeEach(() => {
    tests += 1;
  });

  return {
    get url() {
      return server.url;
    },
    get prefix() {
      return `${family}-${tests}:`;
    },
  };
}
