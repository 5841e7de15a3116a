import { eventually } from '../../support/time/eventually.ts';
import type { Socket } from 'node:net';
import {
  type ScriptedUpstream,
  onHead,
  type Script,
  startUpstream,
} from '../../support/upstream/scripted-upstream.ts';
import { answering } from '../../support/upstream/scripted-upstream.ts';
import { OK, type RouteChanges, usePassthrough } from '../../support/gateway/passthrough-route.ts';
import { request } from '../../support/client/raw-client.ts';
import { endAfterTest } from '../../support/jest/lifetime.ts';

const breaker = { calls: 1_000_000, window: 600_000, failures: 50, open: 60_000 };

describe('a failed request of a pass-through route', () => {
  const route = usePassthrough();
  const get = request('GET', '/legacy/orders');
  const start = (script: Script, changes: RouteChanges = {}) =>
    route.start({ breaker, retries: { max: 1, budget: 100 }, ...changes }, { script });
  const countEvents = (event: string) =>
    route.events.filter((one) => one === `passthrough.orders ${event}`).length;

  it.each(['GET', 'HEAD'])('is retried when it is a %s and no byte of an answer came', async (method) => {
    await start((socket, _received, connection) =>
      connection === 0 ? socket.resetAndDestroy() : socket.write(OK),
    );

    expect((await route.ask(request(method, '/legacy/orders'))).status).toBe(200);
    expect([route.upstream.received.length, countEvents('retry_sent')]).toEqual([2, 1]);
  });

  it.each<[string, string, Script]>([
    ['it is a POST', request('POST', '/legacy/orders'), (socket) => socket.resetAndDestroy()],
    ['it is a DELETE', request('DELETE', '/legacy/orders'), (socket) => socket.resetAndDestroy()],
    [
      'a part of the head of its answer came',
      get,
      (socket) => socket.write('HTTP/1.1 200 O', () => setImmediate(() => socket.resetAndDestroy())),
    ],
    [
      'a part of its answer came',
      get,
      (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf'),
    ],
    [
      'the upstream answered that it is busy',
      get,
      answering('HTTP/1.1 503 Busy', 'Content-Length: 0', '', ''),
    ],
  ])('is not retried when %s', async (_why, bytes, script) => {
    await start(script);
    await route.ask(bytes).catch(() => undefined);

    expect([route.upstream.received.length, countEvents('retry_sent')]).toEqual([1, 0]);
  });

  it('is retried no more often than the retry budget allows', async () => {
    const requests = 60;
    await start(
      onHead((socket) => socket.destroy()),
      { retries: { max: 1, budget: 10 } },
    );
    for (let sent = 0; sent < requests; sent += 1) await route.ask(get);

    // One in ten; and one every ten seconds beside.
    const again = countEvents('retry_sent');
    expect(again).toBeGreaterThanOrEqual(requests / 10);
    expect(route.upstream.received).toHaveLength(requests + again);
    expect(countEvents('retry_over_budget')).toBe(requests - again);
  });

  it('is not retried for a client that has gone', async () => {
    await start((socket, _received, connection) => connection > 0 && socket.write(OK));
    const connection = await route.connect();
    connection.send(get);
    await route.upstream.receives('\r\n\r\n');
    connection.close();
    await route.upstream.disconnected();
    await route.listener.line(({ aborted }) => aborted === true);

    expect([route.upstream.received.length, countEvents('retry_sent')]).toEqual([1, 0]);
  });
});

describe('a pass-through route whose upstream was restarted', () => {
  const route = usePassthrough();
  const get = request('GET', '/legacy/orders');
  const many = 8;

  it('answers every request although all idle connections are dead, without spending retries', async () => {
    const held: Socket[] = [];
    const old = new Set<Socket>();
    const script: Script = (socket) => {
      if (old.has(socket)) socket.resetAndDestroy();
      else if (held.length < many) {
        held.push(socket);
        if (held.length === many) for (const one of held) one.write(OK);
      } else socket.write(OK);
    };
    await route.start({}, { script });
    const crowd = () => Promise.all(Array.from({ length: many }, () => route.ask(get)));
    const statuses = async () => (await crowd()).map(({ status }) => status);
    expect(await statuses()).toEqual(new Array(many).fill(200));
    expect(route.upstream.received).toHaveLength(many);

    for (const socket of held) old.add(socket);
    expect((await route.ask(get)).status).toBe(200);
    // The others were ended with the one that was dead.
    expect(route.upstream.received).toHaveLength(many + 1);
    expect(await statuses()).toEqual(new Array(many).fill(200));
    expect(route.events).not.toContain('passthrough.orders retry_sent');
  });
});

describe('a pass-through route of two hosts', () => {
  const route = usePassthrough();
  const get = request('GET', '/legacy/orders');
  let other: ScriptedUpstream | undefined;

  it('uses the healthy host, and ejects the other', async () => {
    const location = (socket: Socket) => {
      const { port } = socket.address() as { port: number };
      socket.write(
        `HTTP/1.1 201 Made\r\nLocation: http://127.0.0.1:${port}/legacy/orders/7\r\nContent-Length: 0\r\n\r\n`,
      );
    };
    other = endAfterTest(await startUpstream(location));
    const outliers = { failures: 2, time: 600_000 };
    const retries = { max: 1, budget: 100 };
    await route.start(
      { breaker, outliers, retries, otherUpstreams: [other.origin] },
      { script: (socket) => socket.resetAndDestroy() },
    );
    for (let sent = 0; sent < 40; sent += 1) {
      const { status, headers } = await route.ask(get);
      expect([status, headers['location']]).toEqual([201, '/legacy/orders/7']);
    }

    expect(route.upstream.received).toHaveLength(outliers.failures);
    expect(other.received.join('')).toContain(`host: ${new URL(other.origin).host}\r\n`);
    expect(route.events).toContain(`${new URL(route.upstream.origin).host} ejected`);
  });

  it('ejects a host that reports itself unhealthy', async () => {
    const well: Script = (socket) => void socket.write(OK);
    other = endAfterTest(
      await startUpstream((socket, heard) =>
        heard.includes('GET /health')
          ? socket.end('HTTP/1.1 503 Sick\r\nContent-Length: 0\r\n\r\n')
          : socket.destroy(),
      ),
    );
    const health = { path: '/health', interval: 20, timeout: 30_000, failures: 2 };
    await route.start({ breaker, health, otherUpstreams: [other.origin] }, { script: well });
    const sick = `${new URL(other.origin).host} unhealthy`;
    await eventually(() => route.events.includes(sick));

    for (let sent = 0; sent < 20; sent += 1) expect((await route.ask(get)).status).toBe(200);
    expect(other.received.join('')).not.toContain('/legacy/orders');
  });
});
