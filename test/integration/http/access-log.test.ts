import { fault } from '../../../src/kernel/errors/fault.ts';
import type { Handler } from '../../../src/pipeline/stages/call.ts';
import { replyOf, useListener } from '../../support/gateway/public-listener.ts';

const MARKER = 'canary-7f3a';

describe('the access log', () => {
  const listener = useListener();

  async function lineFor(handler: Handler, headers: string[] = [], target = '/v1/users') {
    await listener.start(handler);
    const answer = await listener.ask(headers, 'GET', target);
    const line = await listener.latest.line(({ requestId }) => requestId === answer.headers['x-request-id']);
    expect(listener.latest.lines).toHaveLength(1);
    return line;
  }

  it('has one line per request, of these fields only', async () => {
    const line = await lineFor(
      (call) => {
        Object.assign(call.summary, {
          principalId: 'key_1',
          cache: 'miss',
          upstreamCalls: 2,
          upstreamMs: 12.7,
        });
        return Promise.resolve(replyOf('{}'));
      },
      [
        'X-Request-Id: from-the-client.1',
        'traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
      ],
    );

    expect(line).toEqual({
      level: 30,
      time: expect.any(Number),
      msg: 'request',
      requestId: expect.stringMatching(/^req_/),
      operation: 'users.list',
      method: 'GET',
      status: 200,
      caller: 'key_1',
      cache: 'miss',
      upstreamCalls: 2,
      upstreamMs: 13,
      durationMs: expect.any(Number),
      clientRequestId: 'from-the-client.1',
      traceId: '0af7651916cd43dd8448eb211c80319c',
    });
  });

  it.each([
    ['a request id with other characters', 'X-Request-Id: a"><script>', 'clientRequestId'],
    ['a request id of 65 characters', `X-Request-Id: ${'a'.repeat(65)}`, 'clientRequestId'],
    ['a traceparent of zeros', `traceparent: 00-${'0'.repeat(32)}-b7ad6b7169203331-01`, 'traceId'],
    ['a traceparent of another shape', 'traceparent: 00-xyz-b7ad6b7169203331-01', 'traceId'],
  ])('leaves out %s', async (_name, header, field) => {
    expect(await lineFor(() => Promise.resolve(replyOf('{}')), [header])).not.toHaveProperty(field);
  });

  it('holds no value of a query, a header, a body or an upstream error object', async () => {
    const axiosLike = Object.assign(
      new Error('Request failed with status code 500', { cause: new Error('socket') }),
      {
        code: 'ERR_BAD_RESPONSE',
        config: { headers: { Authorization: MARKER } },
        request: { _header: MARKER },
        response: { data: MARKER, headers: { 'set-cookie': MARKER } },
      },
    );
    const line = await lineFor(
      () => Promise.reject(fault('upstream_error', { detail: 'status 500', cause: axiosLike })),
      [
        `Authorization: Bearer ${MARKER}`,
        `X-API-Key: ${MARKER}`,
        `Cookie: s=${MARKER}`,
        `User-Agent: ${MARKER}`,
      ],
      `/v1/users?api_key=${MARKER}`,
    );

    expect(JSON.stringify(line)).not.toContain(MARKER);
    expect(line).toMatchObject({
      level: 50,
      status: 502,
      code: 'upstream_error',
      detail: 'status 500',
      cause: 'Error ERR_BAD_RESPONSE: Request failed with status code 500 < Error: socket',
    });
  });

  it('logs a refused client at level info, with the error code', async () => {
    const line = await lineFor(() => Promise.reject(fault('insufficient_permissions')));

    expect(line).toMatchObject({ level: 30, status: 403, code: 'insufficient_permissions' });
  });
});
