import { fault } from '../../../src/kernel/errors/fault.ts';
import { createDeadline } from '../../../src/pipeline/stages/call-stages.ts';
import type { Call, Handler } from '../../../src/pipeline/stages/call.ts';
import { operation, replyOf, useListener } from '../../support/gateway/public-listener.ts';

describe('an answer of the public listener where the pipeline fails', () => {
  const listener = useListener();
  const { start, ask } = listener;

  it('sends a fault of the pipeline with its headers and those that the pipeline had added', async () => {
    await start((call) => {
      call.answerHeaders.push('RateLimit', '"standard";r=0;t=3');
      throw fault('rate_limit_exceeded', { retryAfterSeconds: 3, headers: { 'X-Why': 'because' } });
    });

    const answer = await ask();

    expect(answer.status).toBe(429);
    expect(answer.headers).toMatchObject({
      'retry-after': '3',
      ratelimit: '"standard";r=0;t=3',
      'x-why': 'because',
      'cache-control': 'no-store',
      vary: 'Authorization, X-API-Key',
    });
    expect((await ask([], 'HEAD')).headers['content-length']).toBe(answer.headers['content-length']);
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('database password is hunter2');
      },
    ],
    ['rejects', () => Promise.reject(new Error('database password is hunter2'))],
    ['rejects with what is no error', () => Promise.reject(JSON.parse('"hunter2"') as Error)],
    [
      'answers with a header that HTTP forbids',
      () => Promise.resolve(replyOf('{}', { etag: '"a\r\nhunter2: b"' })),
    ],
  ] satisfies [string, Handler][])(
    'is 500 server_error where a handler %s, and keeps why to itself',
    async (_name, handler) => {
      await start(handler);

      const answer = await ask();

      expect(answer.status).toBe(500);
      expect(JSON.parse(answer.body.toString())).toEqual({
        error: {
          code: 'server_error',
          message: 'The gateway failed to answer the request.',
          request_id: answer.headers['x-request-id'],
        },
      });
      const line = await listener.latest.line(
        ({ requestId }) => requestId === answer.headers['x-request-id'],
      );
      expect(line).toMatchObject({ level: 50, status: 500, code: 'server_error', operation: 'users.list' });
      expect(line.cause).toEqual(expect.any(String));
    },
  );

  it('sends every server-side fault as 500 with errors.serverStatus: contract', async () => {
    await start(() => Promise.reject(fault('upstream_unavailable')), { serverStatus: 'contract' });

    const answer = await ask();

    expect(answer.status).toBe(500);
    expect(answer.headers['retry-after']).toBe('1');
    expect(JSON.parse(answer.body.toString())).toMatchObject({ error: { code: 'upstream_unavailable' } });
    expect(listener.latest.finished).toEqual([{ operation: 'users.list', status: 503 }]);
  });

  it('is 504 upstream_timeout once the deadline is spent, even when the handler ignores its signal', async () => {
    let call: Call | undefined;
    const deaf: Handler = (received) => {
      call = received;
      return new Promise(() => undefined);
    };
    await start(deaf, { operations: [operation(createDeadline(30)(deaf))] });

    const answer = await ask();

    expect(answer.status).toBe(504);
    expect(JSON.parse(answer.body.toString())).toMatchObject({ error: { code: 'upstream_timeout' } });
    expect(call?.signal.reason).toMatchObject({ code: 'upstream_timeout' });
  });
});
