import { usePassthrough } from '../../support/gateway/passthrough-route.ts';
import { HOST, request, requestOf } from '../../support/client/raw-client.ts';

describe('the request line of a caller of a pass-through route', () => {
  const route = usePassthrough();

  it.each([
    ['two blanks before the target', 'GET  /legacy/orders HTTP/1.1'],
    ['two blanks behind it', 'GET /legacy/orders  HTTP/1.1'],
    ['RTSP/1.1', 'GET /legacy/orders RTSP/1.1'],
    ['RTSP/1.0', 'GET /legacy/orders RTSP/1.0'],
  ])('is read as Node reads it, and written anew for the upstream: %s', async (_name, line) => {
    await route.start();

    const { status } = await route.ask(requestOf(line, HOST));
    expect(status).toBe(200);
    expect(route.upstream.received).toHaveLength(1);
    expect(route.upstream.received[0]).toMatch(/^GET \/legacy\/orders HTTP\/1\.1\r\n/);
    expect(route.upstream.received[0]).not.toMatch(/RTSP| {2}/);
  });

  it('names the host that was asked for, where its target is absolute, whatever Host says', async () => {
    await route.start();

    await route.ask(request('GET', 'http://shop.example.test:8080/legacy/orders'));
    expect(route.upstream.received[0]).toContain('\r\nx-forwarded-host: shop.example.test:8080\r\n');
    expect(route.upstream.received[0]).not.toContain('api.example.test');
  });
});
