import type { Socket } from 'node:net';
import {
  answering,
  type ScriptedUpstream,
  startUpstream,
} from '../../../support/upstream/scripted-upstream.ts';
import { answer, closeAll, openUpstream } from './open-upstream.ts';

let server: ScriptedUpstream | undefined;
afterEach(() => closeAll(server));

/** An upstream that answers only when the test says so. */
async function startHolding() {
  const held: Socket[] = [];
  const waiting: { count: number; tell: () => void }[] = [];
  server = await startUpstream((socket, heard) => {
    if (!heard.endsWith('\r\n\r\n')) return;
    held.push(socket);
    for (const { count, tell } of waiting) if (held.length >= count) tell();
  });
  return {
    origin: server.origin,
    held,
    /** Resolves once that many requests wait for their answer. */
    holds: (count: number) =>
      new Promise<void>((tell) => (held.length >= count ? tell() : waiting.push({ count, tell }))),
    release: () => held.splice(0).forEach((socket) => socket.write(answer('1').join('\r\n'))),
  };
}

describe('calls under way', () => {
  it('are never more than net.concurrency at once', async () => {
    const { origin, held, holds, release } = await startHolding();
    const { get, upstream } = openUpstream(origin, { concurrency: 3 });
    const calls = Array.from({ length: 10 }, () => get());
    let done = 0;
    for (const call of calls) void call.then(() => (done += 1));
    for (let rest = 10; rest > 0; rest -= 3) {
      const now = Math.min(3, rest);
      await holds(now);
      expect(held).toHaveLength(now);
      expect(upstream.load).toMatchObject({ active: now, waiting: rest - now });
      release();
    }
    await Promise.all(calls);
    expect([done, server!.received.length]).toEqual([10, 3]);
    expect(upstream.load).toMatchObject({ active: 0, waiting: 0 });
  });

  it('free their slots, whatever their outcome', async () => {
    const answerAll = answering(...answer('1'));
    server = await startUpstream((socket, heard, connection) => {
      if (connection < 2) socket.resetAndDestroy();
      else answerAll(socket, heard, connection);
    });
    const { get } = openUpstream(server.origin, { concurrency: 1 });
    const results = await Promise.allSettled([get(), get(), get(), get()]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled', 'fulfilled']);
  });
});

describe('a caller that goes', () => {
  it('is answered at once with its own reason, and its connection is hung up', async () => {
    const { origin, holds } = await startHolding();
    const { get, outcomes } = openUpstream(origin);
    const caller = new AbortController();
    const call = get('/x', caller.signal);
    await holds(1);
    const reason = new Error('client gone');
    caller.abort(reason);
    await expect(call).rejects.toBe(reason);
    expect(await server!.disconnected()).toBe(1);
    expect(outcomes).toEqual(['cancelled']);
  });

  it('is answered at once while it waits for a place, and is not asked for', async () => {
    const { origin, holds, release } = await startHolding();
    const { get, upstream } = openUpstream(origin, { concurrency: 1 });
    const first = get('/first');
    await holds(1);
    const caller = new AbortController();
    const second = get('/second', caller.signal);
    caller.abort(new Error('client gone'));
    await expect(second).rejects.toThrow('client gone');
    expect(upstream.load.active).toBe(1);
    release();
    await first;
    const third = get('/third');
    await holds(1);
    release();
    await third;
    expect(server!.received.join()).not.toContain('/second');
  });

  it('before the request was sent costs no upstream call', async () => {
    const { origin } = await startHolding();
    const { get } = openUpstream(origin);
    await expect(get('/x', AbortSignal.abort(new Error('client gone')))).rejects.toThrow('client gone');
    expect(server!.received).toEqual([]);
  });

  it('does not disturb the others', async () => {
    const { origin, holds, release } = await startHolding();
    const { get } = openUpstream(origin);
    const caller = new AbortController();
    const gone = get('/gone', caller.signal);
    const stays = get('/stays');
    await holds(2);
    caller.abort(new Error('client gone'));
    await expect(gone).rejects.toThrow('client gone');
    release();
    expect((await stays).status).toBe(200);
  });
});
