import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** What happens to the bytes of a connection; each is as of the next chunk, also on connections that stand. */
export type Toxics = {
  /** Every chunk comes so much later. */
  readonly latencyMs?: number;
  readonly bytesPerSecond?: number;
  /** Chunks are cut to pieces of so many bytes, each sent by itself. */
  readonly sliceBytes?: number;
  /** The connection ends, in good order, after so many bytes. */
  readonly limitBytes?: number;
  /** Nothing comes through; connections are accepted and stand. What was said meanwhile comes once it is over. */
  readonly hole?: boolean;
  /** Nothing comes through, and the connection ends after this. */
  readonly timeoutMs?: number;
  /** An end is passed on so much later. */
  readonly slowCloseMs?: number;
  /** Changes the bytes of a chunk. */
  readonly corrupt?: (chunk: Buffer) => Buffer;
};

/** A TCP proxy on a port of its own that does harm. */
export type ChaosProxy = {
  readonly port: number;
  /** How many connections there have been. */
  readonly connections: number;
  /** Has these effects, in the direction of the answers or in both; without arguments, none. */
  setFault(toxics?: Toxics, direction?: 'answers' | 'both'): void;
  /** Refuses connections, and resets those that stand. */
  down(): Promise<void>;
  up(): Promise<void>;
  /** Resets the connections that stand. */
  reset(): void;
  close(): Promise<void>;
};

const TURN_MS = 5;
/** What a proxy takes in before it has passed it on. */
const HELD_BYTES_MAX = 1024 ** 2;

/** Carries bytes one way, in their order. */
function carry(from: Socket, to: Socket, toxics: () => Toxics): void {
  let tail = Promise.resolve();
  let [carried, held] = [0, 0];

  async function write(bytes: Buffer): Promise<void> {
    if (to.destroyed) return;
    if (!to.write(bytes)) await Promise.race([once(to, 'drain'), once(to, 'close')]).catch(() => undefined);
  }

  async function open(): Promise<void> {
    while (toxics().hole === true && !to.destroyed) await sleep(TURN_MS);
    const { timeoutMs } = toxics();
    if (timeoutMs === undefined) return;
    await sleep(timeoutMs);
    to.destroy();
  }

  async function pass(chunk: Buffer, arrivedAt: number): Promise<void> {
    await open();
    const { latencyMs = 0, bytesPerSecond, sliceBytes, limitBytes = Infinity, corrupt } = toxics();
    const early = arrivedAt + latencyMs - performance.now();
    if (early > 0) await sleep(early);
    const whole = corrupt?.(chunk) ?? chunk;
    const bytes = whole.subarray(0, Math.max(0, limitBytes - carried));
    carried += bytes.length;
    const size = sliceBytes ?? (bytesPerSecond === undefined ? bytes.length : Math.ceil(bytesPerSecond / 50));
    for (let at = 0; at < bytes.length; at += size) {
      const piece = bytes.subarray(at, at + size);
      await write(piece);
      if (bytesPerSecond !== undefined) await sleep((piece.length / bytesPerSecond) * 1_000);
      else if (sliceBytes !== undefined) await new Promise(setImmediate);
    }
    if (carried >= limitBytes) to.end();
  }

  async function finish(): Promise<void> {
    await open();
    await sleep(toxics().slowCloseMs ?? 0);
    to.end();
  }

  from.on('data', (chunk: Buffer) => {
    const arrivedAt = performance.now();
    held += chunk.length;
    if (held > HELD_BYTES_MAX) from.pause();
    tail = tail.then(async () => {
      await pass(chunk, arrivedAt);
      held -= chunk.length;
      if (held <= HELD_BYTES_MAX) from.resume();
    });
  });
  from.on('end', () => void tail.then(finish));
  from.on('error', () => to.destroy());
  from.on('close', () => void tail.then(() => to.destroy()));
}

/** Starts a proxy to a port of this machine; it does no harm until it is told to. */
export async function startChaosProxy(target: number): Promise<ChaosProxy> {
  const sockets = new Set<Socket>();
  let [upward, downward]: [Toxics, Toxics] = [{}, {}];
  let connections = 0;

  function keep(socket: Socket): void {
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('error', () => undefined);
    socket.once('close', () => sockets.delete(socket));
  }

  const server = createServer({ allowHalfOpen: true }, (client) => {
    connections += 1;
    const upstream = connect({ port: target, host: '127.0.0.1', allowHalfOpen: true });
    keep(client);
    keep(upstream);
    carry(client, upstream, () => upward);
    carry(upstream, client, () => downward);
  });

  function reset(): void {
    for (const socket of sockets) socket.resetAndDestroy();
  }

  async function listen(port: number): Promise<void> {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  }

  async function down(): Promise<void> {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    reset();
    await closed;
  }

  await listen(0);
  const { port } = server.address() as AddressInfo;
  return {
    port,
    get connections() {
      return connections;
    },
    setFault(toxics = {}, direction = 'both') {
      [upward, downward] = [direction === 'both' ? toxics : {}, toxics];
    },
    down,
    up: () => listen(port),
    reset,
    close: down,
  };
}
