import { echoOperations, startPublicListener } from '../../support/gateway/public-listener.ts';
import { askRaw, HOST, request, requestOf } from '../../support/client/raw-client.ts';
import { startForAll } from '../../support/jest/lifetime.ts';

const CRLF = '\r\n';

describe('the public listener, byte by byte', () => {
  const listener = startForAll(() => startPublicListener({ operations: echoOperations() }));

  it.each([
    ['a trailing slash', request('GET', '/v1/users/'), { rawQuery: '' }],
    [
      'absolute form',
      request('GET', 'http://elsewhere.example.test/v1/users?page=2'),
      { rawQuery: 'page=2' },
    ],
    [
      'a query with odd characters',
      request('GET', '/v1/users?a=[]{}|\\^`<>"'),
      { rawQuery: 'a=[]{}|\\^`<>"' },
    ],
    ['malformed percent-encoding in an id', request('GET', '/v1/users/%ff%'), { rawId: '%ff%' }],
    ['an encoded slash in an id', request('GET', '/v1/users/..%2fadmin'), { rawId: '..%2fadmin' }],
    ['a slash after an id', request('GET', '/v1/users/user_1/'), { rawId: 'user_1' }],
    ['HTTP/1.0 without a Host', requestOf('GET /v1/users HTTP/1.0'), {}],
    ['100 header lines', requestOf('GET /v1/users HTTP/1.1', HOST, ...Array<string>(99).fill('X: y')), {}],
    ['an empty line ahead', CRLF + request('GET', '/v1/users'), {}],
    ['an upgrade, by ignoring it', request('GET', '/v1/users', ['Connection: Upgrade', 'Upgrade: h2c']), {}],
    [
      'a body on a GET, by ignoring it',
      requestOf('GET /v1/users HTTP/1.1', HOST, 'Content-Length: 2') + '{}',
      {},
    ],
    [
      'every value of the credential headers',
      request('GET', '/v1/users', ['Authorization: a', 'X-API-Key: k', 'authorization: b']),
      { authorization: ['a', 'b'], apiKey: ['k'] },
    ],
  ])('serves %s', async (_name, bytes, facts) => {
    const answer = await askRaw(listener.port, bytes);

    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.body.toString())).toMatchObject(facts);
  });

  it('answers OPTIONS with 204 and Allow, also for the server as a whole', async () => {
    for (const target of ['/v1/users', '/v1/users/user_1', '/v1/openapi.json', '*']) {
      const answer = await askRaw(listener.port, request('OPTIONS', target));
      expect(answer.status).toBe(204);
      expect(answer.headers.allow).toBe('GET, HEAD, OPTIONS');
      expect(answer.headers['x-request-id']).toMatch(/^req_/);
    }
  });
});
