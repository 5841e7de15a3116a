// Opens an ioredis client for one server, sentinels or a cluster, and reports how the connection is.

import { Cluster, Redis } from 'ioredis';
import toFastProperties from 'to-fast-properties';
import { clusterOptions, sentinelOptions, singleOptions } from './redis-options.ts';
import type { ClusterServers, RedisProfile, RedisTimes } from './redis-profile.ts';
import { attachWatchdog, type ConnectionListener } from './watchdog.ts';

// ioredis has a class that extends `String`. For that class, V8 moves the methods of all strings to a slow table, and each call of
// a method looks for it there again. That took about a tenth of the instructions of a cached answer.
toFastProperties(String.prototype);

/** A client of ioredis, for one server or a cluster. `isReady` says whether commands are accepted for every key. */
export type OpenConnection = { readonly client: Redis; readonly isReady: () => boolean };

/**
 * Sends all commands of one turn of the event loop in one write. Replies that arrive together cause commands together, and
 * a write to the socket costs more than the rest of ioredis' work for a command.
 */
function pipelinePerTurn(client: Redis): void {
  const send = client.sendCommand.bind(client);
  let held: Redis['stream'] | undefined;

  function flush(): void {
    const stream = held;
    held = undefined;
    stream?.uncork();
  }

  client.sendCommand = function sendInTurn(command, stream) {
    // Before the connection is ready, ioredis writes its own commands at once.
    if (held === undefined && client.status === 'ready') {
      held = client.stream;
      held.cork();
      setImmediate(flush);
    }
    return send(command, stream);
  };
}

function watchSingle(
  client: Redis,
  { commandTimeoutMs }: RedisTimes,
  listener: ConnectionListener,
): OpenConnection {
  // ioredis reports errors of the connection here, but not errors of commands.
  client.on('error', listener.onLost);
  client.on('close', () => listener.onLost(new Error('the connection was closed')));
  client.on('ready', listener.onChange);
  pipelinePerTurn(client);
  const isUsable = attachWatchdog(client, commandTimeoutMs, listener);
  return { client, isReady: () => client.status === 'ready' && isUsable() };
}

/** Whether every slot has an owner that accepts commands. */
function coversAllSlots(cluster: Cluster, isUsable: (node: Redis) => boolean): boolean {
  if (cluster.status !== 'ready') return false;
  const ready = new Set(
    cluster
      .nodes('master')
      .filter((node) => node.status === 'ready' && isUsable(node))
      .map(({ options: { host = '', port = 0 } }) => `${host}:${port}`),
  );
  for (let slot = 0; slot < 16_384; slot += 1) if (!ready.has(cluster.slots[slot]?.[0] ?? '')) return false;
  return true;
}

function openCluster(
  times: RedisTimes,
  servers: ClusterServers,
  listener: ConnectionListener,
): OpenConnection {
  const { onLost, onChange } = listener;
  const nodes = servers.cluster.map(({ host, port }) => ({ host, port }));
  const cluster = new Cluster(nodes, clusterOptions(times, servers));
  const watchdogs = new WeakMap<Redis, () => boolean>();
  const isReady = () => coversAllSlots(cluster, (node) => watchdogs.get(node)?.() ?? true);

  // ioredis connects to a node when a command first needs it, and rejects further commands until it is connected.
  function connect(node: Redis): void {
    if (cluster.status === 'ready' && node.status === 'wait') node.connect().catch(() => undefined);
  }

  cluster.on('+node', (node: Redis) => {
    node.on('ready', onChange);
    pipelinePerTurn(node);
    watchdogs.set(node, attachWatchdog(node, times.commandTimeoutMs, listener));
    // Later than the command that made the node known, because that command connects the node.
    setImmediate(connect, node);
  });
  cluster.on('ready', () => {
    cluster.nodes().forEach(connect);
    onChange();
  });
  cluster.on('refresh', onChange);
  cluster.on('error', onLost);
  cluster.on('node error', onLost);
  cluster.on('-node', () => {
    if (cluster.status === 'ready' && !isReady()) onLost(new Error('the connection to a node was closed'));
  });
  cluster.on('close', () => onLost(new Error('the connections were closed')));
  // A cluster takes the same commands as one server, as long as the keys of a command or pipeline share a slot.
  return { client: cluster as unknown as Redis, isReady };
}

/** Opens a client for a profile. The client connects by itself, and again after each failure. */
export function openConnection(profile: RedisProfile, listener: ConnectionListener): OpenConnection {
  if ('cluster' in profile) return openCluster(profile, profile, listener);
  if ('sentinel' in profile)
    return watchSingle(new Redis(sentinelOptions(profile, profile)), profile, listener);
  return watchSingle(new Redis(profile.url, singleOptions(profile, profile.access)), profile, listener);
}
