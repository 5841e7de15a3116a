import { fault } from '../../../src/kernel/errors/fault.ts';
import { usePassthrough } from '../../support/gateway/passthrough-route.ts';
import { request } from '../../support/client/raw-client.ts';

describe('a pass-through route', () => {
  const route = usePassthrough();

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
    await route.start();

    expect((await route.ask(request('GET', target))).status).toBe(status);
    expect(route.upstream.received).toEqual([]);
  });

  it('takes no path below its own where subpaths are off', async () => {
    await route.start({ subpaths: false });

    expect((await route.ask(request('GET', '/legacy/orders/7'))).status).toBe(404);
    expect((await route.ask(request('GET', '/legacy/orders/'))).status).toBe(200);
  });

  it('lets the allowed methods pass and no other', async () => {
    await route.start();

    for (const method of ['PUT', 'PATCH', 'TRACE', 'PROPFIND']) {
      const answer = await route.ask(request(method, '/legacy/orders'));
      expect(answer.status).toBe(405);
      expect(answer.headers.allow).toBe('GET, HEAD, POST, DELETE, OPTIONS');
    }
    expect((await route.ask(request('OPTIONS', '/legacy/orders'))).status).toBe(204);
    expect(route.upstream.received).toEqual([]);
  });

  it('makes no upstream call for a caller who is not admitted', async () => {
    await route.start(
      {},
      {
        admit: () =>
          Promise.reject(fault('authentication_required', { headers: { 'WWW-Authenticate': 'Bearer' } })),
      },
    );

    const answer = await route.ask(request('GET', '/legacy/orders'));

    expect(answer.status).toBe(401);
    expect(answer.headers['www-authenticate']).toBe('Bearer');
    expect(route.upstream.received).toEqual([]);
  });
});
