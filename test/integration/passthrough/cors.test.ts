import { fault } from '../../../src/kernel/errors/fault.ts';
import { answering } from '../../support/upstream/scripted-upstream.ts';
import { usePassthrough } from '../../support/gateway/passthrough-route.ts';
import { request } from '../../support/client/raw-client.ts';

const APP = 'https://app.example.test';
const cors = { origins: [APP], maxAge: 600 };

describe('a pass-through route, asked by a browser of another origin', () => {
  const route = usePassthrough();
  const ask = (method: string, origin = APP) =>
    route.ask(request(method, '/legacy/orders', [`Origin: ${origin}`, 'Content-Length: 0']));

  it('lets the browser read the answer to each method that its preflight allows', async () => {
    await route.start({}, { cors });

    const preflight = await ask('OPTIONS');
    expect(preflight.headers['access-control-allow-origin']).toBe(APP);
    const methods = (preflight.headers['access-control-allow-methods'] ?? '').split(', ');
    expect(methods).toEqual(['GET', 'HEAD', 'POST', 'DELETE']);
    for (const method of methods) {
      const { status, headers } = await ask(method);
      expect([method, status, headers['access-control-allow-origin'], headers.vary]).toEqual([
        ...[method, 200, APP],
        'Authorization, X-API-Key, Origin',
      ]);
      expect(headers['access-control-expose-headers']).toBe('*');
    }
  });

  it('lets it read errors, too', async () => {
    await route.start({}, { cors, admit: () => Promise.reject(fault('insufficient_permissions')) });

    const { status, headers } = await ask('POST');
    expect(status).toBe(403);
    expect(headers['access-control-allow-origin']).toBe(APP);
  });

  it('says that the answer varies on Origin, and nothing more, to an origin that is not configured', async () => {
    const script = answering(
      'HTTP/1.1 200 OK',
      'Vary: Accept',
      'Access-Control-Allow-Origin: *',
      'Content-Length: 0',
      '',
      '',
    );
    await route.start({}, { cors, script });

    const { headers } = await ask('POST', 'https://evil.example.test');
    expect(headers.vary).toBe('Accept, Authorization, X-API-Key, Origin');
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
    expect((await ask('OPTIONS', 'https://evil.example.test')).headers).not.toHaveProperty(
      'access-control-allow-methods',
    );
  });

  it('has no CORS headers where CORS is not configured', async () => {
    await route.start();

    for (const method of ['OPTIONS', 'POST']) {
      const { headers } = await ask(method);
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
    }
  });
});
