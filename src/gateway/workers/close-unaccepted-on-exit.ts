import type { ChildProcess } from 'node:child_process';

type Handle = { close(): void };

/** The internal messages of node:cluster by which it hands a connection to a worker, and the worker accepts the connection. */
type HandOver = { readonly act?: string; readonly seq?: number; readonly ack?: number };

/**
 * Closes the connections that a worker was given but had not accepted when it dies. node:cluster forgets these, so their
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
