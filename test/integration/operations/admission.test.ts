import { KEY, storedHash, startStack } from '../../support/gateway/stack.ts';
import { operationCases } from '../../support/gateway/operation-cases.ts';
import { startForAll } from '../../support/jest/lifetime.ts';

/** May do everything, once a minute. */
const ONCE = 'a-test-key-for-one-request';
/** Has every permission that exists, but for the one that is asked for. */
const OTHERS = 'a-test-key-with-other-permissions';

const everyPermission = [...new Set(operationCases.map(({ permission }) => permission)), 'other:read'];

async function codeOf(response: Response): Promise<string> {
  return ((await response.json()) as { error: { code: string } }).error.code;
}

describe.each(operationCases)('$name', ({ path, permission }) => {
  const stack = startForAll(() =>
    startStack({
      configure({ limits, auth }) {
        limits.tiers['once'] = {
          windows: [{ points: 1, seconds: 60 }],
          onStoreFailure: 'open',
          dryRun: false,
        };
        const others = everyPermission.filter((other) => other !== permission);
        const key = { label: '', tier: 'roomy' };
        auth.apiKeys?.keys.push(
          { ...key, id: 'oneshot', hash: storedHash(ONCE), permissions: everyPermission, tier: 'once' },
          { ...key, id: 'others', hash: storedHash(OTHERS), permissions: others },
        );
      },
    }),
  );

  it('answers a caller with a key and the permission', async () => {
    expect([200, 404]).toContain((await stack.get(path)).status);
  });

  it('answers 401 without a key, and asks nothing of an upstream', async () => {
    const asked = () =>
      Object.values(stack.services).map((service) => (service as { requests?: number }).requests);
    const before = asked();
    const response = await stack.ask(path);
    expect([response.status, await codeOf(response)]).toEqual([401, 'authentication_required']);
    expect(asked()).toEqual(before);
  });

  it('answers 401 to a wrong key', async () => {
    const response = await stack.ask(path, { headers: { 'x-api-key': `${KEY}x` } });
    expect([response.status, await codeOf(response)]).toEqual([401, 'authentication_required']);
  });

  it('answers 403 to a key with every permission but the one it needs', async () => {
    const response = await stack.ask(path, { headers: { 'x-api-key': OTHERS } });
    expect([response.status, await codeOf(response)]).toEqual([403, 'insufficient_permissions']);
  });

  it('answers 429 over the limit, and says when to come back', async () => {
    const once = { headers: { 'x-api-key': ONCE } };
    expect([200, 404]).toContain((await stack.ask(path, once)).status);
    const response = await stack.ask(path, once);
    expect([response.status, await codeOf(response)]).toEqual([429, 'rate_limit_exceeded']);
    const seconds = Number(response.headers.get('retry-after'));
    expect(seconds).toBeGreaterThan(50);
    // A point is held against its caller for a window, and for what is left of the piece in which it was counted.
    expect(seconds).toBeLessThanOrEqual(62);
    expect(response.headers.get('ratelimit')).toBe('"60s";r=0;t=60');
  });
});
