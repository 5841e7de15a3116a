import { spawnSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../support/process/free-port.ts';
import { type Running, start, startListening, startScript } from './processes.ts';
import type { Target } from './rounds.ts';

/** What the rivals are given. */
export type RivalServices = {
  readonly scratch: string;
  readonly redisUrl: string;
  readonly upstreamUrl: string;
  readonly key: string;
  /** The parts that a server `duties-…` has, besides the headers; all by default. */
  readonly duties?: string;
  /** How often a caller may ask a server with a limit; a million by default. */
  readonly pointsPerSecond?: number;
};

/** A rival that runs. */
export type Rival = { readonly target: Target; readonly running: Running };

const SCRIPTS = join(import.meta.dirname, 'rivals');

/** Starts one of the scripts in `rivals/` on the core of the servers. */
export async function startRival(
  script: string,
  path: string,
  { scratch, redisUrl, upstreamUrl, key, duties, pointsPerSecond }: RivalServices,
  distinct = false,
): Promise<Rival> {
  const running = await startScript(join(SCRIPTS, `${script}.js`), {
    core: 'server',
    logFile: join(scratch, `${script}.log`),
    env: {
      ...{ KEY: key, REDIS_URL: redisUrl, UPSTREAM_URL: upstreamUrl },
      ...(duties === undefined ? {} : { DUTIES: duties }),
      ...(pointsPerSecond === undefined ? {} : { POINTS_PER_SECOND: String(pointsPerSecond) }),
    },
  });
  return { running, target: { name: script, url: `${running.url}${path}`, key, distinct } };
}

/** The legacy service, on the core of the load. */
export function startUpstream(scratch: string): Promise<Running & { url: string }> {
  return startScript(join(SCRIPTS, 'upstream.js'), { core: 'load', logFile: join(scratch, 'upstream.log') });
}

/** A Redis that keeps nothing, on the core of the load. */
export async function startRedis(scratch: string): Promise<Running & { url: string }> {
  const port = String(await freePort());
  const args = ['--port', port, '--bind', '127.0.0.1', '--save', '', '--dir', scratch];
  const running = start('redis-server', args, { core: 'load', logFile: join(scratch, 'redis.log') });
  return { ...running, url: `redis://127.0.0.1:${port}` };
}

/** Whether a command is there. */
function isInstalled(command: string): boolean {
  return spawnSync('sh', ['-c', `command -v ${command}`]).status === 0;
}

function nginxConfig(port: number, { scratch, upstreamUrl, key }: RivalServices): string {
  return `user ${userInfo().username};
worker_processes 1;
daemon off;
pid ${scratch}/nginx/pid;
error_log stderr error;
events { worker_connections 1024; }
http {
  client_body_temp_path ${scratch}/nginx/body;
  proxy_temp_path ${scratch}/nginx/proxy;
  fastcgi_temp_path ${scratch}/nginx/fastcgi;
  uwsgi_temp_path ${scratch}/nginx/uwsgi;
  scgi_temp_path ${scratch}/nginx/scgi;
  access_log ${scratch}/nginx/access.log combined;
  proxy_cache_path ${scratch}/nginx/cache keys_zone=answers:10m;
  map_hash_bucket_size 256;
  map $http_authorization $caller { default ''; 'Bearer ${key}' bench; }
  limit_req_zone $caller zone=callers:10m rate=1000000r/s;
  server {
    listen 127.0.0.1:${String(port)};
    keepalive_requests 1000000000;
    location = /v1/users {
      if ($caller = '') { return 401; }
      limit_req zone=callers burst=1000000 nodelay;
      proxy_cache answers;
      proxy_cache_valid 200 600s;
      proxy_pass ${upstreamUrl}/users?offset=0&limit=50;
    }
  }
}
`;
}

function krakendConfig(port: number, { upstreamUrl }: RivalServices): string {
  const backend = {
    url_pattern: '/users?offset=0&limit=50',
    host: [upstreamUrl],
    extra_config: { 'qos/http-cache': { shared: true } },
  };
  const limit = { 'qos/ratelimit/router': { client_max_rate: 1_000_000, strategy: 'ip' } };
  const endpoint = { endpoint: '/v1/users', backend: [backend], extra_config: limit };
  return JSON.stringify({ version: 3, host: ['127.0.0.1'], port, cache_ttl: '600s', endpoints: [endpoint] });
}

async function untilOpen(url: string, key: string): Promise<void> {
  for (let attempt = 0; attempt < 500; attempt += 1) {
    try {
      const { status } = await fetch(url, { headers: { Authorization: `Bearer ${key}` } });
      if (status === 200) return;
    } catch {
      // Not listening yet.
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`nothing answers at ${url}`);
}

/**
 * Servers of other makes, where they are installed. They hand on the legacy body, because they do not translate,
 * and their limits are their own: nginx counts in its memory, KrakenD by address and without a key.
 */
export async function startOthers(services: RivalServices): Promise<{ nginx?: Rival; krakend?: Rival }> {
  const { scratch, key } = services;
  const others: { nginx?: Rival; krakend?: Rival } = {};
  const add = async (
    name: 'nginx' | 'krakend',
    configFile: string,
    config: string,
    args: readonly string[],
    port: number,
  ) => {
    await writeFile(configFile, config);
    const logFile = join(scratch, `${name}.log`);
    const running = start(name, args, { core: 'server', logFile }, (line) =>
      console.error(`${name}: ${line}`),
    );
    const url = `http://127.0.0.1:${String(port)}/v1/users`;
    await untilOpen(url, key);
    others[name] = { running, target: { name, url, key, distinct: false } };
  };
  if (isInstalled('nginx')) {
    await mkdir(join(scratch, 'nginx'), { recursive: true });
    const port = await freePort();
    const file = join(scratch, 'nginx/nginx.conf');
    await add('nginx', file, nginxConfig(port, services), ['-c', file, '-p', scratch], port);
  }
  if (isInstalled('krakend')) {
    const port = await freePort();
    const file = join(scratch, 'krakend.json');
    await add('krakend', file, krakendConfig(port, services), ['run', '-c', file], port);
  }
  return others;
}

/** KrakenD's engine: with its backend's reply in memory, and with a call of the legacy service for each request. */
export type Lura = { readonly running: Running; readonly kept: Target; readonly called: Target };

/** Builds a Go program; answers why that was not possible, or nothing. */
function build(source: string, program: string): string | undefined {
  const { error, status, stderr } = spawnSync('go', ['build', '-o', program, '.'], {
    cwd: source,
    encoding: 'utf8',
    // Where Go is installed by its own archive, no path leads to it.
    env: { ...process.env, PATH: `${process.env['PATH'] ?? ''}:/usr/local/go/bin` },
  });
  if (error !== undefined) return 'there is no `go` here';
  return status === 0 ? undefined : stderr.trim();
}

/**
 * Builds and starts KrakenD's engine, where `go` is installed. Where it cannot be built, as without its modules and
 * without a way to them, a line on standard error says so, and it is not measured.
 */
export async function startLura({ scratch, upstreamUrl, key }: RivalServices): Promise<Lura | undefined> {
  const program = join(scratch, 'lura');
  const problem = build(join(SCRIPTS, 'lura'), program);
  if (problem !== undefined) {
    console.error(`lura is not measured: ${problem}`);
    return undefined;
  }
  const running = await startListening(program, [], {
    core: 'server',
    logFile: join(scratch, 'lura.log'),
    env: { UPSTREAM_URL: upstreamUrl },
  });
  const target = (name: string, path: string, distinct: boolean): Target => ({
    name,
    url: `${running.url}${path}`,
    key,
    distinct,
  });
  return {
    running,
    kept: target('lura kept', '/kept/v1/users', false),
    called: target('lura', '/v1/users', true),
  };
}
