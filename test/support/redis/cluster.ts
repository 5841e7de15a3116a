import { eventually } from '../time/eventually.ts';
import { Redis } from 'ioredis';
import { freePort } from '../process/free-port.ts';
import { type RedisServer, startRedis } from './redis-server.ts';
import type { Certificate } from './certificate.ts';

/** Three real masters that share the slots, and one replica of the first if asked for. */
export type RedisCluster = {
  /** `127.0.0.1:<port>` of each master. */
  readonly nodes: readonly string[];
  readonly masters: readonly RedisServer[];
  /** Where each node listens without TLS, the replica too. */
  readonly adminPorts: readonly number[];
  stop(): Promise<void>;
};

const SLOTS = 16_384;

/** A cluster on a busy machine takes its time to form. */
const until = (condition: () => Promise<boolean>) => eventually(condition, { withinMs: 60_000, everyMs: 20 });

type Node = {
  readonly server: RedisServer;
  /** Where it is known to the others and to clients. */
  readonly port: number;
  readonly busPort: number;
  readonly client: Redis;
};

async function startNode(certificate: Certificate | undefined): Promise<Node> {
  const busPort = await freePort();
  const tlsPort = certificate && (await freePort());
  const tls = certificate && [
    '--tls-port',
    String(tlsPort),
    '--tls-cluster',
    'yes',
    '--tls-replication',
    'yes',
    ...certificate.args,
  ];
  const server = await startRedis(
    ...['--cluster-enabled', 'yes', '--cluster-port', String(busPort)],
    ...['--cluster-node-timeout', '500', '--cluster-replica-validity-factor', '0'],
    ...(tls ?? []),
  );
  return { server, port: tlsPort ?? server.port, busPort, client: new Redis(server.url) };
}

/** Whether a node knows `count` nodes that own all slots. */
async function isWhole({ client }: Node, count: number): Promise<boolean> {
  const info = await client.call('cluster', 'INFO');
  return String(info).includes('cluster_state:ok') && String(info).includes(`cluster_known_nodes:${count}`);
}

/** Of what a cluster is made: whether its first master has a replica, and whether all speak TLS. */
export type ClusterOptions = { readonly replica?: boolean; readonly certificate?: Certificate };

/** Starts a cluster on free ports. It never outlives this process. */
export async function startRedisCluster({
  replica = false,
  certificate,
}: ClusterOptions = {}): Promise<RedisCluster> {
  const nodes = await Promise.all(Array.from({ length: replica ? 4 : 3 }, () => startNode(certificate)));
  const masters = nodes.slice(0, 3);
  const [first] = masters;
  for (const [index, { client }] of masters.entries()) {
    const from = Math.floor((SLOTS * index) / 3);
    const to = Math.floor((SLOTS * (index + 1)) / 3) - 1;
    await client.call('cluster', 'ADDSLOTSRANGE', from, to);
    await client.call('cluster', 'SET-CONFIG-EPOCH', index + 1);
  }
  for (const { port, busPort } of nodes.slice(1))
    await first!.client.call('cluster', 'MEET', '127.0.0.1', port, busPort);
  for (const node of nodes) await until(() => isWhole(node, nodes.length));
  const follower = nodes[3];
  if (follower !== undefined) {
    await follower.client.call('cluster', 'REPLICATE', String(await first!.client.call('cluster', 'MYID')));
    await until(async () => (await follower.client.info('replication')).includes('master_link_status:up'));
    // A failover needs the votes of masters that know of the replica.
    for (const { client } of masters)
      await until(async () => /slave [0-9a-f]{40}/.test(String(await client.call('cluster', 'NODES'))));
  }
  for (const { client } of nodes) client.disconnect();
  return {
    nodes: masters.map(({ port }) => `127.0.0.1:${port}`),
    masters: masters.map(({ server }) => server),
    adminPorts: nodes.map(({ server }) => server.port),
    async stop() {
      await Promise.all(nodes.map(({ server }) => server.stop()));
    },
  };
}
