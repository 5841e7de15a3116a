import { KEY, storedHash, startStack } from '../../support/gateway/stack.ts';
import { decision } from './decisions.ts';
import { startForEach } from '../../support/jest/lifetime.ts';

/** May read users only, and only three times in a minute. */
const THRIFTY = 'a-test-key-with-three-requests';

const stack = startForEach(() =>
  startStack({
    configure({ limits, auth }) {
      limits.tiers['three'] = {
        windows: [{ points: 3, seconds: 60 }],
        onStoreFailure: 'open',
        dryRun: false,
      };
      limits.failedCredentials = { points: 2, seconds: 60 };
      auth.apiKeys?.keys.push({
        id: 'thrifty',
        hash: storedHash(THRIFTY),
        label: '',
        permissions: ['users:read'],
        tier: 'three',
      });
    },
  }),
);

async function spendThree(): Promise<void> {
  for (let i = 0; i < 3; i += 1)
    expect((await stack.get('/v1/users', { headers: { 'x-api-key': THRIFTY } })).status).toBe(200);
}

async function statusAndCode(response: Response) {
  const { error } = (await response.json()) as { error: { code: string } };
  return [response.status, error.code];
}

describe(decision('Order of the checks'), () => {
  it('route before method: POST to an unknown path is 404', async () => {
    expect(await statusAndCode(await stack.ask('/v1/nothing', { method: 'POST' }))).toEqual([
      404,
      'not_found',
    ]);
  });

  it('method before credentials: POST without a credential is 405', async () => {
    const response = await stack.ask('/v1/users', { method: 'POST' });
    expect(await statusAndCode(response)).toEqual([405, 'method_not_allowed']);
  });

  it('credentials before rate limit: a second credential beside one whose limit is spent is 401', async () => {
    await spendThree();
    const headers = { 'x-api-key': THRIFTY, authorization: 'Bearer another-one' };
    const response = await stack.get('/v1/users', { headers });
    expect(await statusAndCode(response)).toEqual([401, 'authentication_required']);
    expect(response.headers.get('ratelimit')).toBeNull();
  });

  it('rate limit before permission: a spent limit on a forbidden resource is 429', async () => {
    await spendThree();
    const response = await stack.get('/v1/products', { headers: { 'x-api-key': THRIFTY } });
    expect(await statusAndCode(response)).toEqual([429, 'rate_limit_exceeded']);
  });

  it('permission before parameters: a wrong page of a forbidden resource is 403', async () => {
    const response = await stack.get('/v1/products?page=0', { headers: { 'x-api-key': THRIFTY } });
    expect(await statusAndCode(response)).toEqual([403, 'insufficient_permissions']);
  });

  it('parameters before record: malformed encoding beside an unknown id is 400', async () => {
    expect(await statusAndCode(await stack.get('/v1/users/user_1?x=%zz'))).toEqual([400, 'bad_request']);
    expect(await statusAndCode(await stack.get('/v1/users/user_1'))).toEqual([404, 'not_found']);
  });

  it('makes no upstream call before all of them have passed', async () => {
    const before = stack.services.users.requests + stack.services.catalog.requests;
    await stack.ask('/v1/users');
    await stack.get('/v1/users?page=0');
    await stack.get('/v1/users', { method: 'DELETE' });
    await stack.get('/v1/products', { headers: { 'x-api-key': THRIFTY } });
    expect(stack.services.users.requests + stack.services.catalog.requests).toBe(before);
  });

  it('counts wrong credentials against the address, and still serves valid ones from it', async () => {
    const wrong = () => stack.get('/v1/users', { headers: { 'x-api-key': 'a-guess-at-some-key' } });
    expect([(await wrong()).status, (await wrong()).status]).toEqual([401, 401]);
    const refused = await wrong();
    expect(await statusAndCode(refused)).toEqual([429, 'rate_limit_exceeded']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect((await stack.get('/v1/users', { headers: { 'x-api-key': KEY } })).status).toBe(200);
  });
});
