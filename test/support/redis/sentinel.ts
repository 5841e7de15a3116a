import { eventually } from '../time/eventually.ts';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { freePort } from '../process/free-port.ts';
import { launchServer, type RedisServer, startRedis } from './redis-server.ts';
import type { Certificate } from './certificate.ts';

/** A real master, its replica, and sentinels that watch them. */
export type WatchedRedis = {
  /** The name of the master among the sentinels. */
  readonly name: string;
  /** `127.0.0.1:<port>` of each sentinel. */
  readonly sentinels: readonly string[];
  /** Where each sentinel listens without TLS. */
  readonly adminPorts: readonly number[];
  readonly master: RedisServer;
  readonly replica: RedisServer;
  stop(): Promise<void>;
};

const NAME = 'portico';
/** Servers on a busy machine take their time to find each other. */
const until = (condition: () => Promise<boolean>) => eventually(condition, { withinMs: 60_000, everyMs: 20 });
const QUORUM = 2;

/** What a server is told, with or without TLS: its own options, and where it listens then. */
async function placeOf(certificate: Certificate | undefined) {
  if (certificate === undefined) return { args: [], tlsPort: undefined };
  const tlsPort = await freePort();
  const args = ['--tls-port', String(tlsPort), '--tls-replication', 'yes', ...certificate.args];
  return { args, tlsPort };
}

/** Options of the command line as lines of a file. */
const asLines = (args: readonly string[]) => args.join(' ').split(/ ?--/).slice(1);

async function startSentinel(masterPort: number, certificate: Certificate | undefined) {
  const directory = await mkdtemp(join(tmpdir(), 'portico-sentinel-'));
  const { args, tlsPort } = await placeOf(certificate);
  const port = await freePort();
  const file = join(directory, 'sentinel.conf');
  const lines = [
    `port ${port}`,
    ...asLines(args),
    'bind 127.0.0.1',
    `dir ${directory}`,
    `sentinel monitor ${NAME} 127.0.0.1 ${masterPort} ${QUORUM}`,
    `sentinel down-after-milliseconds ${NAME} 500`,
    `sentinel failover-timeout ${NAME} 3000`,
  ];
  await writeFile(file, `${lines.join('\n')}\n`);
  const server = await launchServer([file, '--sentinel'], 'Sentinel ID is');
  return {
    port,
    publicPort: tlsPort ?? port,
    async stop() {
      server.ref();
      const gone = once(server, 'exit');
      server.kill('SIGKILL');
      await gone;
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** Waits until a sentinel knows of the replica and of the other sentinels: before, it could not fail over. */
async function untilKnown(port: number): Promise<void> {
  const client = new Redis(port, '127.0.0.1');
  await until(async () => /^master0:.*slaves=1,sentinels=3/m.test(await client.info('sentinel')));
  client.disconnect();
}

/**
 * Starts a master, a replica and three sentinels on free ports, which speak TLS where there is a certificate. They never
 * outlive this process.
 */
export async function startWatchedRedis(certificate?: Certificate): Promise<WatchedRedis> {
  const [first, second] = [await placeOf(certificate), await placeOf(certificate)];
  const master = await startRedis('--repl-diskless-sync-delay', '0', ...first.args);
  const masterPort = first.tlsPort ?? master.port;
  const replica = await startRedis('--replicaof', '127.0.0.1', String(masterPort), ...second.args);
  const client = new Redis(replica.url);
  await until(async () => (await client.info('replication')).includes('master_link_status:up'));
  client.disconnect();
  const sentinels: Awaited<ReturnType<typeof startSentinel>>[] = [];
  // One by one: a free port is free until somebody takes it.
  while (sentinels.length < 3) sentinels.push(await startSentinel(masterPort, certificate));
  await Promise.all(sentinels.map(({ port }) => untilKnown(port)));
  return {
    name: NAME,
    sentinels: sentinels.map(({ publicPort }) => `127.0.0.1:${publicPort}`),
    adminPorts: sentinels.map(({ port }) => port),
    master,
    replica,
    async stop() {
      await Promise.all(sentinels.map((sentinel) => sentinel.stop()));
      await Promise.all([master.stop(), replica.stop()]);
    },
  };
}
