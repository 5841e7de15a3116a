import { newApiKey, newKeyId } from '../../../src/pipeline/stages/authentication/api-key.ts';
import { eventually } from '../../support/time/eventually.ts';
import { startRedis } from '../../support/redis/redis-server.ts';
import { operationCases } from '../../support/gateway/operation-cases.ts';
import { KEY, type StackOptions, startStack, storedHash } from '../../support/gateway/stack.ts';
import { endAfterTest, startForAll } from '../../support/jest/lifetime.ts';

/** Its tier answers only where the limit can be counted. */
const STRICT = 'a-test-key-that-fails-closed';

const redis = startForAll(startRedis);
const stack = startForAll(() =>
  startStack({
    redis: { url: redis.url, prefix: 'down:' },
    configure({ limits, auth }) {
      limits.tiers['strict'] = {
        windows: [{ points: 1_000, seconds: 1 }],
        onStoreFailure: 'closed',
        dryRun: false,
      };
      const permissions = operationCases.map(({ permission }) => permission);
      auth.apiKeys?.keys.push({
        id: 'strict',
        hash: storedHash(STRICT),
        label: '',
        permissions,
        tier: 'strict',
      });
    },
  }),
);
beforeAll(async () => {
  for (const { path } of operationCases)
    for (const key of [KEY, STRICT])
      expect([200, 404]).toContain((await stack.ask(path, { headers: { 'x-api-key': key } })).status);
  expect(await stack.isReady()).toBe(true);
  await redis.kill();
  // Points that this process had set aside are spent first: for half a second at most.
  const [{ path }] = operationCases as [(typeof operationCases)[number]];
  await eventually(async () => (await stack.ask(path, { headers: { 'x-api-key': STRICT } })).status === 503);
});

describe('a Redis that is gone', () => {
  it.each(operationCases)(
    '$name: is served on, within the limit that this process counts',
    async ({ path }) => {
      const response = await stack.get(`${path}?limit=7`);
      expect([200, 404]).toContain(response.status);
      expect(response.headers.get('ratelimit')).toMatch(/^"1s";r=\d+;t=1$/);
    },
  );

  it.each(operationCases)(
    '$name: answers 503 limiter_unavailable where the tier fails closed',
    async ({ path }) => {
      const response = await stack.ask(path, { headers: { 'x-api-key': STRICT } });
      expect(response.status).toBe(503);
      expect(await response.json()).toMatchObject({ error: { code: 'limiter_unavailable' } });
    },
  );

  it('leaves a gateway ready that knows keys, but for those who ask strictly; it says what is lost', async () => {
    expect((await fetch(`${stack.adminUrl}/readyz`)).status).toBe(200);
    const ready = await fetch(`${stack.adminUrl}/readyz?strict`);
    expect([ready.status, await ready.json()]).toMatchObject([
      503,
      {
        status: 'not ready',
        draining: false,
        checks: { redis: false },
        details: {
          redis: expect.stringMatching(/^lost: out of reach/) as string,
        },
      },
    ]);
  });

  it('makes one that begins now not ready, because it has never known them', async () => {
    const at = { redis: { url: redis.url, prefix: 'down:' } };
    const configure: StackOptions['configure'] = ({ redis: of }) =>
      void Object.assign(of, { commandTimeout: 100, connectTimeout: 100 });
    const cold = endAfterTest(await startStack({ ...at, configure }));
    expect((await fetch(`${cold.adminUrl}/readyz`)).status).toBe(503);
  });

  it('answers 503 with Retry-After to a key that is not known', async () => {
    const [{ path }] = operationCases as [(typeof operationCases)[number]];
    const headers = { 'x-api-key': newApiKey(newKeyId()) };
    const { status, headers: given } = await stack.ask(path, { headers });
    expect([status, given.get('retry-after')]).toEqual([503, '1']);
  });
});
