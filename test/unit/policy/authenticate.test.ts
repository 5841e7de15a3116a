import { fault } from '../../../src/errors/fault.ts';
import { Secret } from '../../../src/kernel/secret.ts';
import { createApiKeyCheck } from '../../../src/policy/api-key-check.ts';
import { createKeyRecords } from '../../../src/policy/api-key-records.ts';
import { hashApiKey, newApiKey, newKeyId } from '../../../src/policy/api-key.ts';
import { createAuthenticate } from '../../../src/policy/authenticate.ts';
import type { Call } from '../../../src/policy/call.ts';
import { createFailedCredentials } from '../../../src/policy/failed-credentials.ts';
import type { Credential, Verdict } from '../../../src/policy/verdict.ts';
import type { KeyLookup } from '../../../src/store/key-store.ts';
import { createLimiter } from '../../../src/store/limiter.ts';
import { bearerCall, createCall, later } from '../../support/call.ts';
import { createManualClock } from '../../support/manual-clock.ts';

const pepper = new Secret('a pepper of the tests');
const CHALLENGE = 'Bearer realm="portico"';
const CHALLENGE_INVALID = 'Bearer realm="portico", error="invalid_token"';

const storedId = newKeyId();
const storedKey = newApiKey(storedId);
const otherKey = newApiKey(newKeyId());
const companyKey = 'Crm/Key+2019==';

/** The stage with a real check of keys, over a store and an issuer that the test speaks for. */
function setUp({ points = 3 } = {}) {
  const clock = createManualClock();
  const outcomes: string[] = [];
  const lookups: string[] = [];
  const world = {
    lookup: (id: string): KeyLookup =>
      id === storedId ? { kind: 'found', record: recordOf(id, storedKey) } : { kind: 'absent' },
    token: (_credential: Credential): Promise<Verdict> => Promise.resolve({ kind: 'foreign' }),
  };
  const find = (id: string) => {
    lookups.push(id);
    return Promise.resolve(world.lookup(id));
  };
  const limiter = createLimiter({
    tiers: { failed: { windows: [{ points, seconds: 60 }], onStoreFailure: 'open' } },
    keyOf: (_tier, _windows, subject) => subject,
    monotonic: () => clock.monotonic(),
  });
  const stage = createAuthenticate({
    apiKeys: createApiKeyCheck({
      pepper,
      configured: [
        {
          id: 'legacycrm',
          hash: hashApiKey(pepper, companyKey),
          label: '',
          permissions: [],
          tier: 'standard',
        },
      ],
      records: createKeyRecords({ find, clock }),
      clock,
      tiers: new Set(['standard']),
      fallbackTier: 'standard',
    }),
    jwt: { verify: (credential) => world.token(credential) },
    failed: createFailedCredentials({ consume: (subject) => limiter.consume('failed', subject), clock }),
    anonymousTier: 'anonymous',
    onCredential: (kind, outcome) => outcomes.push(`${kind} ${outcome}`),
  });
  const handler = later(stage((call) => call.principal?.id));
  const statusOf = async (call: Call) => {
    try {
      await handler(call);
      return 200;
    } catch (error) {
      return (error as { status: number }).status;
    }
  };
  return { clock, outcomes, lookups, world, handler, statusOf };
}

function recordOf(id: string, key: string) {
  const hashes = [{ hash: hashApiKey(pepper, key) }];
  return { id, label: '', permissions: ['users:read'], tier: 'standard', createdAt: 0, hashes };
}

