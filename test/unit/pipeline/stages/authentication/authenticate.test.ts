import { fault } from '../../../../../src/kernel/errors/fault.ts';
import { newApiKey, newKeyId } from '../../../../../src/pipeline/stages/authentication/api-key.ts';
import {
  companyKey,
  recordOf,
  startAuthenticate,
  storedId,
  storedKey,
} from '../../../../support/auth/authenticate-stage.ts';
import { bearerCall, createCall } from '../../../../support/pipeline/call.ts';

const CHALLENGE = 'Bearer realm="portico"';
const CHALLENGE_INVALID = 'Bearer realm="portico", error="invalid_token"';

const otherKey = newApiKey(newKeyId());

describe('authenticate', () => {
  it('lets a key of Redis through and tells the log its id', async () => {
    const { handler, outcomes } = startAuthenticate();
    const call = bearerCall(storedKey);
    expect(await handler(call)).toBe(storedId);
    expect(call.summary.principalId).toBe(storedId);
    expect(outcomes).toEqual(['key accepted']);
  });

  it('takes a key from X-API-Key too, and the same one in both places', async () => {
    const { handler } = startAuthenticate();
    expect(await handler(createCall({ request: { apiKey: [storedKey] } }))).toBe(storedId);
    const both = { apiKey: [storedKey], authorization: [`Bearer ${storedKey}`] };
    expect(await handler(createCall({ request: both }))).toBe(storedId);
  });

  it('answers 401 without an error attribute when no credential is presented, and does not charge it', async () => {
    const { handler, outcomes, statusOf } = startAuthenticate({ points: 1 });
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
    const { handler, outcomes } = startAuthenticate();
    await expect(handler(createCall({ request }))).rejects.toMatchObject({
      code: 'authentication_required',
      headers: { 'WWW-Authenticate': CHALLENGE_INVALID },
    });
    expect(outcomes).toEqual(['unknown refused']);
  });

  it('asks Redis neither for keys of the configuration nor for texts whose checksum fails', async () => {
    const { handler, lookups, statusOf } = startAuthenticate();
    expect(await handler(bearerCall(companyKey))).toBe('legacycrm');
    const mistyped = storedKey.slice(0, -1) + (storedKey.endsWith('0') ? '1' : '0');
    expect(await statusOf(bearerCall(mistyped))).toBe(401);
    expect(lookups).toEqual([]);
  });

  it('serves a public resource to a caller without a credential, counted by address', async () => {
    const { handler } = startAuthenticate();
    const call = createCall({ permission: null, request: { address: '2001:db8::1' } });
    expect(await handler(call)).toBe('anonymous');
    expect(call.principal).toMatchObject({ subject: 'address:2001:db8:0:0::/64', tier: 'anonymous' });
  });

  it('verifies a credential on a public resource all the same, and uses its tier', async () => {
    const { statusOf } = startAuthenticate();
    expect(await statusOf(bearerCall(otherKey, { permission: null }))).toBe(401);
    const call = bearerCall(storedKey, { permission: null });
    expect(await statusOf(call)).toBe(200);
    expect(call.principal?.tier).toBe('standard');
  });

  it('answers 503, never 401, for a credential that cannot be verified now', async () => {
    const { world, outcomes, statusOf } = startAuthenticate({ points: 1 });
    world.lookup = () => ({ kind: 'unreachable', cause: new Error('down') });
    world.token = () => Promise.reject(fault('upstream_unavailable'));
    for (let round = 0; round < 3; round += 1) {
      expect(await statusOf(bearerCall(otherKey))).toBe(503);
      expect(await statusOf(bearerCall('eyJ.a.b'))).toBe(503);
    }
    expect(new Set(outcomes)).toEqual(new Set(['unknown unavailable']));
  });

  it('names the caller whose credential cannot be verified now, and trusts no id that nothing proves', async () => {
    const { clock, world, handler, statusOf } = startAuthenticate();
    await handler(bearerCall(storedKey));
    clock.advance(61_000);
    world.lookup = () => ({ kind: 'unreachable', cause: new Error('down') });
    world.token = () => Promise.reject(fault('upstream_unavailable'));
    const claims = (sub: unknown) => `eyJ.${Buffer.from(JSON.stringify({ sub })).toString('base64url')}.b`;
    const token = bearerCall(claims('ada'));
    const [known, unknown] = [storedKey, otherKey].map((key) => bearerCall(key));
    const strange = ['eyJ.a.b', claims('a b'), claims(7)].map((key) => bearerCall(key));
    for (const call of [known, unknown, token, ...strange]) if (call !== undefined) await statusOf(call);
    expect(known?.summary).toMatchObject({ principalId: storedId });
    expect(unknown?.summary).toMatchObject({ principalId: undefined, claimedId: otherKey.slice(4, 16) });
    expect(token.summary).toMatchObject({ principalId: undefined, claimedId: 'jwt:ada' });
    expect(strange.map(({ summary }) => summary.claimedId)).toEqual([undefined, undefined, undefined]);
  });

  it('asks nobody about a credential it has verified a moment ago', async () => {
    const { clock, lookups, handler } = startAuthenticate();
    for (let round = 0; round < 100; round += 1) await handler(bearerCall(storedKey));
    clock.advance(399);
    await handler(bearerCall(storedKey));
    expect(lookups).toHaveLength(1);
  });

  it('takes a JWT as a bearer token only, also when it was accepted as one before', async () => {
    const { world, statusOf } = startAuthenticate();
    const principal = {
      kind: 'jwt',
      id: 'jwt:a',
      subject: 'jwt:a',
      permissions: new Set<string>(),
      tier: 'standard',
    } as const;
    world.token = ({ bearer }) =>
      Promise.resolve(
        bearer ? { kind: 'accepted', principal, isFresh: () => true } : { kind: 'unrecognised' },
      );
    expect(await statusOf(bearerCall('eyJ.a.b'))).toBe(200);
    expect(await statusOf(createCall({ request: { apiKey: ['eyJ.a.b'] } }))).toBe(401);
  });

  it('refuses a revoked key within a second, on every use after', async () => {
    const { clock, world, statusOf } = startAuthenticate();
    expect(await statusOf(bearerCall(storedKey))).toBe(200);
    world.lookup = (id) => ({
      kind: 'found',
      record: { ...recordOf(id, storedKey), revokedAt: clock.now() },
    });
    clock.advance(900);
    expect(await statusOf(bearerCall(storedKey))).toBe(401);
  });
});
