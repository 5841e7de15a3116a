import type { ChildProcess } from 'node:child_process';

type Handle = { close(): void };

/** What node:cluster writes to a worker with a new connection, and what that answers. */
type Handing = { readonly act?: string; readonly seq?: number; readonly ack?: number };

/**
 * Closes the connections that were handed to a worker which died before it took them. node:cluster forgets about
 * these, and their clients would wait for ever.
 */
export function closeUntaken(worker: ChildProcess): void {
  const handed = new Map<number, Handle>();
  const send = worker.send.bind(worker) as (...given: unknown[]) => boolean;
  worker.send = (...given: unknown[]) => {
    const [message, handle] = given as [Handing | undefined, Handle | undefined];
    if (message?.act === 'newconn' && message.seq !== undefined && handle) handed.set(message.seq, handle);
    return send(...given);
  };
  worker.on('internalMessage', ({ ack }: Handing) => {
    if (ack !== undefined) handed.delete(ack);
  });
  worker.once('exit', () => {
    for (const handle of handed.values()) handle.close();
  });
}
