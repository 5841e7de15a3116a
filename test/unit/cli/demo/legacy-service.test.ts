import { once } from 'node:events';
import { connect } from 'node:net';
import { createLegacyService } from '../../../../src/cli/demo/legacy-service.ts';
import { ask } from './ask.ts';

const hello = { status: 200, headers: { 'Content-Type': 'text/plain' }, body: 'häl' };

describe('a sample service', () => {
  it('listens on a free port of 127.0.0.1 and tells the address', async () => {
    const service = createLegacyService(() => hello);
    const { url, port } = await service.listen();
    expect(url).toBe(`http://127.0.0.1:${port}`);
    expect((await ask(url)).headers.get('content-length')).toBe('4');
    await service.close();
  });

  it('rejects when the port is taken', async () => {
    const first = createLegacyService(() => hello);
    const second = createLegacyService(() => hello);
    const { port } = await first.listen();
    await expect(second.listen(port)).rejects.toMatchObject({ code: 'EADDRINUSE' });
    await first.close();
    await second.close();
  });

  it('counts every request', async () => {
    const service = createLegacyService(() => hello);
    const { url } = await service.listen();
    await Promise.all([ask(url), ask(url), ask(`${url}/x`)]);
    expect(service.requests).toBe(3);
    await service.close();
  });

  it('drops kept-alive connections when it closes', async () => {
    const service = createLegacyService(() => hello);
    const { port } = await service.listen();
    const socket = connect(port, '127.0.0.1');
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(socket, 'data');
    const gone = once(socket, 'close');
    await service.close();
    await gone;
  });

  it('drops requests that still wait when it closes', async () => {
    const service = createLegacyService(() => hello, 600_000);
    const { url } = await service.listen();
    const waiting = ask(url);
    waiting.catch(() => undefined);
    await once(service.server, 'request');
    await service.close();
    await expect(waiting).rejects.toThrow('fetch failed');
  });

  it('closes twice, and before it ever listened, without complaint', async () => {
    const service = createLegacyService(() => hello);
    await service.close();
    const listening = createLegacyService(() => hello);
    await listening.listen();
    await listening.close();
    await listening.close();
  });

  it('takes the given time for each answer', async () => {
    const service = createLegacyService(() => hello, 40);
    const { url } = await service.listen();
    const begun = performance.now();
    await ask(url);
    // Timers may fire a millisecond early.
    expect(performance.now() - begun).toBeGreaterThanOrEqual(39);
    await service.close();
  });

  it.each([
    ['throws', () => Promise.reject(new Error('secret detail'))],
    ['cannot be sent', () => ({ ...hello, headers: { 'X-Bad': 'line\nbreak' } })],
  ])('answers a bare 500 when the answer %s', async (_case, answer) => {
    const service = createLegacyService(answer);
    const { url } = await service.listen();
    const { status, bytes } = await ask(url);
    expect([status, bytes.toString()]).toEqual([500, 'Internal Server Error']);
    await service.close();
  });

  it('survives a client that leaves in the middle of its body', async () => {
    const bodies: Promise<number>[] = [];
    const service = createLegacyService(async ({ body }) => {
      const read = (async () => {
        let bytes = 0;
        for await (const chunk of body) bytes += chunk.length;
        return bytes;
      })();
      read.catch(() => undefined);
      bodies.push(read);
      await read;
      return hello;
    });
    const { url, port } = await service.listen();
    const socket = connect(port, '127.0.0.1');
    socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nhalf');
    await once(service.server, 'request');
    socket.destroy();
    await expect(bodies[0]).rejects.toThrow('aborted');
    expect((await ask(url)).status).toBe(200);
    await service.close();
  });

  it('takes any request target', async () => {
    const paths: string[] = [];
    const service = createLegacyService(({ path, params }) => {
      paths.push(`${path} ${params.get('a') ?? 'none'}`);
      return hello;
    });
    const { port } = await service.listen();
    for (const target of ['//', '/%zz?a=%zz', 'http://other/x?a=1&a=2', '/?']) {
      const socket = connect(port, '127.0.0.1');
      socket.write(`GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
      socket.resume();
      await once(socket, 'close');
    }
    expect(paths).toEqual(['// none', '/%zz %zz', 'http://other/x 1', '/ none']);
    await service.close();
  });
});
