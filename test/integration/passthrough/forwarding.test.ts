import { usePassthrough } from '../../support/gateway/passthrough-route.ts';
import { request } from '../../support/client/raw-client.ts';

describe('a pass-through route', () => {
  const route = usePassthrough();

  it('passes method, path, query and plain headers on, and the answer back', async () => {
    await route.start();

    const answer = await route.ask(
      request('GET', '/legacy/orders/7%20b?x=[1]&y', ['Accept: text/plain', 'X-Plain: a', 'x-plain: b']),
    );

    expect(answer.status).toBe(200);
    expect(answer.body.toString()).toBe('ok');
    expect(answer.headers['content-type']).toBe('text/plain');
    const [heard = ''] = route.upstream.received;
    expect(heard).toMatch(/^GET \/legacy\/orders\/7%20b\?x=\[1\]&y HTTP\/1\.1\r\n/);
    expect(heard).toMatch(/\r\naccept: text\/plain\r\n/i);
    expect(heard).toMatch(/\r\nx-plain: a\r\nx-plain: b\r\n/i);
    expect(heard).toContain(`\r\nhost: 127.0.0.1:${route.upstream.port}\r\n`);
  });

  it.each([
    ['below a base path', { basePath: '/api/v0' }, '/legacy/orders/7', '/api/v0/legacy/orders/7'],
    ['with its own path cut off', { stripPath: true }, '/legacy/orders/7?a=b', '/7?a=b'],
    ['with nothing left but the root', { stripPath: true }, '/legacy/orders', '/'],
    ['with its own path replaced', { stripPath: true, basePath: '/old' }, '/legacy/orders', '/old'],
    [
      'from an absolute target, by its path',
      {},
      'http://evil.example.test/legacy/orders?q',
      '/legacy/orders?q',
    ],
  ])('reaches the upstream %s', async (_name, changes, target, line) => {
    await route.start(changes);

    expect((await route.ask(request('GET', target))).status).toBe(200);
    expect(route.upstream.received[0]).toContain(`GET ${line} HTTP/1.1\r\n`);
  });

  it("logs its operation, its caller and the upstream's time", async () => {
    await route.start(
      {},
      {
        admit: (call) => {
          call.summary.principalId = call.permission ?? undefined;
          return Promise.resolve();
        },
      },
    );
    await route.ask(request('GET', '/legacy/orders?secret=1'));

    expect(await route.listener.line(({ operation }) => operation === 'passthrough.orders')).toMatchObject({
      status: 200,
      caller: 'orders:read',
      upstreamCalls: 1,
      upstreamMs: expect.any(Number),
    });
  });
});
