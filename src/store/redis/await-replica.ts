import { Cluster, type Redis } from 'ioredis';

/**
 * Whether what a client wrote would outlive the loss of a master: `kept` where a replica has it, `alone` where the server
 * is not replicated, `unsure` where a replica should have it and none has said so.
 */
export type Replication = 'kept' | 'alone' | 'unsure';

/** How long a replica may take to acknowledge. */
const PATIENCE_MS = 1_000;

async function keptBy(server: Redis, isReplicated: boolean): Promise<Replication> {
  const [, replicas = '0'] = /^connected_slaves:(\d+)/m.exec(await server.info('replication')) ?? [];
  if (replicas === '0') return isReplicated ? 'unsure' : 'alone';
  return (await server.wait(1, PATIENCE_MS)) > 0 ? 'kept' : 'unsure';
}

/**
 * Waits until a replica has what this client wrote before, for at most a second. A server that sentinels watch has
 * replicas, also at a moment when none is connected. Never rejects.
 */
export async function awaitReplica(client: Redis | Cluster): Promise<Replication> {
  // What a connection wrote is acknowledged to that connection; masters it wrote nothing to answer at once.
  const servers = client instanceof Cluster ? client.nodes('master') : [client];
  const watched = !(client instanceof Cluster) && Array.isArray(client.options.sentinels);
  const asked = Promise.all(servers.map((server) => keptBy(server, watched)));
  const found = await asked.catch((): readonly Replication[] => ['unsure']);
  if (found.includes('unsure')) return 'unsure';
  return found.includes('kept') ? 'kept' : 'alone';
}
