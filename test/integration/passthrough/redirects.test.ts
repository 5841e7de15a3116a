import type { LegacyUpstream } from '../../support/legacy-upstream.ts';
import { startPassthrough } from '../../support/passthrough-route.ts';
import type { PublicListener } from '../../support/public-listener.ts';
import { askRaw, request } from '../../support/raw-client.ts';

describe('a pass-through route to an upstream that redirects', () => {
  let upstream: LegacyUpstream;
  let listener: PublicListener;
  afterEach(async () => {
    await listener.stop();
    await upstream.stop();
  });

  async function start(...setup: Parameters<typeof startPassthrough>) {
    ({ upstream, listener } = await startPassthrough(...setup));
  }

  async function locationOf(location: string, route = {}) {
    await start(route, {
      script: (socket) =>
        socket.end(
          `HTTP/1.1 302 Found\r\nLocation: ${location.replace('{origin}', upstream.origin)}\r\nContent-Length: 0\r\n\r\n`,
        ),
    });
    const answer = await askRaw(listener.port, request('GET', '/legacy/orders/7'));
    expect(answer.status).toBe(302);
    return answer.headers.location;
  }

  it.each([
    ['{origin}/legacy/orders/8?a=b#c', {}, '/legacy/orders/8?a=b#c'],
    ['/legacy/orders/8', {}, '/legacy/orders/8'],
    ['8', {}, '/legacy/orders/8'],
    ['/api/legacy/orders/8', { basePath: '/api' }, '/legacy/orders/8'],
    ['/8', { stripPath: true }, '/legacy/orders/8'],
    ['{origin}/old/8', { stripPath: true, basePath: '/old' }, '/legacy/orders/8'],
    ['https://api.example.test/legacy/orders/8', {}, '/legacy/orders/8'],
  ])('rewrites %s to a path of ours', async (location, route, expected) => {
    expect(await locationOf(location, route)).toBe(expected);
  });

  it.each([
    ['https://inner.example.test/legacy/orders/8', {}],
    ['//inner.example.test/legacy/orders/8', {}],
    ['/admin', {}],
    ['/8', { basePath: '/api' }],
    ['javascript:alert(1)', {}],
    ['http://[', {}],
  ])('tells nobody of %s', async (location, route) => {
    expect(await locationOf(location, route)).toBeUndefined();
  });
});
