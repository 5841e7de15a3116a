import { Cluster, type Redis } from 'ioredis';

/** A second connection that only listens. Messages may get lost with it, so what matters is to be read besides. */
export type Subscriber = { close(): void };

/**
 * Listens to a channel with a connection of its own, which is made again by itself. `onNews` is called at each message, and
 * whenever the subscription has begun anew, because messages may have been missed before.
 */
export function openSubscriber(client: Redis | Cluster, channel: string, onNews: () => void): Subscriber {
  // The client's own subscribing after a reconnect exposes no promise: its failure would end the process.
  const connection =
    client instanceof Cluster ? client.duplicate() : client.duplicate({ autoResubscribe: false });
  connection.on('error', () => undefined);
  connection.on('message', onNews);
  connection.on('ready', () => void connection.subscribe(channel).then(onNews, () => undefined));
  return { close: () => connection.disconnect() };
}
