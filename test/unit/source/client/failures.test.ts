import type { Socket } from 'node:net';
import { freePort } from '../../../support/process/free-port.ts';
import { type ScriptedUpstream, onHead, startUpstream } from '../../../support/upstream/scripted-upstream.ts';
import { closeAll, openUpstream } from './open-upstream.ts';

let server: ScriptedUpstream | undefined;
afterEach(() => closeAll(server));

/** A client of an upstream that does this once it has heard a request. */
async function against(act: (socket: Socket) => void, net = {}) {
  server = await startUpstream(onHead(act));
  return openUpstream(server.origin, net);
}

/** Writes, and goes on once the bytes are on their way. */
const then = (socket: Socket, text: string, next: () => void) => socket.write(text, next);

describe('an upstream that cannot be reached', () => {
  it.each(['127.0.0.1', 'localhost'])('and refuses on %s is upstream_unavailable', async (host) => {
    const { failure, outcomes } = openUpstream(`http://${host}:${await freePort()}`);
    const error = await failure();
    expect([error.code, error.detail]).toEqual([
      'upstream_unavailable',
      expect.stringContaining('ECONNREFUSED'),
    ]);
    expect(error.retryAfterSeconds).toBeGreaterThan(0);
    expect(outcomes).toEqual(['upstream_unavailable']);
  });
});

describe('an upstream that does not finish in time', () => {
  const head = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n';

  it.each<[string, (socket: Socket) => void]>([
    ['hangs before its answer', () => undefined],
    ['hangs in its headers', (socket) => void socket.write('HTTP/1.1 200 OK\r\nX-A: ')],
    ['hangs in its body', (socket) => void socket.write(`${head}Content-Length: 10\r\n\r\n[1`)],
    ['hangs in a chunk', (socket) => void socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n5\r\n[1`)],
    [
      'drips its body',
      (socket) => {
        socket.write(`${head}Content-Length: 100000\r\n\r\n`);
        const drip = setInterval(() => socket.write(' '), 5);
        socket.on('close', () => clearInterval(drip));
      },
    ],
  ])('and %s is upstream_timeout at net.timeout, and hung up on', async (_name, act) => {
    const { failure, outcomes } = await against(act, { timeout: '500ms' });
    const start = performance.now();
    expect((await failure()).code).toBe('upstream_timeout');
    expect(performance.now() - start).toBeGreaterThanOrEqual(490);
    expect(await server!.disconnected()).toBe(1);
    expect(outcomes).toEqual(['upstream_timeout']);
  });
});

describe('an answer that breaks off', () => {
  const head = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n';

  it.each<[string, (socket: Socket) => void]>([
    ['before it began, politely', (socket) => void socket.end()],
    ['before it began, with a reset', (socket) => void socket.resetAndDestroy()],
    ['in its headers', (socket) => void socket.end('HTTP/1.1 200 OK\r\nContent-')],
    [
      'in a body of known length',
      (socket) => void socket.end(`${head}Content-Length: 9\r\n\r\n{"a":[1]}`.slice(0, -4)),
    ],
    [
      'in a body of known length that reads as JSON',
      (socket) => void socket.end(`${head}Content-Length: 9\r\n\r\n[]`),
    ],
    [
      'in a body of known length, with a reset',
      (socket) => then(socket, `${head}Content-Length: 9\r\n\r\n[]`, () => socket.resetAndDestroy()),
    ],
    [
      'between two chunks',
      (socket) => void socket.end(`${head}Transfer-Encoding: chunked\r\n\r\n2\r\n[]\r\n`),
    ],
    [
      'between two chunks, with a reset',
      (socket) =>
        then(socket, `${head}Transfer-Encoding: chunked\r\n\r\n2\r\n[]\r\n`, () => socket.resetAndDestroy()),
    ],
    ['in a chunk', (socket) => void socket.end(`${head}Transfer-Encoding: chunked\r\n\r\n9\r\n[]`)],
  ])('%s is upstream_error, never a body', async (_name, act) => {
    const { failure, outcomes } = await against(act);
    expect((await failure()).code).toBe('upstream_error');
    expect(server!.received).toHaveLength(1);
    expect(outcomes).toEqual(['upstream_error']);
  });
});

describe('an answer that is not HTTP', () => {
  const ok = 'HTTP/1.1 200 OK\r\n';

  it.each<[string, string]>([
    ['garbage', '\u0000\u0001\u0002 nonsense\r\n\r\n'],
    ['another protocol', 'SSH-2.0-OpenSSH_9.6\r\n'],
    ['two lengths', `${ok}Content-Length: 2\r\nContent-Length: 3\r\n\r\n[]`],
    [
      'a length and chunks',
      `${ok}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n[]\r\n0\r\n\r\n`,
    ],
    ['a length that is none', `${ok}Content-Length: two\r\n\r\n[]`],
    ['a chunk size that is none', `${ok}Transfer-Encoding: chunked\r\n\r\nzz\r\n[]\r\n0\r\n\r\n`],
    ['a header with a NUL', `${ok}X-A: \u0000\r\nContent-Length: 2\r\n\r\n[]`],
    ['a megabyte of headers', `${ok}X-A: ${'a'.repeat(1024 ** 2)}\r\nContent-Length: 2\r\n\r\n[]`],
  ])('but %s is upstream_error, and its connection is not used again', async (_name, bytes) => {
    const { failure } = await against((socket) => void socket.write(bytes, 'latin1'), { timeout: '60s' });
    expect((await failure()).code).toBe('upstream_error');
    expect(await server!.disconnected()).toBe(1);
  });

  it('and is longer than its Content-Length is cut to that length', async () => {
    const { get } = await against(
      (socket) =>
        void socket.write(`${ok}Content-Length: 2\r\n\r\n[]HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil`),
    );
    expect((await get()).body.toString()).toBe('[]');
    expect((await get()).body.toString()).toBe('[]');
    expect(server!.received).toHaveLength(2);
  });
});
