import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '../support/process/free-port.ts';
import { NODE, type Running, runScript, start } from './processes.ts';

const MAIN = join(import.meta.dirname, '../../src/main.ts');
const HOST = join(import.meta.dirname, 'host.ts');

/**
 * A host in which a gateway is mounted: a bare Express; one with the two settings that `library.md` advises; one that says who
 * calls; and `node:http` without Express.
 */
export type Host = 'bare' | 'tuned' | 'authenticates' | 'node';

/** A Portico that is measured: every duty is on. */
export type Portico = Running & {
  readonly url: string;
  readonly adminUrl: string;
  readonly key: string;
  /** From the start of the process to its first answer. */
  readonly startMs: number;
  /** Runs a command on the same configuration, and answers what it printed. */
  command(...args: readonly string[]): Promise<string>;
};

export type PorticoOptions = {
  readonly name: string;
  readonly scratch: string;
  readonly redisUrl: string;
  readonly upstreamUrl: string;
  readonly localBytes?: string;
  readonly localSeconds?: string;
  /** The windows of the callers' tier; by default some that refuse nobody. */
  readonly windows?: string;
  /** The nodes of a cluster, in place of the one Redis. */
  readonly cluster?: readonly string[];
  /** Arguments of Node itself. */
  readonly nodeArgs?: readonly string[];
  /** The share of requests that are recorded and exported to the upstream, which takes anything; absent: tracing is off. */
  readonly traces?: number;
  /** Whether the file declares that the users move to a second source; nothing has begun to move. */
  readonly migration?: boolean;
  /** Whether the configuration has a webhook, to the upstream. An event is sent to it, because a key expires soon. */
  readonly webhooks?: boolean;
  /** Whether it stands still from time to time, while another server has the core: it must not take that for overload. */
  readonly takesTurns?: boolean;
  /** How many processes serve; one by default. */
  readonly workers?: number;
  /** `portico start` by default; the compiled gateway where it was built. */
  readonly main?: string;
  /** The host in which it is mounted; absent: it is a process of its own. */
  readonly host?: Host;
};

const PEPPER = 'a-pepper-that-only-the-bench-uses';

function gatewayFile(
  ports: readonly [number, number],
  { redisUrl, upstreamUrl, localBytes, localSeconds, traces, migration, webhooks, ...other }: PorticoOptions,
) {
  return `portico: 1
${other.workers === undefined ? '' : `workers: ${String(other.workers)}`}
${other.takesTurns === true ? 'overload: { eventLoopDelayMax: 10s }' : ''}
listen: { host: 127.0.0.1, port: ${String(ports[0])} }
admin: { port: ${String(ports[1])} }
${traces === undefined ? '' : `telemetry: { traces: { endpoint: '${upstreamUrl}/v1/traces', ratio: ${String(traces)} } }`}
${webhooks === true ? `webhooks: [{ url: '${upstreamUrl}/webhook', secret: of-the-bench }]` : ''}
redis: ${other.cluster === undefined ? `{ url: '${redisUrl}' }` : `{ cluster: [${other.cluster.join(', ')}] }`}
auth: { apiKeys: { pepper: ${PEPPER} } }
limits:
  tiers: { bench: { windows: [${other.windows ?? '1000000 per 1s, 60000000 per 60s'}] } }
  anonymousTier: bench
cache: { localBytes: ${localBytes ?? '64MiB'}, localSeconds: ${localSeconds ?? '5s'} }
resources:
  users: { source: bench, ${migration === true ? 'migration: { to: next }, ' : ''}cache: { fresh: 600s } }
  products: { source: bench, cache: { fresh: 600s } }
passthrough:
  - { name: orders, path: /orders, upstream: '${upstreamUrl}', permission: orders:read }
`;
}

function sourceFile(name: string, { upstreamUrl }: PorticoOptions) {
  return `source: 1
name: ${name}
net: { baseUrl: '${upstreamUrl}', timeout: 5s, concurrency: 100 }
outcomes: [{ status: 200, is: ok }]
resources:
  users:
    id: { kind: number }
    list:
      request: { path: /users, query: { offset: '{offset}', limit: '{limit}', order: 'no' } }
      window: { kind: offset, base: 0, sizeMax: 100 }
      total: { at: total }
      items: rows
      order: id
      sort: { query: { sort: '{column}' }, columns: { email: { column: mail, directions: [ascending] } } }
      map:
        id: no
        name: { from: [first, last], as: [{ join: ' ' }] }
        email: mail
        created_at: { from: created, as: [{ date: { format: yyyy-MM-dd HH:mm:ss, zone: UTC } }] }
    get:
      request: { path: '/users/{id}' }
      item: ''
      map: { id: no, name: first, email: mail, created_at: null, profile.bio: null, profile.location: null, profile.avatar_url: null }
  products:
    id: { kind: number }
    list:
      request: { path: /users, query: { offset: '{offset}', limit: '{limit}', order: 'no' } }
      window: { kind: offset, base: 0, sizeMax: 40 }
      total: { at: total }
      items: rows
      order: id
      map:
        id: no
        name: { from: [first, last], as: [{ join: ' ' }] }
        description: mail
        category: branch.city
        price: no
`;
}

async function untilAnswered(url: string, key: string): Promise<void> {
  const deadline = performance.now() + 180_000;
  for (;;) {
    try {
      const { status } = await fetch(`${url}/v1/users`, { headers: { Authorization: `Bearer ${key}` } });
      if (status === 200) return;
    } catch {
      // Not listening yet.
    }
    if (performance.now() > deadline) throw new Error('Portico did not answer within 180 s');
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

/** Starts Portico on a configuration of its own, with a key that it keeps in Redis. */
export async function startPortico(options: PorticoOptions): Promise<Portico> {
  const folder = join(options.scratch, options.name);
  await mkdir(join(folder, 'sources'), { recursive: true });
  const ports = [await freePort(), await freePort()] as const;
  const config = join(folder, 'portico.yaml');
  await writeFile(config, gatewayFile(ports, options));
  for (const name of options.migration === true ? ['bench', 'next'] : ['bench'])
    await writeFile(join(folder, `sources/${name}.yaml`), sourceFile(name, options));
  const main = options.main ?? MAIN;
  const command = (...args: readonly string[]) => runScript(main, ['--config', config, ...args], 'load');
  const create = ['keys', 'create', '--label', 'bench', '--tier', 'bench', '--json'];
  const terms = options.webhooks === true ? ['--expires', '1d'] : [];
  const printed = await command(...create, ...terms, '--permissions', 'users:read,products:read,orders:read');
  const { key } = JSON.parse(printed) as { key: string };
  const logFile = join(folder, 'access.log');
  const { host, nodeArgs = [] } = options;
  const args = [...nodeArgs, host === undefined ? main : HOST, '--config', config, 'start'];
  const env = host === undefined ? {} : { HOST: host, HOST_PORT: String(ports[0]) };
  const running = start(NODE, args, { core: 'server', logFile, env });
  const url = `http://127.0.0.1:${String(ports[0])}`;
  await untilAnswered(url, key).catch(async (error: unknown) => {
    await running.stop();
    throw error;
  });
  const startMs = performance.now() - running.startedAt;
  return { ...running, url, adminUrl: `http://127.0.0.1:${String(ports[1])}`, key, startMs, command };
}
