import { eventually } from '../../support/time/eventually.ts';
import { startRedis } from '../../support/redis/redis-server.ts';
import { operationCases } from '../../support/gateway/operation-cases.ts';
import { KEY, startStack, storedHash } from '../../support/gateway/stack.ts';
import { startForAll } from '../../support/jest/lifetime.ts';

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

  it('makes /readyz answer 503', async () => {
    const ready = await fetch(`${stack.adminUrl}/readyz`);
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
});
