import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { onHead, type Script } from '../../support/upstream/scripted-upstream.ts';
import { OK, usePassthrough } from '../../support/gateway/passthrough-route.ts';
import { request } from '../../support/client/raw-client.ts';
import { endAfterTest } from '../../support/jest/lifetime.ts';

const CHUNK = Buffer.alloc(64 * 1024, 'portico ');
const MANY = 1_000;
/** Far below what is sent, and far above what streams hold by themselves. */
const HELD_BYTES_MAX = 1024 ** 2;

/** Writes `CHUNK` so many times, as fast as it is taken; tells of every step. */
function pour(socket: Socket, count: number, onStep: () => void = () => undefined): Promise<void> {
  return new Promise((resolve) => {
    let left = count;
    const step = () => {
      while (left > 0) {
        left -= 1;
        const more = socket.write(CHUNK);
        onStep();
        if (!more) return;
      }
      socket.off('drain', step);
      resolve();
    };
    socket.on('drain', step);
    socket.once('close', resolve);
    step();
  });
}

describe('a pass-through route between a fast and a slow side', () => {
  const route = usePassthrough();
  const get = request('GET', '/legacy/orders');

  /** The most that the gateway ever held of what one side sent and the other had not taken. */
  function watchHeld() {
    const exchanges: (readonly [IncomingMessage, ServerResponse])[] = [];
    route.listener.server.on('request', (req, res) => exchanges.push([req, res]));
    let most = 0;
    return {
      look: () => {
        for (const [req, res] of exchanges) {
          const toClient = res.writableLength + (res.socket?.writableLength ?? 0);
          most = Math.max(most, toClient, req.readableLength);
        }
      },
      get most() {
        return most;
      },
    };
  }

  it.each([
    ['a length', `Content-Length: ${MANY * CHUNK.length}\r\n`],
    ['no length', ''],
  ])(
    'holds little of an answer with %s that nobody reads, and cuts it at the deadline',
    async (_name, line) => {
      let look: () => void = () => undefined;
      const script = onHead((socket) => {
        socket.write(`HTTP/1.1 200 OK\r\n${line}\r\n`);
        void pour(socket, MANY, () => look());
      });
      await route.start({ deadline: 800 }, { script });
      const held = watchHeld();
      ({ look } = held);
      const connection = await route.connect();
      connection.socket.pause();
      connection.send(request('GET', '/legacy/orders', ['Connection: close']));

      await route.listener.line(({ operation }) => operation === 'passthrough.orders');
      await route.upstream.disconnected();
      expect(held.most).toBeLessThan(HELD_BYTES_MAX);
      connection.socket.resume();
      const { how, rest } = await connection.ended();
      // On a machine that is very busy, the deadline may be spent before the answer begins.
      expect(how === 'reset' || rest.includes(' 504 ')).toBe(true);
    },
  );

  it.each([
    ['a length', `Content-Length: ${MANY * CHUNK.length}`],
    ['chunks', 'Transfer-Encoding: chunked'],
  ])(
    'holds little of a request with %s that nobody reads, and answers at the deadline',
    async (_name, line) => {
      const unread = new Set<Socket>();
      const script = onHead((socket) => unread.add(socket.pause()));
      await route.start({ deadline: 400, bodyMax: MANY * CHUNK.length }, { script });
      const held = watchHeld();
      const connection = await route.connect();
      connection.send(request('POST', '/legacy/orders', [line]));
      if (line.startsWith('T')) connection.send(`${(MANY * CHUNK.length).toString(16)}\r\n`);
      void pour(connection.socket, MANY, held.look);

      const answer = await connection.answer();
      // On a machine that is very busy, the upstream may not have had its fill by then.
      expect([400, 504]).toContain(answer.status);
      expect(answer.headers['connection']).toBe('close');
      expect(held.most).toBeLessThan(HELD_BYTES_MAX);
      // No reset, which could overtake the answer.
      expect(await connection.ended()).toMatchObject({ how: 'closed' });
      // A socket that is not read does not notice its end either.
      for (const socket of unread) socket.resume();
      await route.upstream.disconnected();
    },
  );

  it.each([
    ['HTTP/1.1', 'a length'],
    ['HTTP/1.1', 'chunks'],
    ['HTTP/1.0', 'chunks'],
  ])('passes all of an answer on to a slow reader of %s, with %s', async (version, framing) => {
    const body = Buffer.alloc(4 * 1024 ** 2, 'portico');
    const script = onHead((socket) => {
      const isLong = framing === 'a length';
      socket.write(
        `HTTP/1.1 200 OK\r\n${isLong ? `Content-Length: ${body.length}` : 'Transfer-Encoding: chunked'}\r\n\r\n`,
      );
      if (!isLong) socket.write(`${body.length.toString(16)}\r\n`);
      socket.write(body);
      if (!isLong) socket.write('\r\n0\r\n\r\n');
    });
    await route.start({ deadline: 20_000 }, { script });
    const connection = endAfterTest(await route.connect());
    connection.socket.on('data', () => {
      connection.socket.pause();
      setImmediate(() => connection.socket.resume());
    });
    connection.send(get.replace('HTTP/1.1', version));

    const digest = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
    expect(digest((await connection.answer()).body)).toBe(digest(body));
  });

  it('passes all of a request on to a slow reader, and keeps one connection for large answers', async () => {
    const size = 2 * 1024 ** 2;
    const script: Script = (socket, heard) => {
      socket.pause();
      setImmediate(() => socket.resume());
      if (heard.endsWith('end')) socket.write(OK);
    };
    await route.start({ bodyMax: size, deadline: 20_000 }, { script });

    const bytes = Buffer.concat([
      Buffer.from(request('POST', '/legacy/orders', [`Content-Length: ${size}`])),
      Buffer.alloc(size - 3, 'x'),
      Buffer.from('end'),
    ]);
    expect((await route.ask(bytes)).status).toBe(200);
    expect(route.upstream.received[0]?.slice(-size)).toBe(`${'x'.repeat(size - 3)}end`);
  });

  it('asks again on the same connection after an answer of many pieces', async () => {
    const script: Script = (socket) => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${16 * CHUNK.length}\r\n\r\n`);
      void pour(socket, 16);
    };
    await route.start({}, { script });

    for (let i = 0; i < 3; i += 1) expect((await route.ask(get)).body).toHaveLength(16 * CHUNK.length);
    expect(route.upstream.received).toHaveLength(1);
  });
});
