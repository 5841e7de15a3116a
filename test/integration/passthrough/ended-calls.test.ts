import { eventually } from '../../support/time/eventually.ts';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { onHead, type Script } from '../../support/upstream/scripted-upstream.ts';
import { OK, usePassthrough } from '../../support/gateway/passthrough-route.ts';
import { request } from '../../support/client/raw-client.ts';
import { endAfterTest } from '../../support/jest/lifetime.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const CLIENTS = 200;
/** Longer than a test may take: what ends, ends for another reason. */
const NEVER = 120_000;

describe('a pass-through route whose clients leave', () => {
  const route = usePassthrough();
  const get = request('GET', '/legacy/orders');

  /** Watches over what belongs to requests, without keeping any of it. */
  function watchRequests() {
    const refs: WeakRef<object>[] = [];
    const { server, finished } = route.listener;
    server.on('request', (req, res) => refs.push(new WeakRef(req), new WeakRef(res)));
    return {
      /** Resolves once so many requests are over. */
      async over(count: number) {
        await eventually(() => finished.length >= count);
      },
      /** How many requests and answers are still in memory. */
      async kept() {
        for (let i = 0; i < 5; i += 1) await new Promise(setImmediate);
        collectGarbage();
        return refs.filter((ref) => ref.deref() !== undefined).length;
      },
    };
  }

  it.each<[string, string, Script, number]>([
    ['before an answer', get, () => undefined, 499],
    [
      'within an answer',
      get,
      onHead((socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf')),
      499,
    ],
    [
      'within their request',
      `${request('POST', '/legacy/orders', ['Transfer-Encoding: chunked'])}4\r\nhalf\r\n`,
      () => undefined,
      // It might be there still and only have nothing more to say.
      400,
    ],
  ])('frees everything of hundreds that leave at once %s', async (name, bytes, script, expectedStatus) => {
    await route.start({ deadline: NEVER }, { script });
    const watched = watchRequests();
    const connections = await Promise.all(Array.from({ length: CLIENTS }, () => route.connect()));
    for (const connection of connections) connection.send(bytes);
    // As many as a route may ask at once; the others wait.
    await route.upstream.connected(128);
    if (name === 'within an answer')
      await Promise.any(connections.map((connection) => connection.receives('half')));
    for (const connection of connections) connection.close();

    await watched.over(CLIENTS);
    await route.upstream.disconnected();
    expect(new Set(route.listener.finished.map(({ status }) => status))).toEqual(new Set([expectedStatus]));
    expect(route.upstream.received.join('')).not.toContain('0\r\n\r\n');
    // The parsers of Node hold on to a few.
    expect(await watched.kept()).toBeLessThan(CLIENTS / 10);
  });

  it('makes no upstream call for clients that left while they were queued', async () => {
    await route.start({ deadline: NEVER }, { script: () => undefined });
    const busy = await Promise.all(Array.from({ length: 128 }, () => route.connect()));
    for (const connection of busy) connection.send(get);
    await route.upstream.connected(128);
    const waiting = await route.connect();
    waiting.send(request('GET', '/legacy/orders/late'));
    await new Promise((resolve) => route.listener.server.once('request', resolve));
    waiting.close();
    await route.listener.line(({ aborted }) => aborted === true);
    for (const connection of busy) connection.close();

    await route.upstream.disconnected();
    expect(route.upstream.received.join('')).not.toContain('late');
  });

  it('leaks neither memory nor listeners over answered requests', async () => {
    await route.start({}, { script: (socket) => socket.write(OK) });
    const watched = watchRequests();
    const sockets = new Set<{
      eventNames(): (string | symbol)[];
      listenerCount(name: string | symbol): number;
    }>();
    route.listener.server.on('connection', (socket) => sockets.add(socket));
    const listeners = () =>
      [...sockets].flatMap((socket) => socket.eventNames().map((name) => socket.listenerCount(name)));
    const connection = endAfterTest(await route.connect());
    const ask = async () => {
      connection.send(get);
      expect((await connection.answer()).status).toBe(200);
    };
    await ask();
    const before = listeners();
    for (let i = 1; i < CLIENTS; i += 1) await ask();

    expect(listeners()).toEqual(before);
    expect(route.upstream.received).toHaveLength(1);
    await watched.over(CLIENTS);
    expect(await watched.kept()).toBeLessThan(CLIENTS / 10);
  });
});
