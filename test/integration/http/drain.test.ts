import { eventually } from '../../support/time/eventually.ts';
import { Agent, get } from 'node:http';
import { createDrain } from '../../../src/http/listener/drain.ts';
import type { Handler } from '../../../src/pipeline/stages/call.ts';
import {
  operation,
  type PublicListener,
  replyOf,
  startPublicListener,
} from '../../support/gateway/public-listener.ts';
import { askRaw, connectRaw, request } from '../../support/client/raw-client.ts';

describe('a listener that drains', () => {
  let listener: PublicListener;

  async function start(handler: Handler = () => Promise.resolve(replyOf('{}'))) {
    listener = await startPublicListener({ operations: [operation(handler)] });
  }
  /** A handler whose answers wait for `release`, and a promise of its first call. */
  function held() {
    let release = () => {};
    let begin = () => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    const begun = new Promise<void>((resolve) => (begin = resolve));
    const handler: Handler = async () => {
      begin();
      await released;
      return replyOf('{"late":true}');
    };
    return { handler, begun, release };
  }

  it('resets no connection, not even of clients that keep asking, and ends', async () => {
    await start();
    const agent = new Agent({ keepAlive: true });
    let answers = 0;
    const ask = () =>
      new Promise<string>((resolve) => {
        const asked = get({ port: listener.port, host: '127.0.0.1', path: '/v1/users', agent }, (answer) => {
          answer
            .resume()
            .on('end', () => resolve('answered'))
            .on('error', (error) => resolve(error.message));
        });
        asked.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
      });
    /** Asks until something else than an answer comes. */
    const client = async () => {
      for (;;) {
        const outcome = await ask();
        if (outcome !== 'answered') return outcome;
        answers += 1;
      }
    };
    const clients = Array.from({ length: 50 }, client);
    await eventually(() => answers >= 100);

    await createDrain({ server: listener.server, drainMs: () => 300 })();

    // Nobody listens any more: that a balancer can tell from a failed request, and send it elsewhere.
    expect(new Set(await Promise.all(clients))).toEqual(new Set(['ECONNREFUSED']));
    agent.destroy();
  });

  it('asks clients to close while it still serves', async () => {
    await start();
    // Longer than a busy machine stands still: a request behind this time is one for the last moment, which keeps connections.
    const drain = createDrain({ server: listener.server, drainMs: () => 1_000 });

    const leaving = drain();
    const answer = await askRaw(listener.port, request('GET', '/v1/users'));
    expect(answer.status).toBe(200);
    expect(answer.headers.connection).toBe('close');
    await Promise.all([leaving, drain()]);
    await expect(connectRaw(listener.port)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  it('closes idle connections and lets an answer under way finish', async () => {
    const { handler, begun, release } = held();
    await start(handler);
    const idle = await connectRaw(listener.port);
    idle.send(request('OPTIONS', '/v1/users'));
    await idle.answer();
    const busy = await connectRaw(listener.port);
    busy.send(request('GET', '/v1/users'));
    await begun;

    const left = createDrain({ server: listener.server, drainMs: () => 10 })();
    expect((await idle.ended()).how).toBe('closed');
    release();

    expect((await busy.answer()).body.toString()).toBe('{"late":true}');
    expect((await busy.ended()).how).toBe('closed');
    await left;
  });

  it('cuts connections that do not finish within the drain time', async () => {
    const { handler, begun } = held();
    await start(handler);
    const busy = await connectRaw(listener.port);
    busy.send(request('GET', '/v1/users'));
    await begun;

    await createDrain({ server: listener.server, drainMs: () => 10, forceMs: 50 })();

    await busy.ended();
    expect(await listener.line(({ aborted }) => aborted === true)).toBeDefined();
  });
});
