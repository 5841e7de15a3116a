import { brotliDecompressSync } from 'node:zlib';
import { askRaw, request } from '../../support/client/raw-client.ts';
import { startStack } from '../../support/gateway/stack.ts';
import { decision } from './decisions.ts';
import { endAfterTest, startForAll } from '../../support/jest/lifetime.ts';

const YEAR = 'public, max-age=31536000, immutable';
const CODED = 'Accept-Encoding: br';

const stack = startForAll(startStack);

const ask = (path: string, headers: readonly string[] = [], { port } = stack, method = 'GET') =>
  askRaw(port, request(method, path, headers));

/** What a page loads: the addresses of its scripts and styles, as paths. */
function loadedBy(html: string, page: string): readonly string[] {
  const found = [...html.matchAll(/(?:<script[^>]* src|<link rel="stylesheet" href)="([^"]+)"/g)];
  return found.map(([, address = '']) => {
    const { pathname, search } = new URL(address, `http://gateway.test${page}`);
    return pathname + search;
  });
}

describe(decision('/docs'), () => {
  it('the page is HTML for everyone, with a policy that lets it run files of this gateway alone', async () => {
    const { status, headers, body } = await ask('/docs');
    expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(headers['content-security-policy']).toMatch(
      /^default-src 'none'; script-src 'self'; style-src 'self';/,
    );
    expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
    expect(headers['x-request-id']).toMatch(/^req_/);
    for (const word of [
      'rate_limit_exceeded',
      'RateLimit-Policy',
      'users:read',
      'v1/openapi.json',
      '/v1/users/{id}',
    ])
      expect(body.toString()).toContain(word);
  });

  it.each(['/docs', '/docs/'])('%s loads two files, which browsers keep for a year', async (page) => {
    const html = (await ask(page)).body.toString();
    const paths = loadedBy(html, page);
    expect(paths.map((path) => path.replace(/\?.*/, '')).sort()).toEqual(['/docs/page.css', '/docs/page.js']);
    for (const path of paths) {
      const { status, headers } = await ask(path);
      expect([status, headers['cache-control']]).toEqual([200, YEAR]);
      expect((await ask(path, [`If-None-Match: ${headers.etag ?? ''}`])).status).toBe(304);
    }
  });

  it('a file that is asked for by another hash is not kept: another version of the gateway may have sent the page', async () => {
    expect((await ask('/docs/page.js?v=of-another')).headers['cache-control']).toBe('public, no-cache');
  });

  it('is compressed once, and sent compressed from then on', async () => {
    const plain = await ask('/docs');
    for (;;) {
      const coded = await ask('/docs', [CODED]);
      if (coded.headers['content-encoding'] === undefined) continue;
      expect(coded.body.length).toBeLessThan(plain.body.length / 3);
      expect(brotliDecompressSync(coded.body).equals(plain.body)).toBe(true);
      return;
    }
  });

  it.each(['/docs/nothing', '/docs/../package.json', '/docs/page.js/', '/DOCS', '/docs/static/page.js'])(
    '%s is no part of it',
    async (path) => {
      const expected = path === '/docs/page.js/' ? 200 : 404;
      expect((await ask(path)).status).toBe(expected);
    },
  );

  it('takes GET, HEAD and OPTIONS alone', async () => {
    const post = await ask('/docs', [], stack, 'POST');
    expect([post.status, post.headers.allow]).toEqual([405, 'GET, HEAD, OPTIONS']);
    const head = await ask('/docs', [], stack, 'HEAD');
    expect([head.status, head.body.length]).toEqual([200, 0]);
  });

  it('is not there with docs: false', async () => {
    const off = endAfterTest(await startStack({ configure: (config) => void (config.docs = false) }));
    expect((await ask('/docs', [], off)).status).toBe(404);
    expect((await ask('/docs/page.js', [], off)).status).toBe(404);
  });

  it('leaves its path, and all below, to a pass-through route', async () => {
    const other = endAfterTest(
      await startStack({
        configure({ passthrough: [orders] }) {
          Object.assign(orders!, { path: '/docs', permission: null });
        },
      }),
    );
    for (const path of ['/docs', '/docs/page.js']) {
      const { headers } = await ask(path, [], other);
      expect(headers['content-type']).not.toMatch(/html|javascript/);
    }
    expect(await other.metrics()).not.toContain('operation="docs"');
  });
});
