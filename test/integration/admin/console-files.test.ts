import { startConsole, VIEWER } from '../../support/client/console-gateway.ts';
import { startForAll } from '../../support/jest/lifetime.ts';

const gateway = startForAll(() => startConsole({ hasTokens: true }));
const viewer = startForAll(() => gateway.signIn(VIEWER));

describe('the files of the console', () => {
  it.each([
    '/console/%2e%2e/package.json',
    '/console/%2e%2e%2f%2e%2e%2fpackage.json',
    '/console/../../package.json',
    '/console/..%2f..%2fpackage.json',
    '/console/..\\..\\package.json',
    '/console/..%5c..%5cpackage.json',
    '/console//index.html',
    '/console/./index.html',
    '/console/index.html%00',
    '/console/index.html/',
    '/console/%69ndex.html',
    '/console/main.ts',
    '/console/tsconfig.json',
    '/console/vendor/',
    '/console/vendor/../../../package.json',
    '/console/constructor',
    '/console/__proto__',
    '/console//etc/passwd',
    '/console/C:/windows/win.ini',
    '/console/index.html;.js',
  ])('are those of a list: %s is none', async (path) => {
    const { status, text } = await gateway.send('GET', path);
    expect([status, text]).toEqual([404, expect.stringContaining('"not_found"')]);
  });

  it.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'])(
    'are not answered to %s',
    async (method) => {
      const { status } = await gateway.send(method, '/console/');
      expect([401, 403, 404, 405]).toContain(status);
    },
  );

  it('are shown in no frame, run no script but theirs, and load nothing from others', async () => {
    for (const path of ['/console/', '/console/main.js', '/console/app.css']) {
      const { status, headers } = await gateway.send('GET', path);
      expect([path, status, headers['x-frame-options']]).toEqual([path, 200, 'DENY']);
      const policy = String(headers['content-security-policy']);
      for (const part of [
        "default-src 'none'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
        "connect-src 'self'",
      ])
        expect(policy).toContain(part);
      expect(policy).not.toMatch(/unsafe|\*|https?:|data:/);
      expect(headers).toMatchObject({
        ...{ 'referrer-policy': 'no-referrer', 'cross-origin-opener-policy': 'same-origin' },
        ...{ 'cross-origin-resource-policy': 'same-origin', 'x-content-type-options': 'nosniff' },
      });
    }
    const { text, headers } = await gateway.send('GET', '/console/');
    expect([...text.matchAll(/<script[^>]*>/g)]).toHaveLength(1);
    expect(String(headers['content-security-policy'])).toContain("script-src 'self';");
    const api = await gateway.send('GET', '/api/config', viewer);
    expect(api.headers).toMatchObject({ 'x-frame-options': 'DENY', 'x-content-type-options': 'nosniff' });
  });

  it('are sent once: compressed, and again only if they are others', async () => {
    const first = await gateway.send('GET', '/console/main.js', { 'accept-encoding': 'br, gzip' });
    expect(first.headers).toMatchObject({ 'content-encoding': 'br', vary: 'Accept-Encoding' });
    const etag = String(first.headers.etag);
    const again = { 'accept-encoding': 'br, gzip', 'if-none-match': etag };
    expect(await gateway.send('GET', '/console/main.js', again)).toMatchObject({ status: 304, text: '' });
    const plain = await gateway.send('GET', '/console/main.js', { 'if-none-match': etag });
    expect([plain.status, plain.headers['content-encoding'], plain.text]).toEqual([
      200,
      undefined,
      expect.any(String),
    ]);
    expect(plain.text).not.toMatch(/\.ts['"]/);
    expect(await gateway.send('HEAD', '/console/', {})).toMatchObject({ status: 200, text: '' });
  });

  it('are found from the root by people, with an address that fits below any path', async () => {
    for (const path of ['/', '/console'])
      expect((await gateway.send('GET', path, { accept: 'text/html,*/*' })).headers.location).toBe(
        'console/',
      );
    expect((await gateway.send('GET', '/', { accept: '*/*' })).status).toBe(401);
  });
});
