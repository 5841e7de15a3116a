import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { FaultGateway } from '../gateway.ts';

/** A balancer of TCP connections that asks `/readyz`, as many do. */
export type Balancer = {
  readonly port: number;
  replace(old: FaultGateway, fresh: FaultGateway): void;
  stop(): void;
};

const LOOK_MS = 50;

/** Hands connections round to replicas that are ready; where one does not take it, to the next. */
export async function startBalancer(replicas: readonly FaultGateway[]): Promise<Balancer> {
  const targets = [...replicas];
  const ready = new Set(targets);
  const sockets = new Set<Socket>();
  let next = 0;

  async function look(target: FaultGateway): Promise<void> {
    if (await target.isReady().catch(() => false)) ready.add(target);
    else ready.delete(target);
  }
  const looking = setInterval(() => targets.forEach((target) => void look(target)), LOOK_MS);

  function pass(client: Socket, tries: number): void {
    const able = targets.filter((target) => ready.has(target));
    const target = able[(next += 1) % able.length];
    if (target === undefined || tries === 0) {
      client.destroy();
      return;
    }
    const upstream = connect(target.port, '127.0.0.1');
    upstream.once('error', () => {
      if (upstream.pending) pass(client, tries - 1);
    });
    upstream.once('connect', () => {
      keep(upstream, client);
      client.pipe(upstream);
      upstream.pipe(client);
    });
  }

  function keep(socket: Socket, other?: Socket): void {
    sockets.add(socket);
    socket.on('error', () => other?.destroy());
    socket.once('close', () => {
      sockets.delete(socket);
      other?.end();
    });
  }

  const server = createServer((client) => {
    keep(client);
    pass(client, targets.length);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    replace(old, fresh) {
      targets[targets.indexOf(old)] = fresh;
      ready.delete(old);
      ready.add(fresh);
    },
    stop() {
      clearInterval(looking);
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
