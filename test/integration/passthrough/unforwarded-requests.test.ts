import { fault } from '../../../src/errors/fault.ts';
import type { LegacyUpstream } from '../../support/legacy-upstream.ts';
import { startPassthrough } from '../../support/passthrough-route.ts';
import type { PublicListener } from '../../support/public-listener.ts';
import { askRaw, request } from '../../support/raw-client.ts';

describe('a pass-through route', () => {
  let upstream: LegacyUpstream;
  let listener: PublicListener;
  afterEach(async () => {
    await listener.stop();
    await upstream.stop();
  });

  async function start(...setup: Parameters<typeof startPassthrough>) {
    ({ upstream, listener } = await startPassthrough(...setup));
  }

  it.each([
    ['/legacy/orders/../admin', 400],
    ['/legacy/orders/..', 400],
    ['/legacy/orders/./x', 400],
    ['/legacy/orders/%2e%2e/admin', 400],
    ['/legacy/orders/%2E./admin', 400],
    ['/legacy/orders/..;a=b/admin', 400],
    ['/legacy/orders/..%3bx/admin', 400],
    ['/legacy/orders/..%2fadmin', 400],
    ['/legacy/orders/%252e%252e/admin', 400],
    ['/legacy/orders/..%5cadmin', 400],
    ['/legacy/orders/..\\admin', 400],
    ['/legacy/orders//admin', 400],
    ['/legacy/orders/%00', 400],
    ['/legacy/orders/%0d%0aX:y', 400],
    ['/legacy/orders/%', 400],
    ['/legacy/orders/%ff', 400],
    ['/legacy/orders/%c0%ae%c0%ae/', 400],
    ['/legacy/orders/{x}', 400],
    ['http://a/legacy/orders/http://evil.test/', 400],
    ['/legacy/ordersx', 404],
    ['/legacy/Orders', 404],
    ['/legacy/orders%2f7', 404],
    ['//legacy/orders', 404],
    ['/legacy', 404],
    ['/x/../legacy/orders', 404],
    ['//evil.test/legacy/orders', 404],
  ])('never forwards %s', async (target, status) => {
    await start();

    expect((await askRaw(listener.port, request('GET', target))).status).toBe(status);
    expect(upstream.heard).toEqual([]);
  });

  it('takes no path below its own where subpaths are off', async () => {
    await start({ subpaths: false });

    expect((await askRaw(listener.port, request('GET', '/legacy/orders/7'))).status).toBe(404);
    expect((await askRaw(listener.port, request('GET', '/legacy/orders/'))).status).toBe(200);
  });

  it('lets the allowed methods pass and no other', async () => {
    await start();

    for (const method of ['PUT', 'PATCH', 'TRACE', 'PROPFIND']) {
      const answer = await askRaw(listener.port, request(method, '/legacy/orders'));
      expect(answer.status).toBe(405);
      expect(answer.headers.allow).toBe('GET, HEAD, POST, DELETE, OPTIONS');
    }
    expect((await askRaw(listener.port, request('OPTIONS', '/legacy/orders'))).status).toBe(204);
    expect(upstream.heard).toEqual([]);
  });

  it('asks no upstream for a caller who is not admitted', async () => {
    await start(
      {},
      {
        admit: () =>
          Promise.reject(fault('authentication_required', { headers: { 'WWW-Authenticate': 'Bearer' } })),
      },
    );

    const answer = await askRaw(listener.port, request('GET', '/legacy/orders'));

    expect(answer.status).toBe(401);
    expect(answer.headers['www-authenticate']).toBe('Bearer');
    expect(upstream.heard).toEqual([]);
  });
});
