import { openapiDocument } from '../../../src/contract/openapi.ts';
import { referenceContract } from '../../support/reference.ts';
import type { Handler, CallAnswer } from '../../../src/pipeline/stages/call.ts';
import { replyOf, useListener } from '../../support/gateway/public-listener.ts';

describe('an answer of the public listener', () => {
  const listener = useListener();
  const { start, ask } = listener;

  const answering =
    (reply: CallAnswer): Handler =>
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
  ] as const)('tells a %s by Cache-Status', async (cache, cacheStatus) => {
    await start(answering(replyOf('{}', { cache })));

    expect((await ask()).headers['cache-status']).toBe(cacheStatus);
  });

  it('never has a negative Age after a clock has jumped', async () => {
    await start(answering(replyOf('{}', { storedAt: Date.now() + 3_600_000 })));

    expect((await ask()).headers.age).toBe('0');
  });

  it('is the same for HEAD as for GET, without the body', async () => {
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

  it('is 304 for a client that has the body already, with the same caching headers', async () => {
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
    expect(JSON.parse(first.body.toString())).toEqual(openapiDocument(referenceContract));
    const again = await ask([`If-None-Match: ${first.headers.etag ?? ''}`], 'GET', '/v1/openapi.json');
    expect(again.status).toBe(304);
  });
});
