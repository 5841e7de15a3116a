import { fault } from '../../../src/errors/fault.ts';
import type { AppDeps } from '../../../src/http/app.ts';
import type { Call, Handler, Reply } from '../../../src/policy/call.ts';
import {
  operation,
  type PublicListener,
  replyOf,
  startPublicListener,
} from '../../support/public-listener.ts';
import { askRaw, connectRaw, request } from '../../support/raw-client.ts';

describe('an answer of the public listener', () => {
  let listener: PublicListener;
  afterEach(() => listener.stop());

  async function start(handler: Handler, over: Partial<AppDeps> = {}) {
    listener = await startPublicListener({ operations: [operation(handler)], ...over });
  }
  const ask = (headers: string[] = [], method = 'GET', target = '/v1/users') =>
    askRaw(listener.port, request(method, target, headers));
  const answering =
    (reply: Reply): Handler =>
    () =>
      Promise.resolve(reply);

  it('carries the caching headers of its body, and everything the pipeline added', async () => {
    const reply = replyOf('{"data":[]}', { storedAt: 1_000_000, freshSeconds: 30, cache: 'hit' });
    await start(
      (call) => {
        call.answerHeaders.push('RateLimit', '"standard";r=19;t=1');
        return Promise.resolve(reply);
      },
      { clock: { now: () => 1_007_900, monotonic: () => performance.now() } },
    );

    const answer = await ask();

    expect(answer.status).toBe(200);
    expect(answer.body).toEqual(reply.body);
    expect(answer.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'content-length': '11',
      etag: reply.etag,
      'cache-control': 'private, max-age=30',
      age: '7',
      vary: 'Authorization, X-API-Key',
      'cache-status': 'portico; hit',
      ratelimit: '"standard";r=19;t=1',
      'x-content-type-options': 'nosniff',
    });
    expect(answer.headers['x-request-id']).toMatch(/^req_[A-Za-z0-9_-]{22}$/);
    expect(answer.headers).not.toHaveProperty('x-powered-by');
  });

  it.each([
    ['miss', 'portico; fwd=miss'],
    ['stale', 'portico; fwd=stale'],
  ] as const)('tells a %s by Cache-Status', async (cache, told) => {
    await start(answering(replyOf('{}', { cache })));

    expect((await ask()).headers['cache-status']).toBe(told);
  });

  it('never tells a negative age when a clock has jumped', async () => {
    await start(answering(replyOf('{}', { storedAt: Date.now() + 3_600_000 })));

    expect((await ask()).headers.age).toBe('0');
  });

  it('is the same to HEAD as to GET, but for the body', async () => {
    await start(answering(replyOf('{"data":[]}')));
    const unlike = (headers: Readonly<Record<string, string>>) => ({
      ...headers,
      'x-request-id': '',
      date: '',
    });

    const get = await ask();
    const head = await ask([], 'HEAD');

    expect(head.status).toBe(200);
    expect(unlike(head.headers)).toEqual(unlike(get.headers));
    expect(head.body).toHaveLength(0);
  });

  it('says 304 to a client that has the body already, with the same caching headers', async () => {
    const reply = replyOf('{"data":[]}');
    await start(answering(reply));

    for (const value of [reply.etag, `W/${reply.etag}`, `"other", W/"x,y", ${reply.etag}`, '*']) {
      const answer = await ask([`If-None-Match: ${value}`]);
      expect(answer.status).toBe(304);
      expect(answer.headers).toMatchObject({
        etag: reply.etag,
        'cache-control': 'private, max-age=10',
        vary: 'Authorization, X-API-Key',
        'cache-status': 'portico; fwd=miss',
      });
      expect(answer.headers).not.toHaveProperty('content-type');
    }
    expect((await ask(['If-None-Match: "other"', `If-None-Match: ${reply.etag}`])).status).toBe(304);
    expect((await ask(['If-None-Match: "other"'])).status).toBe(200);
  });

  it('serves the OpenAPI description to everyone, with revalidation', async () => {
    await start(answering(replyOf('{}')));

    const first = await ask([], 'GET', '/v1/openapi.json');
    expect(first.status).toBe(200);
    expect(JSON.parse(first.body.toString())).toEqual({ openapi: '3.1.0' });
    const again = await ask([`If-None-Match: ${first.headers.etag ?? ''}`], 'GET', '/v1/openapi.json');
    expect(again.status).toBe(304);
  });

  it('tells a fault of the pipeline with its headers, and what the pipeline had added', async () => {
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
      const line = await listener.line(({ requestId }) => requestId === answer.headers['x-request-id']);
      expect(line).toMatchObject({ level: 50, status: 500, code: 'server_error', operation: 'users.list' });
      expect(line.cause).toEqual(expect.any(String));
    },
  );

  it('tells every server-side fault as 500 where the operator wants the contract to the letter', async () => {
    await start(() => Promise.reject(fault('upstream_unavailable')), { serverStatus: 'contract' });

    const answer = await ask();

    expect(answer.status).toBe(500);
    expect(answer.headers['retry-after']).toBe('1');
    expect(JSON.parse(answer.body.toString())).toMatchObject({ error: { code: 'upstream_unavailable' } });
    expect(listener.finished).toEqual([{ operation: 'users.list', status: 500 }]);
  });

  it('is 504 upstream_timeout once the deadline is spent, also where the handler minds no signal', async () => {
    let call: Call | undefined;
    const deaf: Handler = (received) => {
      call = received;
      return new Promise(() => undefined);
    };
    await start(deaf, { operations: [operation(deaf, { deadlineMs: 30 })] });

    const answer = await ask();

    expect(answer.status).toBe(504);
    expect(JSON.parse(answer.body.toString())).toMatchObject({ error: { code: 'upstream_timeout' } });
    expect(call?.signal.reason).toMatchObject({ code: 'upstream_timeout' });
  });

  it('is nothing to a client that has gone; its call is told so and its line says aborted', async () => {
    let gone: Promise<unknown> | undefined;
    let begun = () => {};
    const beginning = new Promise<void>((resolve) => (begun = resolve));
    await start((call) => {
      gone = new Promise((resolve) =>
        call.signal.addEventListener('abort', () => resolve(call.signal.reason)),
      );
      begun();
      return new Promise(() => undefined);
    });
    const connection = await connectRaw(listener.port);
    connection.send(request('GET', '/v1/users'));
    await beginning;
    connection.close();

    expect(await gone).toMatchObject({ name: 'ClientGone' });
    expect(await listener.line(({ aborted }) => aborted === true)).toMatchObject({ level: 30, status: null });
    expect(listener.finished).toEqual([{ operation: 'users.list', status: 499 }]);
  });

  it('is not waited for behind another one once the client of both has gone', async () => {
    const calls: Call[] = [];
    let begun = () => {};
    const beginning = new Promise<void>((resolve) => (begun = resolve));
    await start((call) => {
      if (calls.push(call) === 3) begun();
      return new Promise(() => undefined);
    });
    const connection = await connectRaw(listener.port);
    connection.send(request('GET', '/v1/users').repeat(3));
    await beginning;
    const signals = calls.map(
      ({ signal }) => new Promise((resolve) => signal.addEventListener('abort', resolve)),
    );
    connection.close();

    await Promise.all(signals);
    await listener.line(() => listener.finished.length === 3 && listener.lines.length === 3);
  });

  describe('to a browser of another origin', () => {
    const cors = { origins: ['https://app.example.test'], maxAge: 600 };

    it('allows exactly the origins that are configured', async () => {
      await start(answering(replyOf('{}')), { cors });

      const answer = await ask(['Origin: https://app.example.test']);
      expect(answer.headers['access-control-allow-origin']).toBe('https://app.example.test');
      expect(answer.headers['access-control-expose-headers']).toContain('X-Request-Id');
      expect(answer.headers.vary).toBe('Authorization, X-API-Key, Origin');
      for (const origin of ['https://evil.example.test', 'https://app.example.test.evil.test', 'null', '*']) {
        const refused = await ask([`Origin: ${origin}`]);
        expect(refused.headers).not.toHaveProperty('access-control-allow-origin');
        expect(refused.headers.vary).toBe('Authorization, X-API-Key, Origin');
      }
    });

    it('lets it read errors too', async () => {
      await start(() => Promise.reject(fault('authentication_required')), { cors });

      const answer = await ask(['Origin: https://app.example.test']);
      expect(answer.status).toBe(401);
      expect(answer.headers['access-control-allow-origin']).toBe('https://app.example.test');
    });

    it('answers a preflight before any credential is asked for', async () => {
      await start(() => Promise.reject(fault('authentication_required')), { cors });

      const answer = await ask(
        ['Origin: https://app.example.test', 'Access-Control-Request-Method: GET'],
        'OPTIONS',
      );
      expect(answer.status).toBe(204);
      expect(answer.headers).toMatchObject({
        'access-control-allow-origin': 'https://app.example.test',
        'access-control-allow-methods': 'GET, HEAD',
        'access-control-allow-headers': 'Authorization, X-API-Key, If-None-Match',
        'access-control-max-age': '600',
      });
    });

    it('says nothing of the kind where CORS is not configured', async () => {
      await start(answering(replyOf('{}')));

      const answer = await ask(['Origin: https://app.example.test'], 'OPTIONS');
      expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
      expect(answer.headers.vary).toBe('Authorization, X-API-Key');
    });
  });
});
