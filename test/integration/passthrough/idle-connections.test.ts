import type { Socket } from 'node:net';
import { request } from '../../support/client/raw-client.ts';
import { OK, usePassthrough } from '../../support/gateway/passthrough-route.ts';
import { answering, type BytesScript } from '../../support/upstream/scripted-upstream.ts';
import { eventually } from '../../support/time/eventually.ts';

/** As `does`; hands its connections to the test. */
function holding(sockets: Set<Socket>, does: BytesScript): BytesScript {
  return (socket, heard, connection) => {
    sockets.add(socket);
    does(socket, heard, connection);
  };
}

describe('an idle connection of a pass-through route to its upstream', () => {
  const route = usePassthrough();
  const get = request('GET', '/legacy/orders');

  it('closes when an answer comes over it that nobody has asked for, and no request gets that answer', async () => {
    const sockets = new Set<Socket>();
    await route.start({}, { script: holding(sockets, answering(OK)) });
    await route.ask(get);
    for (const socket of sockets) socket.write('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nstray');
    await route.upstream.disconnected();

    expect((await route.ask(get)).body.toString()).toBe('ok');
    expect(route.upstream.connections).toBe(2);
  });

  it.each([
    ['as a whole', `${OK}HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nstray`],
    [
      'behind a status without a body',
      'HTTP/1.1 204 No Content\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nstray',
    ],
    ['as an interim response', `${OK}HTTP/1.1 103 Early Hints\r\n\r\n`],
  ])('is not used again where a second answer came with the first: %s', async (_how, both) => {
    const first = holding(new Set(), (socket, heard) => {
      if (heard.length > 0) socket.write(both);
    });
    const then = answering(OK);
    await route.start(
      {},
      {
        script: (socket, heard, connection) => (connection === 0 ? first : then)(socket, heard, connection),
      },
    );
    expect([200, 204]).toContain((await route.ask(get)).status);

    expect((await route.ask(get)).body.toString()).toBe('ok');
    expect(route.upstream.connections).toBe(2);
  });

  it('closes without a trace when its upstream resets it', async () => {
    const sockets = new Set<Socket>();
    await route.start({}, { script: holding(sockets, answering(OK)) });
    await route.ask(get);
    for (const socket of sockets) socket.resetAndDestroy();
    await route.upstream.disconnected();

    expect((await route.ask(get)).status).toBe(200);
    expect(route.events).toEqual(['passthrough.orders 2xx', 'passthrough.orders 2xx']);
  });

  it.each([
    ['is not used again', 'timeout=0', 2],
    ['is not used again', 'timeout=1, max=100', 2],
    ['is used again', 'timeout=5', 1],
    ['is used again', 'max=100', 1],
  ])('%s where the upstream says Keep-Alive: %s', async (_name, hint, connections) => {
    const answer = answering('HTTP/1.1 200 OK', `Keep-Alive: ${hint}`, 'Content-Length: 2', '', 'ok');
    await route.start({}, { script: answer });

    await route.ask(get);
    expect((await route.ask(get)).status).toBe(200);
    expect(route.upstream.connections).toBe(connections);
  });

  it.each([
    ['is as many as ran at once', 40, 40],
    ['is one of at most 256', 260, 256],
  ])('%s: after %i requests, %i stay open', async (_name, asked, open) => {
    const sockets = new Set<Socket>();
    await route.start({ concurrency: asked }, { script: holding(sockets, () => undefined) });
    const answers = Array.from({ length: asked }, () => route.ask(get));
    await route.upstream.connected(asked);
    await eventually(() => sockets.size === asked);
    for (const socket of sockets) socket.write(OK);

    for (const { status } of await Promise.all(answers)) expect(status).toBe(200);
    await eventually(() => route.upstream.open === open);
  });

  it('closes with the route', async () => {
    await route.start();
    await route.ask(get);
    await route.listener.stop();

    expect(await route.upstream.disconnected()).toBe(1);
  });
});
