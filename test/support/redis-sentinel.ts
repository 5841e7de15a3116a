import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { freePort } from './free-port.ts';
import { launchServer, type RedisServer, startRedis } from './redis.ts';

/** A real master, its replica, and sentinels that watch them. */
export type WatchedRedis = {
  /** The name of the master among the sentinels. */
  readonly name: string;
  /** `127.0.0.1:<port>` of each sentinel. */
  readonly sentinels: readonly string[];
  readonly master: RedisServer;
  readonly replica: RedisServer;
  stop(): Promise<void>;
};

const NAME = 'portico';
const QUORUM = 2;

async function startSentinel(master: RedisServer) {
  const directory = await mkdtemp(join(tmpdir(), 'portico-sentinel-'));
  const port = await freePort();
  const file = join(directory, 'sentinel.conf');
  const lines = [
    `port ${port}`,
    'bind 127.0.0.1',
    `dir ${directory}`,
    `sentinel monitor ${NAME} 127.0.0.1 ${master.port} ${QUORUM}`,
    `sentinel down-after-milliseconds ${NAME} 500`,
    `sentinel failover-timeout ${NAME} 3000`,
  ];
  await writeFile(file, `${lines.join('\n')}\n`);
  const server = await launchServer([file, '--sentinel'], 'Sentinel ID is');
  return {
    port,
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
  for (;;) {
    const [line = ''] = (await client.info('sentinel'))
      .split('\r\n')
      .filter((text) => text.startsWith('master0:'));
    if (line.includes('slaves=1') && line.includes('sentinels=3')) break;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  client.disconnect();
}

/** Starts a master, a replica and three sentinels on free ports. They never outlive this process. */
export async function startWatchedRedis(): Promise<WatchedRedis> {
  const master = await startRedis('--repl-diskless-sync-delay', '0');
  const replica = await startRedis('--replicaof', '127.0.0.1', String(master.port));
  const client = new Redis(replica.url);
  while (!(await client.info('replication')).includes('master_link_status:up'))
    await new Promise((resolve) => setTimeout(resolve, 20));
  client.disconnect();
  const sentinels = await Promise.all(Array.from({ length: 3 }, () => startSentinel(master)));
  await Promise.all(sentinels.map(({ port }) => untilKnown(port)));
  return {
    name: NAME,
    sentinels: sentinels.map(({ port }) => `127.0.0.1:${port}`),
    master,
    replica,
    async stop() {
      await Promise.all(sentinels.map((sentinel) => sentinel.stop()));
      await Promise.all([master.stop(), replica.stop()]);
    },
  };
}
