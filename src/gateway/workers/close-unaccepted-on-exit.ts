import type { ChildProcess } from 'node:child_process';

type Handle = { close(): void };

/** The messages by which node:cluster hands a connection to a worker, and by which the worker accepts it. */
type HandOver = { readonly act?: string; readonly seq?: number; readonly ack?: number };

/**
 * When a worker dies, closes the connections that it was given but had not accepted. node:cluster forgets them, so their
 * clients would wait for ever.
 */
export function closeUnacceptedOnExit(worker: ChildProcess): void {
  const pending = new Map<number, Handle>();
  const send = worker.send.bind(worker) as (...args: unknown[]) => boolean;
  worker.send = (...args: unknown[]) => {
    const [message, handle] = args as [HandOver | undefined, Handle | undefined];
    if (message?.act === 'newconn' && message.seq !== undefined && handle) pending.set(message.seq, handle);
    return send(...args);
  };
  worker.on('internalMessage', ({ ack }: HandOver) => {
    if (ack !== undefined) pending.delete(ack);
  });
  worker.once('exit', () => {
    for (const handle of pending.values()) handle.close();
  });
}
