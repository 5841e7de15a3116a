import type { Socket } from 'node:net';
import type { Call } from '../../../src/pipeline/stages/call.ts';
import type { Script } from '../../support/upstream/scripted-upstream.ts';
import { OK, usePassthrough } from '../../support/gateway/passthrough-route.ts';
import { request } from '../../support/client/raw-client.ts';

/** Longer than a test may take. */
const NEVER = 120_000;

describe('a pass-through route with all its concurrency in use', () => {
  const route = usePassthrough();
  const get = (name: string) => request('GET', `/legacy/orders/${name}`);

  /** An upstream that holds the first request back. */
  function holding() {
    const held: Socket[] = [];
    const script: Script = (socket, heard) => {
      if (held.length === 0) held.push(socket);
      else if (heard.includes('\r\n\r\n')) socket.write(OK);
    };
    return { script, answer: () => held[0]?.write(OK) };
  }

  it('serves queued requests as calls end, on the same connection', async () => {
    const { script, answer } = holding();
    await route.start({ concurrency: 1, deadline: NEVER }, { script });
    const asked = ['first', 'second', 'third'].map((name) => route.ask(get(name)));
    await route.upstream.receives('GET');
    answer();

    expect((await Promise.all(asked)).map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(route.upstream.received).toHaveLength(1);
  });

  it('makes no call, and opens no connection, for requests whose deadline comes first', async () => {
    const { script, answer } = holding();
    let admit: () => void = () => undefined;
    // The second one came before the first, whose deadline is later.
    const held = new Promise<void>((resolve) => (admit = resolve));
    const isSecond = ({ request: { rawQuery } }: Call) => rawQuery === 'second';
    await route.start(
      { concurrency: 1, deadline: 600 },
      { script, admit: (call) => (isSecond(call) ? held : undefined) },
    );
    const second = route.ask(request('GET', '/legacy/orders?second'));
    await new Promise((resolve) => route.listener.server.once('request', resolve));
    const first = route.ask(get('first'));
    await Promise.race([route.upstream.receives('first'), first]);
    admit();

    expect((await second).status).toBe(504);
    answer();
    await first;
    expect(route.upstream.received.join('')).not.toContain('second');
    expect(route.upstream.received.length).toBeLessThan(2);
  });

  it('answers 503 overloaded beyond the longest queue', async () => {
    const { script, answer } = holding();
    await route.start({ concurrency: 1, deadline: NEVER, queue: { max: 1, time: NEVER } }, { script });
    const asked = [route.ask(get('first'))];
    await route.upstream.receives('first');
    asked.push(route.ask(get('second')), route.ask(get('third')));
    const refused = await Promise.race(asked);
    expect([refused.status, refused.body.includes('overloaded')]).toEqual([503, true]);
    answer();

    expect((await Promise.all(asked)).map(({ status }) => status).sort()).toEqual([200, 200, 503]);
  });

  it('answers 503 overloaded after the longest wait', async () => {
    const { script, answer } = holding();
    await route.start({ concurrency: 1, deadline: NEVER, queue: { max: 9, time: 50 } }, { script });
    const first = route.ask(get('first'));
    await route.upstream.receives('first');
    expect((await route.ask(get('second'))).status).toBe(503);
    answer();
    expect((await first).status).toBe(200);
  });
});
