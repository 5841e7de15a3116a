import type { PassthroughConfig } from '../../../src/config/gateway-schema.ts';
import { fault } from '../../../src/errors/fault.ts';
import type { PassthroughDeps } from '../../../src/http/passthrough.ts';
import { Secret } from '../../../src/kernel/secret.ts';
import {
  answering,
  type LegacyUpstream,
  onHead,
  startLegacyUpstream,
} from '../../support/legacy-upstream.ts';
import { type PublicListener, startPublicListener } from '../../support/public-listener.ts';
import { askRaw, connectRaw, request } from '../../support/raw-client.ts';

const OK = ['HTTP/1.1 200 OK', 'Content-Type: text/plain', 'Content-Length: 2', '', 'ok'];

describe('a pass-through route', () => {
  let upstream: LegacyUpstream;
  let listener: PublicListener;
  afterEach(async () => {
    await listener.stop();
    await upstream.stop();
  });

  async function start(
    route: Partial<PassthroughConfig> & { basePath?: string } = {},
    {
      script = answering(...OK),
      admit = () => Promise.resolve(),
    }: { script?: Parameters<typeof startLegacyUpstream>[0]; admit?: PassthroughDeps['admit'] } = {},
  ) {
    upstream = await startLegacyUpstream(script);
    const { basePath = '', ...config } = route;
    const routes: PassthroughConfig[] = [
      {
        name: 'orders',
        path: '/legacy/orders',
        subpaths: true,
        methods: ['GET', 'HEAD', 'POST', 'DELETE'],
        upstream: upstream.origin + basePath,
        stripPath: false,
        permission: 'orders:read',
        deadline: 5_000,
        bodyMax: 1_000,
        headers: {},
        ...config,
      },
    ];
    listener = await startPublicListener({ passthrough: { routes, admit } });
  }

  it('passes method, path, query and plain headers on, and the answer back', async () => {
    await start();

    const answer = await askRaw(
      listener.port,
      request('GET', '/legacy/orders/7%20b?x=[1]&y', ['Accept: text/plain', 'X-Plain: a', 'x-plain: b']),
    );

    expect(answer.status).toBe(200);
    expect(answer.body.toString()).toBe('ok');
    expect(answer.headers['content-type']).toBe('text/plain');
    const [heard = ''] = upstream.heard;
    expect(heard).toMatch(/^GET \/legacy\/orders\/7%20b\?x=\[1\]&y HTTP\/1\.1\r\n/);
    expect(heard).toMatch(/\r\naccept: text\/plain\r\n/i);
    expect(heard).toMatch(/\r\nx-plain: a\r\nx-plain: b\r\n/i);
    expect(heard).toContain(`\r\nhost: 127.0.0.1:${upstream.port}\r\n`);
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
  ])('reaches the upstream %s', async (_name, route, target, line) => {
    await start(route);

    expect((await askRaw(listener.port, request('GET', target))).status).toBe(200);
    expect(upstream.heard[0]).toContain(`GET ${line} HTTP/1.1\r\n`);
  });

  it("says who calls in its own words, and keeps the caller's credentials and claims to itself", async () => {
    await start({ headers: { Authorization: new Secret('Basic our-own') } });
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

    const answer = await askRaw(listener.port, request('GET', '/legacy/orders', claims));

    const heard = (upstream.heard[0] ?? '').toLowerCase();
    expect(heard).not.toMatch(/theirs|6\.6\.6\.6|gopher|override|x_/);
    expect(heard).toContain('\r\nauthorization: basic our-own\r\n');
    expect(heard).toContain('\r\nx-forwarded-for: 127.0.0.1\r\n');
    expect(heard).toContain('\r\nx-forwarded-proto: http\r\n');
    expect(heard).toContain('\r\nx-forwarded-host: api.example.test\r\n');
    expect(heard).toContain(`\r\nx-request-id: ${(answer.headers['x-request-id'] ?? '').toLowerCase()}\r\n`);
    expect(heard).toContain('\r\nconstructor: fine\r\n');
  });

  it("returns the upstream's headers without what is not for the caller, and with ours", async () => {
    await start(
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

    const { headers } = await askRaw(listener.port, request('GET', '/legacy/orders'));

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

  it('tells its operation, its caller and what the upstream took', async () => {
    await start(
      {},
      {
        admit: (call) => {
          call.trace.principalId = call.permission ?? undefined;
          return Promise.resolve();
        },
      },
    );
    await askRaw(listener.port, request('GET', '/legacy/orders?secret=1'));

    expect(await listener.line(({ operation }) => operation === 'passthrough.orders')).toMatchObject({
      status: 200,
      caller: 'orders:read',
      upstreamCalls: 1,
      upstreamMs: expect.any(Number),
    });
  });

  describe('with a request body', () => {
    const framed = (method: string, ...lines: string[]) => request(method, '/legacy/orders', lines);
    const SMUGGLED = 'GET /internal/admin HTTP/1.1\r\nHost: x\r\n\r\n';

    it('passes a body of a known length on', async () => {
      await start(
        {},
        { script: (socket, heard) => heard.endsWith('hello') && socket.write(OK.join('\r\n')) },
      );

      expect((await askRaw(listener.port, `${framed('POST', 'Content-Length: 5')}hello`)).status).toBe(200);
      expect(upstream.heard[0]).toContain('\r\ncontent-length: 5\r\n');
    });

    it.each(['DELETE', 'POST'])(
      'passes the chunks of a %s on as chunks, so that nothing in them is a second request',
      async (method) => {
        await start(
          {},
          { script: (socket, heard) => heard.endsWith('0\r\n\r\n') && socket.end(OK.join('\r\n')) },
        );
        const chunk = `${SMUGGLED.length.toString(16)}\r\n${SMUGGLED}\r\n0\r\n\r\n`;

        const answer = await askRaw(listener.port, framed(method, 'Transfer-Encoding: chunked') + chunk);

        expect(answer.status).toBe(200);
        const [head, ...rest] = (upstream.heard[0] ?? '').split('\r\n\r\n');
        expect(head).toMatch(/\r\ntransfer-encoding: chunked/);
        expect(head).not.toMatch(/content-length/);
        expect(rest.join('\r\n\r\n')).toBe(chunk);
        expect(upstream.heard).toHaveLength(1);
      },
    );

    it.each([
      ['GET', 'Content-Length: 5'],
      ['GET', 'Transfer-Encoding: chunked'],
      ['HEAD', 'Transfer-Encoding: chunked'],
      ['POST', 'Transfer-Encoding: gzip, chunked'],
      ['POST', 'Content-Length: 1001'],
    ])('refuses %s with %s before the upstream hears of it', async (method, line) => {
      await start();

      const answer = await askRaw(listener.port, framed(method, line));

      expect(answer.status).toBe(400);
      if (method !== 'HEAD')
        expect(JSON.parse(answer.body.toString())).toMatchObject({ error: { code: 'bad_request' } });
      expect(upstream.heard).toEqual([]);
    });

    it('gives up on chunks that grow beyond the bound, towards both sides', async () => {
      await start({}, { script: () => undefined });
      const connection = await connectRaw(listener.port);
      connection.send(`${framed('POST', 'Transfer-Encoding: chunked')}3e8\r\n${'x'.repeat(1_000)}\r\n`);
      await upstream.hears('x'.repeat(1_000));
      connection.send('1\r\nx\r\n');

      expect((await connection.answer()).status).toBe(400);
      await connection.ended();
      await upstream.quiet();
      expect(upstream.heard[0]).not.toContain('0\r\n\r\n');
    });

    it('tells of a broken chunk, and lets go of the upstream', async () => {
      await start({}, { script: () => undefined });
      const connection = await connectRaw(listener.port);
      connection.send(`${framed('POST', 'Transfer-Encoding: chunked')}1\r\nx\r\n`);
      await upstream.hears('\r\nx\r\n');
      connection.send('nonsense\r\n');

      expect((await connection.answer()).status).toBe(400);
      await connection.ended();
      await upstream.quiet();
    });

    it('lets the upstream answer before it has read the whole body', async () => {
      await start(
        {},
        {
          script: onHead((socket) =>
            socket.write('HTTP/1.1 422 Unprocessable\r\nContent-Length: 2\r\n\r\nno'),
          ),
        },
      );
      const connection = await connectRaw(listener.port);
      connection.send(`${framed('POST', 'Content-Length: 10')}xxxxx`);
      expect((await connection.answer()).status).toBe(422);
      connection.send(`xxxxx${request('OPTIONS', '/legacy/orders')}`);

      expect((await connection.answer()).status).toBe(204);
      connection.close();
    });

    it('says that there is none, for methods that may have one', async () => {
      await start();

      expect((await askRaw(listener.port, request('DELETE', '/legacy/orders/7'))).status).toBe(200);
      expect(upstream.heard[0]).toContain('\r\ncontent-length: 0\r\n');
    });
  });

  describe('to an upstream that redirects', () => {
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
});
