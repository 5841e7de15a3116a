import { onHead } from '../../support/upstream/scripted-upstream.ts';
import { OK, usePassthrough } from '../../support/gateway/passthrough-route.ts';
import { request } from '../../support/client/raw-client.ts';
import { endAfterTest } from '../../support/jest/lifetime.ts';

describe('a pass-through route with a request body', () => {
  const route = usePassthrough();

  const framed = (method: string, ...lines: string[]) => request(method, '/legacy/orders', lines);
  const SMUGGLED = 'GET /internal/admin HTTP/1.1\r\nHost: x\r\n\r\n';

  it('passes a body of a known length on', async () => {
    await route.start({}, { script: (socket, heard) => heard.endsWith('hello') && socket.write(OK) });

    expect((await route.ask(`${framed('POST', 'Content-Length: 5')}hello`)).status).toBe(200);
    expect(route.upstream.received[0]).toContain('\r\ncontent-length: 5\r\n');
  });

  it.each(['DELETE', 'POST'])(
    'passes the chunks of a %s on as chunks, so that nothing in them is a second request',
    async (method) => {
      await route.start({}, { script: (socket, heard) => heard.endsWith('0\r\n\r\n') && socket.end(OK) });
      const chunk = `${SMUGGLED.length.toString(16)}\r\n${SMUGGLED}\r\n0\r\n\r\n`;

      const answer = await route.ask(framed(method, 'Transfer-Encoding: chunked') + chunk);

      expect(answer.status).toBe(200);
      const [head, ...rest] = (route.upstream.received[0] ?? '').split('\r\n\r\n');
      expect(head).toMatch(/\r\ntransfer-encoding: chunked/);
      expect(head).not.toMatch(/content-length/);
      expect(rest.join('\r\n\r\n')).toBe(chunk);
      expect(route.upstream.received).toHaveLength(1);
    },
  );

  it.each([
    ['GET', 'Content-Length: 5'],
    ['GET', 'Transfer-Encoding: chunked'],
    ['HEAD', 'Transfer-Encoding: chunked'],
    ['POST', 'Transfer-Encoding: gzip, chunked'],
    ['POST', 'Content-Length: 1001'],
  ])('refuses %s with %s before any upstream call', async (method, line) => {
    await route.start();

    const answer = await route.ask(framed(method, line));

    expect(answer.status).toBe(400);
    if (method !== 'HEAD')
      expect(JSON.parse(answer.body.toString())).toMatchObject({ error: { code: 'bad_request' } });
    expect(route.upstream.received).toEqual([]);
  });

  it('ends both sides when chunks grow beyond bodyMax', async () => {
    await route.start({}, { script: () => undefined });
    const connection = await route.connect();
    connection.send(`${framed('POST', 'Transfer-Encoding: chunked')}3e8\r\n${'x'.repeat(1_000)}\r\n`);
    await route.upstream.receives('x'.repeat(1_000));
    connection.send('1\r\nx\r\n');

    expect((await connection.answer()).status).toBe(400);
    await connection.ended();
    await route.upstream.disconnected();
    expect(route.upstream.received[0]).not.toContain('0\r\n\r\n');
  });

  it('answers 400 to a broken chunk, and aborts the upstream call', async () => {
    await route.start({}, { script: () => undefined });
    const connection = await route.connect();
    connection.send(`${framed('POST', 'Transfer-Encoding: chunked')}1\r\nx\r\n`);
    await route.upstream.receives('\r\nx\r\n');
    connection.send('nonsense\r\n');

    expect((await connection.answer()).status).toBe(400);
    await connection.ended();
    await route.upstream.disconnected();
  });

  it('lets the upstream answer before it has read the whole body', async () => {
    await route.start(
      {},
      {
        script: onHead((socket) => socket.write('HTTP/1.1 422 Unprocessable\r\nContent-Length: 2\r\n\r\nno')),
      },
    );
    const connection = endAfterTest(await route.connect());
    connection.send(`${framed('POST', 'Content-Length: 10')}xxxxx`);
    expect((await connection.answer()).status).toBe(422);
    connection.send(`xxxxx${request('OPTIONS', '/legacy/orders')}`);

    expect((await connection.answer()).status).toBe(204);
  });

  it('sends Content-Length: 0 for methods that may have a body', async () => {
    await route.start();

    expect((await route.ask(request('DELETE', '/legacy/orders/7'))).status).toBe(200);
    expect(route.upstream.received[0]).toContain('\r\ncontent-length: 0\r\n');
  });
});
