import type { Socket } from 'node:net';
import {
  answering,
  type ScriptedUpstream,
  startUpstream,
} from '../../../support/upstream/scripted-upstream.ts';
import { answer, closeAll, openUpstream } from './open-upstream.ts';

let server: ScriptedUpstream | undefined;
afterEach(() => closeAll(server));

const requestsIn = (heard: string) => heard.split('\r\n\r\n').length - 1;

/** An upstream that answers, and resets those connections that `dies` names when they are used that often. */
async function startClosingServer(
  dies: (connection: number, requests: number) => boolean,
): Promise<ScriptedUpstream> {
  const answerAll = answering(...answer('1'));
  server = await startUpstream((socket: Socket, heard, connection) => {
    if (dies(connection, requestsIn(heard))) socket.resetAndDestroy();
    else answerAll(socket, heard, connection);
  });
  return server;
}

describe('a connection', () => {
  it('is used again', async () => {
    const { origin, received: heard } = await startClosingServer(() => false);
    const { get } = openUpstream(origin);
    for (let i = 0; i < 5; i += 1) await get();
    expect(heard.map(requestsIn)).toEqual([5]);
  });

  it('that was closed while idle is replaced without an error', async () => {
    const { origin, received: heard } = await startClosingServer(
      (connection, requests) => connection === 0 && requests === 2,
    );
    const { get, outcomes, usage } = openUpstream(origin);
    await get();
    expect((await get()).status).toBe(200);
    expect(heard.map(requestsIn)).toEqual([2, 1]);
    expect([outcomes, usage.upstreamCalls]).toEqual([['2xx', '2xx'], 2]);
  });

  it('that died idle is replaced by a fresh one, not by another that may be dead as well', async () => {
    const { origin, received: heard } = await startClosingServer((_connection, requests) => requests === 2);
    const { get } = openUpstream(origin, { concurrency: 3 });
    await Promise.all([get(), get(), get()]);
    expect(heard).toHaveLength(3);
    expect((await get()).status).toBe(200);
    expect(heard.map(requestsIn)).toEqual(expect.arrayContaining([2, 1, 1, 1]));
  });

  it('that dies at once is not tried again: the request may have arrived', async () => {
    const { origin, received: heard } = await startClosingServer(() => true);
    expect((await openUpstream(origin).failure()).code).toBe('upstream_error');
    expect(heard.map(requestsIn)).toEqual([1]);
  });

  it('that dies again on the second try ends the matter', async () => {
    const { origin, received: heard } = await startClosingServer(
      (connection, requests) => connection > 0 || requests === 2,
    );
    const { get, failure } = openUpstream(origin);
    await get();
    expect((await failure()).code).toBe('upstream_error');
    expect(heard.map(requestsIn)).toEqual([2, 1]);
  });

  it('that breaks off in the middle of an answer is not tried again', async () => {
    const half = 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n[]';
    const answerAll = answering(...answer('1'));
    server = await startUpstream((socket, heard, connection) => {
      if (requestsIn(heard) < 2) answerAll(socket, heard, connection);
      else socket.end(half);
    });
    const { get, failure } = openUpstream(server.origin);
    await get();
    expect((await failure()).code).toBe('upstream_error');
    expect(server.received.map(requestsIn)).toEqual([2]);
  });

  it.each([
    [
      'is not used again in the last second before the other side may close it',
      'Keep-Alive: timeout=1, max=9',
      2,
    ],
    ['is used again while the other side keeps it open', 'Keep-Alive: timeout=600', 1],
    ['is used again after a hint that says no time', 'Keep-Alive: max=9', 1],
  ])('%s: %s', async (_name, hint, connections) => {
    server = await startUpstream(answering(...answer('1', 'Connection: keep-alive', hint)));
    const { get } = openUpstream(server.origin);
    await get();
    await get();
    expect(server.received).toHaveLength(connections);
  });

  it('is ended by bytes that nobody asked for, which are no answer to the next request', async () => {
    const forged = answer('"forged"').join('\r\n');
    const answerAll = answering(...answer('1'));
    const sockets: Socket[] = [];
    server = await startUpstream((socket, heard, connection) => {
      sockets[connection] = socket;
      answerAll(socket, heard, connection);
    });
    const { get } = openUpstream(server.origin);
    await get();
    sockets[0]?.write(forged);
    expect(await server.disconnected()).toBe(1);
    expect((await get()).body.toString()).toBe('1');
    expect(server.received).toHaveLength(2);
  });

  it('is dropped on close', async () => {
    const mortal = await startClosingServer(() => false);
    const { get, upstream } = openUpstream(mortal.origin);
    await get();
    upstream.close();
    expect(await mortal.disconnected()).toBe(1);
  });
});