describe('authenticate', () => {
  it('lets a key of Redis through and tells the log its id', async () => {
    const { handler, outcomes } = setUp();
    const call = bearerCall(storedKey);
    expect(await handler(call)).toBe(storedId);
    expect(call.trace.principalId).toBe(storedId);
    expect(outcomes).toEqual(['key accepted']);
  });

  it('takes a key from X-API-Key too, and the same one in both places', async () => {
    const { handler } = setUp();
    expect(await handler(createCall({ request: { apiKey: [storedKey] } }))).toBe(storedId);
    const both = { apiKey: [storedKey], authorization: [`Bearer ${storedKey}`] };
    expect(await handler(createCall({ request: both }))).toBe(storedId);
  });

  it('answers 401 without an error attribute when no credential is presented, and does not charge it', async () => {
    const { handler, outcomes, statusOf } = setUp({ points: 1 });
    for (let round = 0; round < 5; round += 1) {
      await expect(handler(createCall())).rejects.toMatchObject({
        code: 'authentication_required',
        headers: { 'WWW-Authenticate': CHALLENGE },
      });
    }
    expect(outcomes).toEqual(Array(5).fill('unknown missing'));
    expect(await statusOf(bearerCall(storedKey))).toBe(200);
  });

  it.each([
    ['an unknown key', { authorization: [`Bearer ${otherKey}`] }],
    ['a known id with another secret', { authorization: [`Bearer ${newApiKey(storedId)}`] }],
    ['a text that is nothing we know', { apiKey: ['hunter2'] }],
    ['another scheme', { authorization: ['Basic dXNlcjpwYXNz'] }],
    ['an empty key', { apiKey: [''] }],
    ['two different credentials', { authorization: [`Bearer ${storedKey}`], apiKey: [companyKey] }],
    ['two different bearer tokens', { authorization: [`Bearer ${storedKey}`, `Bearer ${companyKey}`] }],
  ])('answers 401 invalid_token to %s', async (_, request) => {
    const { handler, outcomes } = setUp();
    await expect(handler(createCall({ request }))).rejects.toMatchObject({
      code: 'authentication_required',
      headers: { 'WWW-Authenticate': CHALLENGE_INVALID },
    });
    expect(outcomes).toEqual(['unknown refused']);
  });

  it('asks Redis neither for keys of the configuration nor for texts whose checksum fails', async () => {
    const { handler, lookups, statusOf } = setUp();
    expect(await handler(bearerCall(companyKey))).toBe('legacycrm');
    const mistyped = storedKey.slice(0, -1) + (storedKey.endsWith('0') ? '1' : '0');
    expect(await statusOf(bearerCall(mistyped))).toBe(401);
    expect(lookups).toEqual([]);
  });

  it('serves a public resource to a caller without a credential, counted by address', async () => {
    const { handler } = setUp();
    const call = createCall({ permission: null, request: { address: '2001:db8::1' } });
    expect(await handler(call)).toBe('anonymous');
    expect(call.principal).toMatchObject({ subject: 'address:2001:db8:0:0::/64', tier: 'anonymous' });
  });

  it('verifies a credential on a public resource all the same, and uses its tier', async () => {
    const { statusOf } = setUp();
    expect(await statusOf(bearerCall(otherKey, { permission: null }))).toBe(401);
    const call = bearerCall(storedKey, { permission: null });
    expect(await statusOf(call)).toBe(200);
    expect(call.principal?.tier).toBe('standard');
  });

  it('answers 503, never 401, for a credential that cannot be verified now', async () => {
    const { world, outcomes, statusOf } = setUp({ points: 1 });
    world.lookup = () => ({ kind: 'unreachable', cause: new Error('down') });
    world.token = () => Promise.reject(fault('upstream_unavailable'));
    for (let round = 0; round < 3; round += 1) {
      expect(await statusOf(bearerCall(otherKey))).toBe(503);
      expect(await statusOf(bearerCall('eyJ.a.b'))).toBe(503);
    }
    expect(new Set(outcomes)).toEqual(new Set(['unknown unavailable']));
  });

  it('asks nobody about a credential it has verified a moment ago', async () => {
    const { clock, lookups, handler } = setUp();
    for (let round = 0; round < 100; round += 1) await handler(bearerCall(storedKey));
    clock.advance(399);
    await handler(bearerCall(storedKey));
    expect(lookups).toHaveLength(1);
  });

  it('takes a JWT as a bearer token only, also when it was accepted as one before', async () => {
    const { world, statusOf } = setUp();
    const principal = {
      kind: 'jwt',
      id: 'jwt:a',
      subject: 'jwt:a',
      permissions: new Set<string>(),
      tier: 'standard',
    } as const;
    world.token = ({ bearer }) =>
      Promise.resolve(bearer ? { kind: 'accepted', principal, isFresh: () => true } : { kind: 'foreign' });
    expect(await statusOf(bearerCall('eyJ.a.b'))).toBe(200);
    expect(await statusOf(createCall({ request: { apiKey: ['eyJ.a.b'] } }))).toBe(401);
  });

  it('refuses a revoked key within a second, on every use after', async () => {
    const { clock, world, statusOf } = setUp();
    expect(await statusOf(bearerCall(storedKey))).toBe(200);
    world.lookup = (id) => ({
      kind: 'found',
      record: { ...recordOf(id, storedKey), revokedAt: clock.now() },
    });
    clock.advance(900);
    expect(await statusOf(bearerCall(storedKey))).toBe(401);
  });
});

describe('an address that tries wrong credentials', () => {
  const wrong = () => bearerCall(newApiKey(newKeyId()));

  it('is answered 429 with Retry-After once its window is spent, before Redis is asked', async () => {
    const { lookups, handler, statusOf, outcomes } = setUp({ points: 3 });
    for (let round = 0; round < 3; round += 1) expect(await statusOf(wrong())).toBe(401);
    const asked = lookups.length;
    await expect(handler(wrong())).rejects.toMatchObject({
      code: 'rate_limit_exceeded',
      retryAfterSeconds: 60,
    });
    expect(await statusOf(createCall({ request: { authorization: ['Basic x'] } }))).toBe(429);
    expect(lookups).toHaveLength(asked);
    expect(outcomes.at(-1)).toBe('unknown limited');
  });

  it('does not lock out the known callers behind it: from Redis, from the configuration, or none at all', async () => {
    const { clock, statusOf } = setUp({ points: 2 });
    expect(await statusOf(bearerCall(storedKey))).toBe(200);
    for (let round = 0; round < 2; round += 1) await statusOf(wrong());
    clock.advance(5_000);
    expect(await statusOf(wrong())).toBe(429);
    expect(await statusOf(bearerCall(storedKey))).toBe(200);
    expect(await statusOf(bearerCall(companyKey))).toBe(200);
    expect(await statusOf(createCall())).toBe(401);
    expect(await statusOf(createCall({ permission: null }))).toBe(200);
  });

  it('does not hinder other addresses', async () => {
    const { statusOf } = setUp({ points: 1 });
    expect(await statusOf(wrong())).toBe(401);
    expect(await statusOf(wrong())).toBe(429);
    expect(await statusOf(bearerCall(storedKey, { request: { address: '192.0.2.2' } }))).toBe(200);
  });

  it('may try again when the window starts anew', async () => {
    const { clock, statusOf } = setUp({ points: 1 });
    expect(await statusOf(wrong())).toBe(401);
    expect(await statusOf(wrong())).toBe(429);
    clock.advance(60_000);
    expect(await statusOf(wrong())).toBe(401);
  });
});
