import { referenceContract } from '../../support/reference.ts';
import { eventually } from '../../support/time/eventually.ts';
import { once } from 'node:events';
import { echoOperations, startPublicListener } from '../../support/gateway/public-listener.ts';
import { connectRaw, HOST, request, requestOf } from '../../support/client/raw-client.ts';
import { endAfterTest, startForAll } from '../../support/jest/lifetime.ts';

const CRLF = '\r\n';

describe('a connection to the public listener', () => {
  const listener = startForAll(() => startPublicListener({ operations: echoOperations() }));

  it('answers a hundred pipelined requests in their order', async () => {
    const connection = endAfterTest(await connectRaw(listener.port));
    connection.send(Array.from({ length: 100 }, (_, i) => request('GET', `/v1/users?n=${i}`)).join(''));
    for (let i = 0; i < 100; i += 1) {
      const answer = await connection.answer();
      expect(JSON.parse(answer.body.toString())).toMatchObject({ rawQuery: `n=${i}` });
    }
  });

  it('answers the valid requests in front of garbage on a pipelined connection, and closes it', async () => {
    const connection = await connectRaw(listener.port);
    connection.send(
      `${request('GET', '/v1/users?n=1')}garbage${CRLF}${CRLF}${request('GET', '/v1/users?n=3')}`,
    );

    expect(JSON.parse((await connection.answer()).body.toString())).toMatchObject({ rawQuery: 'n=1' });
    expect(await connection.ended()).toEqual({ how: 'closed', rest: Buffer.alloc(0) });
  });

  it('sends nothing more on a connection whose request was answered before its body broke', async () => {
    const connection = await connectRaw(listener.port);
    connection.send(requestOf('POST /v1/users HTTP/1.1', HOST, 'Transfer-Encoding: chunked'));
    expect((await connection.answer()).status).toBe(405);
    connection.send(`zz${CRLF}`);

    expect((await connection.ended()).rest).toEqual(Buffer.alloc(0));
  });

  it('keeps the connection open after a small body that was not read', async () => {
    const connection = endAfterTest(await connectRaw(listener.port));
    connection.send(
      requestOf('POST /v1/users HTTP/1.1', HOST, 'Content-Length: 4') + 'GET ' + request('GET', '/v1/users'),
    );

    expect((await connection.answer()).status).toBe(405);
    expect((await connection.answer()).status).toBe(200);
  });

  it('closes the connection after a large body that was not read', async () => {
    const connection = await connectRaw(listener.port);
    connection.send(
      requestOf('POST /v1/users HTTP/1.1', HOST, 'Content-Length: 100000000') + 'x'.repeat(1_000),
    );

    const answer = await connection.answer();
    expect(answer.status).toBe(405);
    expect(answer.headers.connection).toBe('close');
    await connection.ended();
  });
});

describe('a client that reads none of its answers', () => {
  // More than the buffers of a connection take.
  const contract = { ...referenceContract, title: 'x'.repeat(1_000_000) };
  const document = request('GET', '/v1/openapi.json');
  const overload = { eventLoopDelayMax: 60_000, inFlightMax: 5 };
  const listener = startForAll(() =>
    startPublicListener({ contract, overload, operations: echoOperations() }),
  );

  it('does not count against the requests of other clients', async () => {
    const unread = endAfterTest(await connectRaw(listener.port));
    unread.socket.pause();
    unread.send(document.repeat(30) + request('GET', '/v1/users').repeat(30));
    const other = endAfterTest(await connectRaw(listener.port));
    for (let round = 0; round < 20; round += 1) {
      other.send(request('GET', '/v1/users'));
      expect((await other.answer()).status).toBe(200);
      await new Promise(setImmediate);
    }
  });

  it('is disconnected once more than a hundred of its requests wait for unread answers', async () => {
    const unread = await connectRaw(listener.port);
    unread.socket.pause();
    const before = listener.finished.length;
    unread.send(document.repeat(1_000));
    await once(unread.socket.resume(), 'close');
    // Nothing of it is left: all are over, and most without an answer.
    await eventually(() => listener.finished.length - before >= 130);
    expect(listener.finished.slice(before).filter(({ status }) => status === 499).length).toBeGreaterThan(
      100,
    );
    const other = endAfterTest(await connectRaw(listener.port));
    other.send(request('GET', '/v1/users'));
    expect((await other.answer()).status).toBe(200);
  });
});
