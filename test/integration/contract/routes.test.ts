import { startStack } from '../../support/gateway/stack.ts';
import { decision } from './decisions.ts';
import { startForAll } from '../../support/jest/lifetime.ts';

const paths = ['/v1/users', '/v1/users/user_3', '/v1/products'];

const stack = startForAll(() =>
  startStack({
    configure(config) {
      config.cors = { origins: ['https://app.example'], maxAge: 600 };
    },
  }),
);

async function codeOf(response: Response): Promise<string> {
  return ((await response.json()) as { error: { code: string } }).error.code;
}

describe(decision('Methods'), () => {
  it.each(paths)('HEAD %s answers with the headers of GET and no body', async (path) => {
    const get = await stack.get(path);
    const head = await stack.get(path, { method: 'HEAD' });
    expect(head.status).toBe(200);
    expect(await head.text()).toBe('');
    // fetch itself asks for the end of the connection after a HEAD.
    const changing = ['date', 'x-request-id', 'cache-status', 'age', 'ratelimit', 'connection', 'keep-alive'];
    const steady = ({ headers }: Response) => [...headers].filter(([name]) => !changing.includes(name));
    expect(steady(head)).toEqual(steady(get));
  });

  it.each(paths)('HEAD %s answers with the status of GET where there is an error', async (path) => {
    expect((await stack.ask(path, { method: 'HEAD' })).status).toBe(401);
  });

  it.each(paths)('OPTIONS %s is 204 with Allow, for callers without a credential too', async (path) => {
    const response = await stack.ask(path, { method: 'OPTIONS' });
    expect(response.status).toBe(204);
    expect(response.headers.get('allow')).toBe('GET, HEAD, OPTIONS');
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
  });

  it('OPTIONS answers a configured origin with the CORS headers', async () => {
    const headers = { Origin: 'https://app.example', 'Access-Control-Request-Method': 'GET' };
    const response = await stack.ask('/v1/users', { method: 'OPTIONS', headers });
    expect(response.headers.get('access-control-allow-origin')).toBe('https://app.example');
    expect(response.headers.get('access-control-allow-methods')).toBe('GET, HEAD');
    expect(response.headers.get('access-control-allow-headers')).toContain('Authorization');
  });

  it.each(paths.flatMap((path) => ['POST', 'PUT', 'PATCH', 'DELETE'].map((method) => [method, path])))(
    '%s %s is 405 with Allow',
    async (method, path) => {
      const response = await stack.get(path, { method });
      expect(response.status).toBe(405);
      expect(response.headers.get('allow')).toBe('GET, HEAD, OPTIONS');
      expect(await codeOf(response)).toBe('method_not_allowed');
    },
  );
});

describe(decision('Unknown path'), () => {
  it.each(['/', '/v1', '/v1/', '/v2/users', '/v1/orders', '/v1/products/prod_4', '/v1/users/user_3/profile'])(
    '%s is 404 with and without a credential',
    async (path) => {
      const [known, unknown] = [await stack.get(path), await stack.ask(path)];
      expect([known.status, unknown.status]).toEqual([404, 404]);
      expect([await codeOf(known), await codeOf(unknown)]).toEqual(['not_found', 'not_found']);
    },
  );

  it.each(['/V1/users', '/v1/Users', '/v1/users/USER_3', '/v1/PRODUCTS'])(
    '%s is 404: case counts',
    async (path) => {
      expect((await stack.get(path)).status).toBe(404);
    },
  );

  it.each(paths)('%s with a trailing slash is the same resource', async (path) => {
    const [plain, slashed] = [await stack.get(path), await stack.get(`${path}/?limit=50`)];
    expect(slashed.status).toBe(200);
    expect(slashed.headers.get('etag')).toBe(plain.headers.get('etag'));
  });
});
