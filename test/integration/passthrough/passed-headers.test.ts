import { Secret } from '../../../src/kernel/secret.ts';
import { answering } from '../../support/upstream/scripted-upstream.ts';
import { OK, usePassthrough } from '../../support/gateway/passthrough-route.ts';
import { request } from '../../support/client/raw-client.ts';
import { endAfterTest } from '../../support/jest/lifetime.ts';

describe('a pass-through route', () => {
  const route = usePassthrough();

  it("sends its own headers about the caller, and never the caller's credentials or claims", async () => {
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

    const heard = (route.upstream.received[0] ?? '').toLowerCase();
    expect(heard).not.toMatch(/theirs|6\.6\.6\.6|gopher|override|\r\nx_/);
    expect(heard).toContain('\r\nauthorization: basic our-own\r\n');
    expect(heard).toContain('\r\nx-forwarded-for: 127.0.0.1\r\n');
    expect(heard).toContain('\r\nx-forwarded-proto: http\r\n');
    expect(heard).toContain('\r\nx-forwarded-host: api.example.test\r\n');
    expect(heard).toContain(`\r\nx-request-id: ${(answer.headers['x-request-id'] ?? '').toLowerCase()}\r\n`);
    expect(heard).toContain('\r\nconstructor: fine\r\n');
  });

  const claims = [
    ...['Remote-User', 'X-Remote-User', 'X-Remote-Group', 'X-Forwarded-User', 'X-Forwarded-Email'],
    ...['X-Authenticated-User', 'X-Authenticated-Roles', 'X-Auth-Request-Email', 'X-WebAuth-User', 'X-User'],
    ...['X-User-Id', 'X-Username', 'X-Roles', 'X-Tenant-Id', 'X-Scope-OrgID', 'Impersonate-User', 'From'],
    ...[
      'X-Consumer-Username',
      'X-Amzn-Oidc-Data',
      'X-Goog-Authenticated-User-Email',
      'X-MS-Client-Principal',
    ],
    ...['CF-Access-Jwt-Assertion', 'Tailscale-User-Login', 'X-Id-Token', 'X-Envoy-Original-Path'],
    ...['X-Client-Cert', 'Client-Cert', 'X-SSL-Client-S-DN', 'X-SSL-Client-Verify', 'SSL-Client-Cert'],
    ...[
      'X-Original-URL',
      'X-Original-URI',
      'X-Rewrite-URL',
      'X-Host',
      'Fastly-Client-IP',
      'CF-Connecting-IP',
    ],
  ];
  const plain = [
    ...['User-Agent', 'X-User-Agent', 'Accept', 'Accept-Language', 'If-None-Match', 'Idempotency-Key'],
    ...['X-Client-Version', 'X-Client-Id', 'X-Auth-Token', 'X-Requested-With', 'X-CSRF-Token', 'Origin'],
    ...['X-MS-Client-Request-Id', 'X-Goog-Api-Client', 'Prefer', 'Range', 'Original'],
  ];

  it('drops headers that claim who the caller is, and passes on those about the request', async () => {
    await route.start();
    await route.ask(
      request(
        'GET',
        '/legacy/orders',
        [...claims, ...plain].map((name) => `${name}: said`),
      ),
    );

    const heard = (route.upstream.received[0] ?? '').split('\r\n').filter((line) => line.endsWith(': said'));
    expect(heard.map((line) => line.split(':')[0])).toEqual(plain.map((name) => name.toLowerCase()));
  });

  it('passes on the claims that the route names, and no others', async () => {
    await route.start({ callerHeaders: ['X-User-Id'] });
    await route.ask(
      request('GET', '/legacy/orders', ['x-USER-id: 7', 'X-User-Name: said', 'X_User_Id: said']),
    );

    expect(route.upstream.received[0]).toContain('\r\nx-user-id: 7\r\n');
    expect(route.upstream.received[0]).not.toContain('said');
  });

  it('drops answer headers that would bind the whole origin or instruct a proxy in front', async () => {
    const bound = [
      ...['NEL', 'Report-To', 'Reporting-Endpoints', 'Accept-CH', 'Critical-CH', 'Alt-Svc', 'Expect-CT'],
      ...['Strict-Transport-Security', 'Public-Key-Pins', 'Clear-Site-Data', 'Service-Worker-Allowed'],
      ...['Origin-Agent-Cluster', 'Use-As-Dictionary', 'Set-Login', 'Authentication-Info', 'Set-Cookie'],
      ...['X-Accel-Redirect', 'X-Accel-Buffering', 'X-Sendfile', 'X-Reproxy-URL', 'Refresh'],
    ];
    const kept = ['Content-Security-Policy', 'Content-Language', 'X-Total-Count', 'Deprecation', 'Sunset'];
    const lines = [...bound, ...kept].map((name) => `${name}: told`);
    await route.start({}, { script: answering('HTTP/1.1 200 OK', ...lines, 'Content-Length: 2', '', 'ok') });

    const { headers } = await route.ask(request('GET', '/legacy/orders'));
    const forwarded = Object.keys(headers).filter((name) => headers[name] === 'told');
    expect(forwarded).toEqual(kept.map((name) => name.toLowerCase()));
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
  ])('sends a plain request whatever connection headers the caller sends: %s', async (...lines) => {
    await route.start({ headers: { Authorization: new Secret('Basic our-own') } });

    expect((await route.ask(request('GET', '/legacy/orders', lines))).status).toBe(200);

    const heard = (route.upstream.received[0] ?? '').toLowerCase();
    expect(heard).not.toMatch(/upgrade|http2|theirs|proxy/);
    for (const name of ['host', 'x-forwarded-for', 'x-request-id', 'authorization'])
      expect(heard.split(`\r\n${name}: `)).toHaveLength(2);
  });

  it('answers Expect: 100-continue itself', async () => {
    await route.start({}, { script: (socket, heard) => heard.endsWith('hello') && socket.write(OK) });
    const connection = endAfterTest(await route.connect());
    connection.send(request('POST', '/legacy/orders', ['Content-Length: 5', 'Expect: 100-continue']));
    expect((await connection.answer()).status).toBe(100);
    connection.send('hello');

    expect((await connection.answer()).status).toBe(200);
    expect(route.upstream.received[0]).not.toMatch(/expect/i);
  });

  it("returns the upstream's headers for the caller, and its own", async () => {
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
