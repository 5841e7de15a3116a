import { startStack } from '../../support/gateway/stack.ts';
import { decision } from './decisions.ts';
import { startForAll } from '../../support/jest/lifetime.ts';

const stack = startForAll(startStack);

type Line = Record<string, unknown>;

/** The log line of an answer. It is written once the answer is out, which the client may see first. */
async function lineOf(response: Response): Promise<Line> {
  const id = response.headers.get('x-request-id') ?? '';
  for (;;) {
    const line = stack.log.find((text) => text.includes(id));
    if (line !== undefined) return JSON.parse(line) as Line;
    await new Promise(setImmediate);
  }
}

describe(decision('Request id'), () => {
  it.each([
    ['/v1/users', 200, 'users.list'],
    ['/v1/users/user_3', 200, 'users.get'],
    ['/v1/users/user_1', 404, 'users.get'],
    ['/v1/products?page=0', 400, 'products.list'],
    ['/v1/nothing', 404, 'none'],
    ['/v1/openapi.json', 200, 'openapi'],
    ['/legacy/orders', 200, 'passthrough.orders'],
  ])('%s has one, which is that of its log line', async (path, status, operation) => {
    const response = await stack.get(path);
    expect(response.headers.get('x-request-id')).toMatch(/^req_[A-Za-z0-9_-]{22}$/);
    expect(await lineOf(response)).toMatchObject({ status, operation });
  });

  it('is a new one each time, also for the same cached body', async () => {
    const ids = await Promise.all(
      Array.from({ length: 20 }, async () => (await stack.get('/v1/users')).headers.get('x-request-id')),
    );
    expect(new Set(ids).size).toBe(20);
  });

  it("has the caller's id and trace logged beside it, and never in its place", async () => {
    const headers = {
      'x-request-id': 'req_of-the-caller',
      traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
    };
    const response = await stack.get('/v1/users', { headers });
    expect(response.headers.get('x-request-id')).not.toBe('req_of-the-caller');
    expect(await lineOf(response)).toMatchObject({
      clientRequestId: 'req_of-the-caller',
      traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
    });
  });

  it.each(['a'.repeat(65), 'with blanks', '"quoted"', '{}', 'ünï'])(
    'does not log a caller’s id such as %s',
    async (id) => {
      const headers = { 'x-request-id': Buffer.from(id).toString('latin1') };
      const line = await lineOf(await stack.get('/v1/users', { headers }));
      expect(line).not.toHaveProperty('clientRequestId');
    },
  );
});
