import compression from 'compression';
import cors from 'cors';
import express5, { type Express, type Request, type Response } from 'express';
import express4 from 'express4';
import helmet from 'helmet';
import { AUTHORIZED, createHosted, hostedConfig, keepLog, serveHost } from '../../support/gateway/hosted.ts';
import { answering, startUpstream } from '../../support/upstream/scripted-upstream.ts';
import { endAfterTest } from '../../support/jest/lifetime.ts';

const hosts: readonly [string, typeof express5][] = [
  ['Express 5', express5],
  ['Express 4', express4],
];

/** Mounts a gateway in an application, with what stands before it; the result is the address of the application. */
async function mount(
  app: Express,
  portico: Awaited<ReturnType<typeof createHosted>>,
  path = '/',
): Promise<string> {
  app.use(path, portico.handler);
  app.use((req: Request, res: Response) => void res.status(404).send(`host: ${req.url}`));
  return serveHost(app);
}

const post = {
  method: 'POST',
  body: '{"item":1}',
  headers: { ...AUTHORIZED, 'content-type': 'application/json' },
};

describe.each(hosts)('a gateway in %s', (_name, express) => {
  it.each([
    ['/v1/users?limit=1', 'GET', 200],
    ['/v1/nothing', 'GET', 404],
    ['/v1/users', 'DELETE', 405],
    ['/v1', 'GET', 404],
    ['/legacy/orders', 'GET', 200],
    ['/legacy/orders', 'DELETE', 405],
    ['/v1/users', 'OPTIONS', 204],
  ])('answers %s by %s itself', async (path, method, status) => {
    const base = await mount(express(), await createHosted());
    const answer = await fetch(base + path, { method, headers: AUTHORIZED });
    expect(answer.status).toBe(status);
    expect(answer.headers.get('x-request-id')).toMatch(/^req_/);
  });

  it.each(['/', '/v10/users', '/docs', '/V1/users', '/%761/users', '//v1/users', '/legacy'])(
    'leaves %s to the host, with nothing set',
    async (path) => {
      const app = express();
      const seen: unknown[] = [];
      const look = (req: Request, res: Response) => [
        Object.keys(req),
        Object.keys(res),
        res.getHeaderNames(),
      ];
      const note = (req: Request, res: Response) => void seen.push(look(req, res));
      app.use((req, res, next) => {
        note(req, res);
        next();
      });
      const portico = await createHosted();
      app.use(portico.handler);
      app.use((req, res, next) => {
        note(req, res);
        next();
      });
      const base = await mount(app, portico);
      expect(await (await fetch(base + path)).text()).toBe(`host: ${path}`);
      expect(seen[1]).toEqual(seen[0]);
    },
  );

  it('changes neither the prototypes nor the URL nor the headers of what it answers', async () => {
    const app = express();
    const look = (req: Request, res: Response) => ({
      prototypes: [Object.getPrototypeOf(req), Object.getPrototypeOf(res)],
      ...{ url: req.url, originalUrl: req.originalUrl, headers: { ...req.headers }, logger: req.log },
    });
    const seen: unknown[] = [];
    app.use((req, res, next) => {
      seen.push(look(req, res));
      res.once('finish', () => seen.push(look(req, res)));
      next();
    });
    const base = await mount(app, await createHosted());
    for (const path of ['/v1/users', '/legacy/orders']) {
      await (await fetch(base + path, { headers: AUTHORIZED })).text();
      expect(seen[1]).toEqual(seen[0]);
      seen.length = 0;
    }
  });

  it('keeps the path below which it is mounted in OpenAPI, in the page of the API, and in Location', async () => {
    const moved = 'HTTP/1.1 303 See Other\r\nLocation: /orders/7\r\nContent-Length: 0\r\n\r\n';
    const upstream = endAfterTest(await startUpstream(answering(moved)));
    const orders = { name: 'orders', path: '/orders', upstream: upstream.origin, methods: ['GET', 'POST'] };
    const config = hostedConfig({ passthrough: [{ ...orders, permission: 'orders:read' }] });
    const base = await mount(express(), await createHosted({ config, docs: true }), '/a/b');
    const { servers } = (await (await fetch(`${base}/a/b/v1/openapi.json`)).json()) as {
      servers: { url: string }[];
    };
    expect(servers[0]?.url).toBe('/a/b');
    const page = await (await fetch(`${base}/a/b/docs`)).text();
    const [, script = ''] = /src="([^"]*page\.js[^"]*)"/.exec(page) ?? [];
    expect((await fetch(new URL(script, `${base}/a/b/docs`))).status).toBe(200);
    const answer = await fetch(`${base}/a/b/orders`, { ...post, redirect: 'manual' });
    expect(answer.headers.get('location')).toBe('/a/b/orders/7');
  });

  it('passes the body of a POST on if it stands before the parsers of the host', async () => {
    const portico = await createHosted();
    const base = await mount(express(), portico);
    expect((await fetch(`${base}/legacy/orders`, post)).status).toBe(201);
  });

  it('answers 500 if a parser has read that body, and its log names the cure; reads go on', async () => {
    const { logger, lines } = keepLog();
    const app = express();
    app.use(express.json());
    const base = await mount(app, await createHosted({ logger }));
    expect((await fetch(`${base}/legacy/orders`, post)).status).toBe(500);
    expect(lines.at(-1)).toMatchObject({
      level: 'error',
      detail: expect.stringContaining('before express.json()'),
    });
    expect((await fetch(`${base}/v1/users`, { headers: AUTHORIZED })).status).toBe(200);
  });

  it('keeps the headers that cors and helmet have set, and what they say in Vary', async () => {
    const app = express();
    app.use(cors({ origin: 'https://app.example' }), helmet());
    const base = await mount(app, await createHosted());
    const { headers } = await fetch(`${base}/v1/users`, { headers: AUTHORIZED });
    expect(headers.get('access-control-allow-origin')).toBe('https://app.example');
    expect(headers.get('strict-transport-security')).toContain('max-age');
    expect(headers.get('vary')).toBe('Authorization, X-API-Key, Accept-Encoding, Origin');
    expect(headers.get('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'none'");
  });

  it('replaces a header that the host has set, with every line that the upstream has of it', async () => {
    const lines = 'X-Part: one\r\nx-part: two\r\nContent-Length: 0\r\n\r\n';
    const upstream = endAfterTest(await startUpstream(answering(`HTTP/1.1 200 OK\r\n${lines}`)));
    const app = express();
    app.use((_req, res, next) => {
      res.set({ 'x-part': 'of the host', 'x-host': 'kept' });
      next();
    });
    const base = await mount(app, await createHosted({}, upstream.origin));
    const { headers } = await fetch(`${base}/legacy/orders`, { headers: AUTHORIZED });
    expect(headers.get('x-part')).toBe('one, two');
    expect(headers.get('x-host')).toBe('kept');
  });

  it.each(['auto', 'off'])(
    'lets compression code no answer that has a tag, with cache.compression: %s',
    async (compressed) => {
      const app = express();
      app.use(compression({ threshold: 0 }));
      const config = hostedConfig({ cache: { compression: compressed } });
      const base = await mount(app, await createHosted({ config }));
      const ask = (headers = {}) =>
        fetch(`${base}/v1/users?limit=40`, { headers: { ...AUTHORIZED, ...headers } });
      const plain = await ask({ 'accept-encoding': 'identity' });
      const text = await plain.text();
      for (let time = 0; time < 5; time += 1) {
        const answer = await ask({ 'accept-encoding': 'gzip' });
        // fetch has decoded one coding: what is left must be the body.
        expect(await answer.text()).toBe(text);
        const isCoded = answer.headers.get('content-encoding') === 'gzip';
        expect(answer.headers.get('etag') === plain.headers.get('etag')).toBe(!isCoded);
        const etag = answer.headers.get('etag') ?? '';
        const again = await ask({ 'accept-encoding': 'gzip', 'if-none-match': etag });
        expect([again.status, again.headers.get('etag')]).toEqual([304, etag]);
      }
    },
  );
});
