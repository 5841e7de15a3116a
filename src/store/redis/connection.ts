import { Cluster, Redis } from 'ioredis';
import { clusterOptions, sentinelOptions, singleOptions } from './redis-options.ts';
import type { ClusterServers, RedisProfile, RedisTimes } from './redis-profile.ts';
import { attachWatchdog } from './watchdog.ts';
import { pipelinePerTurn } from './pipelining.ts';

/** Receives the events of a connection. */
export type ConnectionListener = {
  /** A connection failed or was closed. */
  readonly onLost: (problem: unknown) => void;
  /** A part of the connection is ready, and perhaps all of it. */
  readonly onChange: () => void;
};

/** A client of ioredis, for a single server, sentinels or a cluster. */
export type OpenConnection = { readonly client: Redis; readonly isReady: () => boolean };

function watchSingle(
  client: Redis,
  { commandTimeoutMs }: RedisTimes,
  { onLost: lost, onChange: changed }: ConnectionListener,
): OpenConnection {
  // ioredis reports errors of the connection here, not those of commands.
  client.on('error', lost);
  client.on('close', () => lost(new Error('the connection was closed')));
  client.on('ready', changed);
  pipelinePerTurn(client);
  const isSilent = attachWatchdog(client, commandTimeoutMs, { silent: lost, heard: changed });
  return { client, isReady: () => client.status === 'ready' && !isSilent() };
}

/** Whether every slot has an owner that accepts commands. */
function isWhole(cluster: Cluster, isSilent: (node: Redis) => boolean): boolean {
  if (cluster.status !== 'ready') return false;
  const ready = new Set(
    cluster
      .nodes('master')
      .filter((node) => node.status === 'ready' && !isSilent(node))
      .map(({ options: { host = '', port = 0 } }) => `${host}:${port}`),
  );
  for (let slot = 0; slot < 16_384; slot += 1) if (!ready.has(cluster.slots[slot]?.[0] ?? '')) return false;
  return true;
}

function openCluster(times: RedisTimes, place: ClusterServers, watcher: ConnectionListener): OpenConnection {
  const nodes = place.cluster.map(({ host, port }) => ({ host, port }));
  const cluster = new Cluster(nodes, clusterOptions(times, place));
  const told = { silent: watcher.onLost, heard: watcher.onChange };
  const silences = new WeakMap<Redis, () => boolean>();
  const isReady = () => isWhole(cluster, (node) => silences.get(node)?.() ?? false);

  // ioredis connects to a node on first use, and refuses other commands until then.
  function connect(node: Redis): void {
    if (cluster.status === 'ready' && node.status === 'wait') node.connect().catch(() => undefined);
  }

  cluster.on('+node', (node: Redis) => {
    node.on('ready', watcher.onChange);
    pipelinePerTurn(node);
    silences.set(node, attachWatchdog(node, times.commandTimeoutMs, told));
    // After the command that made the node known, because that command connects it.
    setImmediate(connect, node);
  });
  cluster.on('ready', () => {
    cluster.nodes().forEach(connect);
    watcher.onChange();
  });
  cluster.on('refresh', watcher.onChange);
  cluster.on('error', watcher.onLost);
  cluster.on('node error', watcher.onLost);
  cluster.on('-node', () => {
    if (cluster.status === 'ready' && !isReady())
      watcher.onLost(new Error('the connection to a node was closed'));
  });
  cluster.on('close', () => watcher.onLost(new Error('the connections were closed')));
  // A cluster takes the same commands, if all keys of one command, script or pipeline are in the same slot.
  return { client: cluster as unknown as Redis, isReady };
}

/** Opens a client for a profile; it connects and reconnects by itself. */
export function openConnection(profile: RedisProfile, watcher: ConnectionListener): OpenConnection {
  if ('cluster' in profile) return openCluster(profile, profile, watcher);
  if ('sentinel' in profile)
    return watchSingle(new Redis(sentinelOptions(profile, profile)), profile, watcher);
  return watchSingle(new Redis(profile.url, singleOptions(profile, profile.access)), profile, watcher);
}
