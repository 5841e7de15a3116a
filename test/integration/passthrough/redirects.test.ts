import { usePassthrough } from '../../support/gateway/passthrough-route.ts';
import { request } from '../../support/client/raw-client.ts';

describe('a pass-through route to an upstream that redirects', () => {
  const route = usePassthrough();

  async function locationOf(location: string, changes = {}) {
    await route.start(changes, {
      script: (socket) =>
        socket.end(
          `HTTP/1.1 302 Found\r\nLocation: ${location.replace('{origin}', route.upstream.origin)}\r\nContent-Length: 0\r\n\r\n`,
        ),
    });
    const answer = await route.ask(request('GET', '/legacy/orders/7'));
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
  ])('rewrites %s to a path of ours', async (location, changes, expected) => {
    expect(await locationOf(location, changes)).toBe(expected);
  });

  it.each([
    ['https://inner.example.test/legacy/orders/8', {}],
    ['//inner.example.test/legacy/orders/8', {}],
    ['/admin', {}],
    ['/8', { basePath: '/api' }],
    ['javascript:alert(1)', {}],
    ['http://[', {}],
  ])('drops the Location %s', async (location, changes) => {
    expect(await locationOf(location, changes)).toBeUndefined();
  });
});
