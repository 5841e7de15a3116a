import { Secret } from '../../../src/kernel/secret.ts';
import { answering } from '../../support/legacy-upstream.ts';
import { OK, usePassthrough } from '../../support/passthrough-route.ts';
import { request } from '../../support/raw-client.ts';

describe('a pass-through route', () => {
  const route = usePassthrough();

  it("says who calls in its own words, and keeps the caller's credentials and claims to itself", async () => {
    await route.start({ headers: { Authorization: new Secret('Basic our-own') } });
    const claims = [
      'Authorization: Bearer theirs',
      'X-API-Key: theirs',
      'Cookie: session=theirs',
      'Proxy-Authorization: Basic theirs',
      'Proxy: http://theirs',
      'X-Forwarded-For: 6.6.6.6',
      'X-Forwarded-Host: theirs',
      'X-Forwarded-Proto: gopher',
      'X-Forwarded-Prefix: /theirs',
      'X_Forwarded_For: 6.6.6.6',
      'Forwarded: for=6.6.6.6',
      'X-Real-IP: 6.6.6.6',
      'True-Client-IP: 6.6.6.6',
      'X-Request-Id: theirs',
      'X-HTTP-Method-Override: DELETE',
      'X-Original-URL: /theirs',
      'Connection: close, X-Hop',
      'X-Hop: theirs',
      'Keep-Alive: timeout=theirs',
      'TE: trailers, theirs',
      'Upgrade: theirs',
      'Constructor: fine',
    ];

    const answer = await route.ask(request('GET', '/legacy/orders', claims));

    const heard = (route.upstream.heard[0] ?? '').toLowerCase();
    expect(heard).not.toMatch(/theirs|6\.6\.6\.6|gopher|override|\r\nx_/);
    expect(heard).toContain('\r\nauthorization: basic our-own\r\n');
    expect(heard).toContain('\r\nx-forwarded-for: 127.0.0.1\r\n');
    expect(heard).toContain('\r\nx-forwarded-proto: http\r\n');
    expect(heard).toContain('\r\nx-forwarded-host: api.example.test\r\n');
    expect(heard).toContain(`\r\nx-request-id: ${(answer.headers['x-request-id'] ?? '').toLowerCase()}\r\n`);
    expect(heard).toContain('\r\nconstructor: fine\r\n');
  });

  it.each([
    ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAAQAAP__'],
    [
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
    ],
    ['Connection: host, content-length, x-forwarded-for, x-request-id, authorization'],
    ['Connection: close', 'Connection: X-Hop', 'X-Hop: theirs', 'Proxy-Connection: theirs'],
  ])('asks as a plain request whatever the caller says of its connection: %s', async (...lines) => {
    await route.start({ headers: { Authorization: new Secret('Basic our-own') } });

    expect((await route.ask(request('GET', '/legacy/orders', lines))).status).toBe(200);

    const heard = (route.upstream.heard[0] ?? '').toLowerCase();
    expect(heard).not.toMatch(/upgrade|http2|theirs|proxy/);
    for (const name of ['host', 'x-forwarded-for', 'x-request-id', 'authorization'])
      expect(heard.split(`\r\n${name}: `)).toHaveLength(2);
  });

  it('asks for the body itself where the caller waits to be told to go on', async () => {
    await route.start({}, { script: (socket, heard) => heard.endsWith('hello') && socket.write(OK) });
    const connection = await route.connect();
    connection.send(request('POST', '/legacy/orders', ['Content-Length: 5', 'Expect: 100-continue']));
    expect((await connection.answer()).status).toBe(100);
    connection.send('hello');

    expect((await connection.answer()).status).toBe(200);
    expect(route.upstream.heard[0]).not.toMatch(/expect/i);
    connection.close();
  });

  it("returns the upstream's headers without what is not for the caller, and with ours", async () => {
    await route.start(
      {},
      {
        script: answering(
          'HTTP/1.1 200 OK',
          'Content-Type: text/html',
          'ETag: "theirs"',
          'Link: <a>; rel=next',
          'Link: <b>; rel=last',
          'Vary: Accept',
          'Server: Secret/1.0',
          'X-Powered-By: Secret',
          'Set-Cookie: session=secret',
          'WWW-Authenticate: Basic realm=secret',
          'Access-Control-Allow-Origin: *',
          'Strict-Transport-Security: max-age=1',
          'X-Request-Id: secret',
          'Connection: X-Hop',
          'X-Hop: secret',
          'Content-Length: 2',
          '',
          'ok',
        ),
        admit: (call) => {
          call.answerHeaders.push('RateLimit', '"standard";r=1;t=1');
          return Promise.resolve();
        },
      },
    );

    const { headers } = await route.ask(request('GET', '/legacy/orders'));

    expect(headers).toMatchObject({
      'content-type': 'text/html',
      etag: '"theirs"',
      link: '<a>; rel=next, <b>; rel=last',
      vary: 'Accept, Authorization, X-API-Key',
      'cache-control': 'private',
      ratelimit: '"standard";r=1;t=1',
      'x-content-type-options': 'nosniff',
      'x-request-id': expect.stringMatching(/^req_/),
    });
    expect(JSON.stringify(headers).toLowerCase()).not.toMatch(/secret|access-control|strict-transport/);
  });
});
