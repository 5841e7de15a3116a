import { echoOperations, startPublicListener } from '../../support/gateway/public-listener.ts';
import { askRaw, connectRaw, type RawAnswer } from '../../support/client/raw-client.ts';
import { refusedRequests } from '../../support/client/refused-requests.ts';
import { endAfterTest, startForAll } from '../../support/jest/lifetime.ts';

const CRLF = '\r\n';

function errorOf(answer: RawAnswer): { code: string; request_id: string } {
  const body = JSON.parse(answer.body.toString()) as {
    error: { code: string; message: string; request_id: string };
  };
  expect(Object.keys(body)).toEqual(['error']);
  expect(Object.keys(body.error)).toEqual(['code', 'message', 'request_id']);
  return body.error;
}

describe('the public listener, byte by byte', () => {
  const listener = startForAll(() => startPublicListener({ operations: echoOperations() }));

  it.each(refusedRequests)('refuses %s in the words of the contract', async (_name, bytes, status, code) => {
    const answer = await askRaw(listener.port, bytes);

    expect(answer.status).toBe(status);
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(answer.headers['cache-control']).toBe('no-store');
    const error = errorOf(answer);
    expect(error.code).toBe(code);
    expect(error.request_id).toMatch(/^req_[A-Za-z0-9_-]{22}$/);
    expect(answer.headers['x-request-id']).toBe(error.request_id);
    if (status === 405) expect(answer.headers.allow).toBe('GET, HEAD, OPTIONS');
    await listener.line((line) => line.requestId === error.request_id && line.status === status);
  });

  it('answers 400 to a request head that does not end within five seconds, and closes silent connections without a word', async () => {
    expect(listener.server.headersTimeout).toBeLessThanOrEqual(5_000);
    const dripping = endAfterTest(await connectRaw(listener.port));
    dripping.send(`GET /v1/users HTTP/1.1${CRLF}X: `);
    const silent = await connectRaw(listener.port);

    const answer = await dripping.answer();
    expect(answer.status).toBe(400);
    expect(errorOf(answer).code).toBe('bad_request');
    expect(await silent.ended()).toMatchObject({ rest: Buffer.alloc(0) });
  });
});
