// Says whether a write to Redis would survive the loss of the master, for changes that must not be lost, such as a revoked key.

import { Cluster, type Redis } from 'ioredis';

/** `kept`: a replica has the write. `alone`: there are no replicas. `unsure`: no replica has acknowledged the write. */
export type Replication = 'kept' | 'alone' | 'unsure';

/** How long a replica may take to acknowledge. */
const TIMEOUT_MS = 1_000;

async function keptBy(server: Redis, isReplicated: boolean): Promise<Replication> {
  const [, replicas = '0'] = /^connected_slaves:(\d+)/m.exec(await server.info('replication')) ?? [];
  if (replicas === '0') return isReplicated ? 'unsure' : 'alone';
  return (await server.wait(1, TIMEOUT_MS)) > 0 ? 'kept' : 'unsure';
}

/**
 * Waits until a replica has the earlier writes of this client, for at most a second. A server behind sentinels always
 * counts as replicated, even if no replica is connected at the moment. Never rejects.
 */
export async function awaitReplica(client: Redis | Cluster): Promise<Replication> {
  // WAIT must be sent over the connection that wrote; a master without a write answers at once.
  const servers = client instanceof Cluster ? client.nodes('master') : [client];
  const watched = !(client instanceof Cluster) && Array.isArray(client.options.sentinels);
  const asked = Promise.all(servers.map((server) => keptBy(server, watched)));
  const found = await asked.catch((): readonly Replication[] => ['unsure']);
  if (found.includes('unsure')) return 'unsure';
  return found.includes('kept') ? 'kept' : 'alone';
}
