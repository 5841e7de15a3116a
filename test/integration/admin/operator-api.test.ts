import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { startRedis } from '../../support/redis/redis-server.ts';
import { startStack } from '../../support/gateway/stack.ts';
import { startForAll } from '../../support/jest/lifetime.ts';

type Method = 'get' | 'post' | 'patch' | 'delete';
type Described = {
  readonly parameters?: readonly { readonly in: string; readonly name: string }[];
  readonly responses: Readonly<Record<string, { content?: Record<string, { schema: object }> }>>;
};
const document = JSON.parse(readFileSync('config/operator-openapi.json', 'utf8')) as {
  readonly paths: Readonly<Record<string, Partial<Record<Method, Described>>>>;
};
const described = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.keys(item).map((method) => ({ path, method: method as Method })),
);
const ajv = new Ajv2020({ strict: false });

const redis = startForAll(startRedis);
const stack = startForAll(() => startStack({ redis: { url: redis.url, prefix: 'portico:' } }));

async function ask(path: string, method: string = 'get', body?: object) {
  const answer = await fetch(stack.adminUrl + path, {
    method: method.toUpperCase(),
    ...(body && { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } }),
  });
  // A stream of events would never end.
  const isStream = answer.headers.get('content-type')?.startsWith('text/event-stream') === true;
  if (isStream) await answer.body?.cancel();
  const text = isStream ? '' : await answer.text();
  const isJson = answer.headers.get('content-type')?.startsWith('application/json') === true;
  return { status: answer.status, body: (isJson ? JSON.parse(text) : text) as never };
}

/** A path of this API that the listener does not have answers so. */
const isUnrouted = ({ status, body }: { status: number; body: unknown }) =>
  status === 404 && JSON.stringify(body).includes('is no path');

describe("the operator's API", () => {
  it.each(described)('has $method $path, as its document says', async ({ path, method }) => {
    expect(isUnrouted(await ask(path.replaceAll(/\{\w+\}/g, 'nobody'), method))).toBe(false);
  });

  it('serves the committed document, and has no path that is not in it', async () => {
    expect((await ask('/api/openapi.json')).body).toEqual(document);
    for (const path of Object.keys(document.paths))
      for (const method of ['get', 'post', 'patch', 'delete', 'put'] as const)
        if (!described.some((one) => one.path === path && one.method === method))
          expect([path, method, isUnrouted(await ask(path.replace('{id}', 'nobody'), method))]).toEqual([
            path,
            method,
            true,
          ]);
  });

  it.each(['/api/quality', '/api/claims'])('answers GET %s as the document says', async (path) => {
    await stack.get('/v1/users');
    const { status, body } = await ask(path);
    const schema = document.paths[path]?.get?.responses['200']?.content?.['application/json']?.schema ?? {};
    expect([status, ajv.validate(schema, body), ajv.errorsText()]).toEqual([200, true, 'No errors']);
  });

  it('says how many answers and scan caches a purge reached, and a second one reaches none of them', async () => {
    for (const path of ['/v1/users?limit=3', '/v1/users?limit=4', '/v1/products?limit=3'])
      expect((await stack.get(path)).status).toBe(200);
    expect((await ask('/api/cache/purge', 'post', { tag: 'products' })).body).toEqual({
      purged: 'products',
      reached: { processes: 1, answers: 1, scanCaches: 0 },
    });
    const users = await ask('/api/cache/purge', 'post', { tag: 'users' });
    expect(users.body).toMatchObject({ reached: { answers: 3 } });
    expect((await ask('/api/cache/purge', 'post', { tag: 'users' })).body).toMatchObject({
      reached: { answers: 0, scanCaches: 0 },
    });
  });

  it('refuses a tag that no answer can have, and names those that there are', async () => {
    expect(await ask('/api/cache/purge', 'post', { tag: 'usres' })).toEqual({
      status: 400,
      body: {
        error: {
          code: 'bad_input',
          reason: 'no answer has the tag usres',
          hint: 'tags: users, users:<id>, products, products:<id>, *',
        },
      },
    });
  });

  it('answers a purge that Redis does not take with 503, the reason and a line of the log', async () => {
    await redis.kill();
    const refused = await ask('/api/cache/purge?tag=users', 'post');
    expect(refused).toMatchObject({ status: 503, body: { error: { code: 'unavailable' } } });
    expect(JSON.stringify(refused.body)).toMatch(/the Redis of the role cache failed: \S+/);
    expect(stack.log.join('\n')).toContain("an operator's request failed");
  });
});
