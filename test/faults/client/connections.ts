import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectRaw, HOST, type RawConnection, request, requestOf } from '../../support/client/raw-client.ts';
import type { FaultBench } from '../harness/bench.ts';
import type { FaultGateway } from '../harness/gateway.ts';
import type { BenchRow } from '../harness/row.ts';
import { checkRaw } from './raw.ts';

type Respond = (response: ServerResponse, method: string | undefined) => void;

/** A legacy service that behaves in one way, and a gateway with a public route to it. */
async function startBefore(bench: FaultBench, respond: Respond, listen: object = {}) {
  const open = new Set<ServerResponse>();
  const server: Server = createServer(({ method }, response) => {
    open.add(response);
    response.on('close', () => open.delete(response));
    respond(response, method);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  bench.own({ stop: () => (server.closeAllConnections(), server.close()) });
  const upstream = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const route = {
    name: 'slow',
    path: '/slow',
    methods: ['GET', 'POST'],
    upstream,
    permission: null,
    deadline: '8s',
  };
  const gateway = await bench.gateway({
    config: { listen, passthrough: [route], limits: { anonymousTier: 'bench' } },
  });
  return { gateway, open };
}

async function connectAll(port: number, count: number, bytes: string): Promise<RawConnection[]> {
  const all = await Promise.all(Array.from({ length: count }, () => connectRaw(port)));
  for (const connection of all) if (bytes !== '') connection.send(bytes);
  return all;
}

const rss = (gateway: FaultGateway) => gateway.counted('process_resident_memory_bytes');
const MIB = 1024 ** 2;

/** Seconds until the last of the connections was ended by the gateway; every answer is a 400. */
async function secondsToEnd(connections: readonly RawConnection[]): Promise<number> {
  const startedAt = performance.now();
  await Promise.all(
    connections.map(async (connection) => {
      const answer = await connection.answer();
      assert.equal(answer.status, 400);
      checkRaw(answer, '/v1/unknown');
      await connection.ended();
      connection.close();
    }),
  );
  return (performance.now() - startedAt) / 1_000;
}

const slow: BenchRow = {
  id: 'C1',
  name: 'a thousand clients who never end their head, who never end their body, and fifty who never read – heads are refused with 400 within five seconds, bodies too by the deadline; what nobody reads is not kept',
  async run(bench) {
    const block = Buffer.alloc(MIB, 'x');
    const { gateway } = await startBefore(bench, (response, method) => {
      if (method === 'POST') return;
      let left = 64;
      const more = (): void => {
        while (left > 0 && !response.destroyed) {
          left -= 1;
          if (!response.write(block)) return void response.once('drain', more);
        }
        response.end();
      };
      more();
    });
    const heads = await connectAll(gateway.port, 1_000, `GET /v1/users HTTP/1.1\r\n${HOST}\r\nX: `);
    const drip = setInterval(() => heads.forEach(({ socket }) => socket.write('a')), 500);
    const during = await gateway.ask('/v1/users?limit=2');
    assert.equal(during.status, 200);
    const headSeconds = await secondsToEnd(heads);
    clearInterval(drip);
    bench.atMost('seconds until heads are refused', headSeconds, 5.5);

    const begun = requestOf('POST /slow HTTP/1.1', HOST, 'Content-Length: 1000') + 'x';
    const bodies = await connectAll(gateway.port, 20, begun);
    const startedAt = performance.now();
    for (const body of bodies) assert.equal((await body.answer()).status, 400);
    const bodySeconds = (performance.now() - startedAt) / 1_000;
    bench.atMost('seconds until bodies are given up', bodySeconds, 9.5);
    for (const body of bodies) body.close();

    const before = await rss(gateway);
    const unread = await connectAll(gateway.port, 50, '');
    for (const connection of unread) {
      connection.socket.pause();
      connection.send(request('GET', '/slow'));
    }
    await sleep(2_000);
    const more = ((await rss(gateway)) - before) / MIB;
    bench.atMost('MiB more', more, 200);
    for (const connection of unread) connection.close();
    return { 'head s': headSeconds, 'body s': bodySeconds, 'MiB more': more };
  },
};

const gone: BenchRow = {
  id: 'C13',
  name: 'a hundred clients who leave while the legacy service still works on their answer – every call upstream is ended with its caller',
  async run(bench) {
    const COUNT = 100;
    const { gateway, open } = await startBefore(bench, () => undefined);
    const callers = await connectAll(gateway.port, COUNT, request('GET', '/slow'));
    await bench.until(() => open.size === COUNT);
    for (const caller of callers) caller.close();
    const ms = await bench.until(() => open.size === 0);
    bench.atMost('ms until the last call had ended', ms, 500);
    return { orphans: open.size, 'ended ms': ms };
  },
};

const idle: BenchRow = {
  id: 'C16',
  name: 'three thousand idle connections, and more than may be open – those beyond `connectionsMax` are closed at once; everybody else is served as before',
  async run(bench) {
    const MAX = 3_000;
    const { gateway } = await startBefore(bench, () => undefined, { connectionsMax: MAX });
    const options = { callers: 8, pauseMs: 2, path: (n: number) => `/v1/users?limit=${1 + (n % 20)}` };
    const quiet = await gateway.load(() => sleep(2_000), options);
    const crowd = await connectAll(gateway.port, MAX - 100, '');
    const crowded = await gateway.load(() => sleep(2_000), options);
    const beyond = await connectAll(gateway.port, 300, '');
    let refused = 0;
    // Those that may stay open do not end: nobody waits for them any longer when the row is over.
    const count = () => (refused += 1);
    for (const connection of beyond) void connection.ended().then(count, () => undefined);
    await bench.until(() => refused > 100);
    const still = await gateway.load(() => sleep(500), options);
    for (const load of [quiet, crowded, still]) assert.deepEqual(Object.keys(load.statuses), ['200']);
    for (const connection of [...crowd, ...beyond]) connection.close();
    const [before, after] = [quiet.quantileMs(0.99), crowded.quantileMs(0.99)];
    bench.atMost('p99 ms more', after - before, 25);
    return { 'p99 before': before, 'p99 with them': after, refused };
  },
};

const unread: BenchRow = {
  id: 'C19',
  name: 'clients without a credential who pipeline a hundred or 1,700 requests on a connection and read no answer – nobody else is refused for them; a connection where more than 128 wait ends, and nothing of it is left',
  fast: true,
  async run(bench) {
    const { gateway } = await bench.shared();
    const piped = (documents: number, lists: number) =>
      request('GET', '/v1/openapi.json').repeat(documents) + request('GET', '/v1/users').repeat(lists);
    const few = await connectAll(gateway.port, 12, '');
    const many = await connectAll(gateway.port, 3, '');
    for (const { socket } of [...few, ...many]) socket.pause();
    for (const connection of few) connection.send(piped(30, 90));
    for (const connection of many) connection.send(piped(400, 1_300));
    for (let n = 1; n <= 20; n += 1)
      assert.equal((await gateway.ask(`/v1/users?limit=${n}`, { key: gateway.configuredKey })).status, 200);
    for (const connection of many) {
      connection.socket.resume();
      await connection.ended();
    }
    for (const connection of [...few, ...many]) connection.close();
    return { 'valid served %': 100, ended: many.length };
  },
};

/** What clients can do to connections. */
export const clientConnections: readonly BenchRow[] = [slow, gone, idle, unread];
