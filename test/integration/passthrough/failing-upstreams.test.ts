import { Secret } from '../../../src/kernel/secret.ts';
import { freePort } from '../../support/process/free-port.ts';
import { answering, onHead, type Script } from '../../support/upstream/scripted-upstream.ts';
import { type RouteChanges, usePassthrough } from '../../support/gateway/passthrough-route.ts';
import { type RawAnswer, request } from '../../support/client/raw-client.ts';

describe('a pass-through route to an upstream that fails', () => {
  const route = usePassthrough();

  const start = (script: Script, changes: RouteChanges = {}) => route.start(changes, { script });
  const ask = () => route.ask(request('GET', '/legacy/orders'));

  async function expectError(answer: RawAnswer, status: number, code: string) {
    expect(answer.status).toBe(status);
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(JSON.parse(answer.body.toString())).toMatchObject({
      error: { code, request_id: answer.headers['x-request-id'] },
    });
    await route.listener.line((line) => line.code === code && line.level === 50);
  }

  it('is 503 upstream_unavailable when connections are refused', async () => {
    await start(() => undefined, { upstream: `http://127.0.0.1:${await freePort()}` });

    await expectError(await ask(), 503, 'upstream_unavailable');
  });

  it.each<[string, Script]>([
    ['closes without an answer', onHead((socket) => socket.end())],
    ['resets', onHead((socket) => socket.resetAndDestroy())],
    ['answers garbage', onHead((socket) => socket.end('garbage\r\n\r\n'))],
    [
      'answers with two lengths',
      onHead((socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab')),
    ],
    [
      'answers with a head of 1 MB',
      onHead((socket) => socket.end(`HTTP/1.1 200 OK\r\nX: ${'x'.repeat(1_000_000)}\r\n\r\n`)),
    ],
    [
      'switches protocols unasked',
      onHead((socket) => socket.write('HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n')),
    ],
    ['dies within its head', onHead((socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Le'))],
    [
      'answers with a status that is none',
      onHead((socket) => socket.end('HTTP/1.1 000 What\r\nContent-Length: 0\r\n\r\n')),
    ],
  ])('is 502 upstream_error when it %s', async (_name, script) => {
    await start(script);

    await expectError(await ask(), 502, 'upstream_error');
  });

  it('answers 504 upstream_timeout once the deadline is spent, and aborts the upstream call', async () => {
    await start(() => undefined, { deadline: 50 });

    await expectError(await ask(), 504, 'upstream_timeout');
    await route.upstream.disconnected();
  });

  it('cuts an answer that drips at the deadline', async () => {
    let drip: NodeJS.Timeout | undefined;
    const script = onHead((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n');
      drip = setInterval(() => socket.write('x'), 5);
    });
    await start(script, { deadline: 1_000 });
    const connection = await route.connect();
    connection.send(request('GET', '/legacy/orders'));

    expect(await connection.ended()).toMatchObject({ how: 'reset' });
    await route.upstream.disconnected();
    clearInterval(drip);
  });

  it.each<[string, Script, string]>([
    ['a length', onHead((socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf')), '1.1'],
    [
      'chunks',
      onHead((socket) => socket.end('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n')),
      '1.1',
    ],
    [
      'chunks, for a client of HTTP/1.0',
      onHead((socket) => socket.end('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n')),
      '1.0',
    ],
    [
      'a broken chunk',
      onHead((socket) =>
        socket.end('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\nnonsense\r\n'),
      ),
      '1.1',
    ],
    [
      'a reset after a length',
      onHead((socket) =>
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf', () =>
          setImmediate(() => socket.resetAndDestroy()),
        ),
      ),
      '1.1',
    ],
  ])('never makes a truncated answer look complete: %s', async (_name, script, version) => {
    await start(script);
    const connection = await route.connect();
    connection.send(request('GET', '/legacy/orders').replace('HTTP/1.1', `HTTP/${version}`));

    const { how, rest } = await connection.ended();
    expect(how).toBe('reset');
    expect(rest.toString()).not.toMatch(/\r\n0\r\n\r\n$|error/);
  });

  it('aborts the upstream call of a client that has gone, before an answer and within one', async () => {
    for (const said of ['', 'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf']) {
      await start(onHead((socket) => socket.write(said)));
      const connection = await route.connect();
      connection.send(request('GET', '/legacy/orders'));
      await route.upstream.receives('\r\n\r\n');
      connection.close();

      expect(await route.upstream.disconnected()).toBe(1);
      await route.listener.line(({ aborted }) => aborted === true);
    }
  });

  it("calls a refused credential of the gateway's own the upstream's error", async () => {
    for (const status of [401, 403, 407]) {
      await start(
        answering(
          `HTTP/1.1 ${status} No`,
          'WWW-Authenticate: Basic realm="legacy"',
          'Content-Length: 2',
          '',
          'no',
        ),
        {
          headers: { 'X-Legacy-Key': new Secret('ours') },
        },
      );
      await expectError(await ask(), 502, 'upstream_error');
    }
  });

  it("calls 401 the upstream's error also where the route brings no credential, without the challenge", async () => {
    await start(
      answering('HTTP/1.1 401 No', 'WWW-Authenticate: Basic realm="legacy"', 'Content-Length: 2', '', 'no'),
    );

    const answer = await ask();
    await expectError(answer, 502, 'upstream_error');
    expect(answer.headers).not.toHaveProperty('www-authenticate');
  });

  it('retries when the upstream had closed the idle connection', async () => {
    const ok = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
    // The first connection answers once, and resets when it is asked again.
    const script: Script = (socket, heard, connection) => {
      const requests = heard.split('\r\n\r\n').length - 1;
      if (connection === 0 && requests > 1) socket.resetAndDestroy();
      else socket.write(ok);
    };
    await start(script);

    expect((await ask()).status).toBe(200);
    expect((await ask()).status).toBe(200);
    expect(route.upstream.received).toHaveLength(2);
  });

  it('never sends a body twice', async () => {
    await start((socket, heard, connection) => {
      if (connection === 0 && heard.includes('POST')) socket.resetAndDestroy();
      else socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
    });
    expect((await ask()).status).toBe(200);

    const answer = await route.ask(`${request('POST', '/legacy/orders', ['Content-Length: 1'])}x`);
    await expectError(answer, 502, 'upstream_error');
    expect(route.upstream.received).toHaveLength(1);
  });

  it('keeps one connection to the upstream for requests one after another', async () => {
    await start(answering('HTTP/1.1 200 OK', 'Content-Length: 2', '', 'ok'));

    for (let i = 0; i < 5; i += 1) expect((await ask()).status).toBe(200);
    expect(route.upstream.received).toHaveLength(1);
  });
});
