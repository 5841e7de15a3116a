import { newApiKey, newKeyId } from '../../../../../src/pipeline/stages/authentication/api-key.ts';
import type { JwtCheck } from '../../../../../src/pipeline/stages/authentication/jwt.ts';
import {
  companyKey,
  recordOf,
  startAuthenticate,
  storedId,
  storedKey,
} from '../../../../support/auth/authenticate-stage.ts';
import { bearerCall, createCall } from '../../../../support/pipeline/call.ts';

describe('an address that tries wrong credentials', () => {
  const wrong = () => bearerCall(newApiKey(newKeyId()));

  it('is answered 429 with Retry-After once its window is spent, before Redis is asked', async () => {
    const { lookups, handler, statusOf, outcomes } = startAuthenticate({ points: 3 });
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
    const { clock, statusOf } = startAuthenticate({ points: 2 });
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
    const { statusOf } = startAuthenticate({ points: 1 });
    expect(await statusOf(wrong())).toBe(401);
    expect(await statusOf(wrong())).toBe(429);
    expect(await statusOf(bearerCall(storedKey, { request: { address: '192.0.2.2' } }))).toBe(200);
  });

  it('may try again when the window starts anew', async () => {
    const { clock, statusOf } = startAuthenticate({ points: 1 });
    expect(await statusOf(wrong())).toBe(401);
    expect(await statusOf(wrong())).toBe(429);
    clock.advance(60_000);
    expect(await statusOf(wrong())).toBe(401);
  });
});

describe('the owner of a key that Redis has lost', () => {
  async function lose() {
    const started = startAuthenticate({ points: 2 });
    expect(await started.statusOf(bearerCall(storedKey))).toBe(200);
    started.world.lookup = () => ({ kind: 'absent' });
    started.clock.advance(900);
    return started;
  }

  it('is answered 401 however often, is named to the log, and does not hinder others at its address', async () => {
    const { clock, handler, outcomes, statusOf, world } = await lose();
    const call = bearerCall(storedKey);
    await expect(handler(call)).rejects.toMatchObject({
      ...{ code: 'authentication_required', upstream: { source: 'redis.keys' } },
      detail: `the credential is not valid: lost, key ${storedId}`,
    });
    expect(call.summary.principalId).toBe(storedId);
    for (let round = 0; round < 10; round += 1) expect(await statusOf(bearerCall(storedKey))).toBe(401);
    expect(outcomes).not.toContain('unknown limited');
    world.lookup = (id) => ({ kind: 'found', record: recordOf(id, storedKey) });
    clock.advance(900);
    expect(await statusOf(bearerCall(storedKey))).toBe(200);
  });

  it('is not a caller with its id and another secret: that counts as guessing', async () => {
    const { statusOf } = await lose();
    const wrong = () => statusOf(bearerCall(newApiKey(storedId)));
    expect([await wrong(), await wrong(), await wrong()]).toEqual([401, 401, 429]);
  });
});

const from = (n: number) => ({ request: { address: `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}` } });
const inventedFrom = (n: number) => bearerCall(newApiKey(newKeyId()), from(n));

describe('secrets tried for one key from many addresses', () => {
  it('are 401 as often as one address may fail, then 429, and cost Redis one look-up', async () => {
    const { lookups, handler, statusOf } = startAuthenticate({ points: 5 });
    const statuses: number[] = [];
    for (let n = 0; n < 50; n += 1) statuses.push(await statusOf(bearerCall(newApiKey(storedId), from(n))));
    expect(statuses).toEqual([...Array<number>(5).fill(401), ...Array<number>(45).fill(429)]);
    expect(lookups).toEqual([storedId]);
    await expect(handler(bearerCall(newApiKey(storedId), from(99)))).rejects.toMatchObject({
      detail: `too many wrong secrets of key ${storedId}`,
      retryAfterSeconds: 60,
    });
  });

  it('do not lock its owner out, whom this process has never seen, not even from a spent address', async () => {
    const { clock, lookups, statusOf } = startAuthenticate({ points: 2 });
    for (let n = 0; n < 20; n += 1) await statusOf(bearerCall(newApiKey(storedId), from(0)));
    expect(await statusOf(bearerCall(storedKey, from(1)))).toBe(200);
    expect(await statusOf(bearerCall(storedKey, from(0)))).toBe(200);
    expect(lookups).toEqual([storedId]);
    clock.advance(59_000);
    expect(await statusOf(bearerCall(storedKey, from(0)))).toBe(200);
  });

  it('do not lock out its owner for as long as the window lasts, though this process has forgotten the key', async () => {
    const { clock, world, statusOf } = startAuthenticate({ points: 2 });
    world.lookup = () => ({ kind: 'absent' });
    for (let n = 0; n < 20; n += 1) await statusOf(bearerCall(newApiKey(storedId), from(n)));
    world.lookup = (id) => ({ kind: 'found', record: recordOf(id, storedKey) });
    clock.advance(900);
    expect(await statusOf(bearerCall(newApiKey(storedId), from(98)))).toBe(429);
    clock.advance(900);
    expect(await statusOf(bearerCall(storedKey, from(99)))).toBe(200);
  });

  it('do not lock out the secret it is given meanwhile', async () => {
    const { clock, world, statusOf } = startAuthenticate({ points: 2 });
    for (let n = 0; n < 20; n += 1) await statusOf(bearerCall(newApiKey(storedId), from(n)));
    const next = newApiKey(storedId);
    world.lookup = (id) => ({ kind: 'found', record: recordOf(id, next) });
    clock.advance(900);
    expect(await statusOf(bearerCall(next, from(0)))).toBe(200);
  });

  it('tell by no status whether there is such a key', async () => {
    const { statusOf } = startAuthenticate({ points: 3 });
    const tried = async (id: string) => {
      const statuses: number[] = [];
      for (let n = 0; n < 10; n += 1) statuses.push(await statusOf(bearerCall(newApiKey(id), from(n))));
      return statuses;
    };
    expect(await tried(newKeyId())).toEqual(await tried(storedId));
  });
});

describe('keys invented on many addresses', () => {
  it('cost at most a thousand look-ups at once and 250 a second; further ones are 429', async () => {
    const { clock, lookups, handler, statusOf } = startAuthenticate();
    const statuses = new Map<number, number>();
    const flood = async (first: number, count: number) => {
      for (let n = first; n < first + count; n += 1) {
        const status = await statusOf(inventedFrom(n));
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    };
    await flood(0, 3_000);
    expect(Object.fromEntries(statuses)).toEqual({ 401: 1_000, 429: 2_000 });
    clock.advance(2_000);
    await flood(3_000, 3_000);
    expect(Object.fromEntries(statuses)).toEqual({ 401: 1_500, 429: 4_500 });
    expect(lookups).toHaveLength(1_500);
    await expect(handler(inventedFrom(9_999))).rejects.toMatchObject({
      code: 'rate_limit_exceeded',
      retryAfterSeconds: 1,
    });
  });

  it('leave alone an address that was seen within a day, however old what is known of the key is', async () => {
    const { clock, statusOf } = startAuthenticate();
    expect(await statusOf(bearerCall(storedKey))).toBe(200);
    clock.advance(3_600_000);
    for (let n = 0; n < 1_500; n += 1) await statusOf(inventedFrom(n));
    expect(await statusOf(inventedFrom(2_000))).toBe(429);
    expect(await statusOf(bearerCall(storedKey))).toBe(200);
    expect(await statusOf(bearerCall(companyKey))).toBe(200);
  });

  it('leave newcomers alone whose address has not failed, where they come from addresses that have', async () => {
    const { lookups, statusOf } = startAuthenticate({ points: 100 });
    for (let n = 0; n < 3_000; n += 1) await statusOf(inventedFrom(n % 100));
    expect(lookups).toHaveLength(1_100);
    expect(await statusOf(inventedFrom(0))).toBe(429);
    expect(await statusOf(bearerCall(storedKey, from(200)))).toBe(200);
  });

  it('use up nothing while Redis is away: they are 503', async () => {
    const { world, statusOf } = startAuthenticate();
    world.lookup = () => ({ kind: 'unreachable', cause: new Error('down') });
    for (let n = 0; n < 1_500; n += 1) expect(await statusOf(inventedFrom(0))).toBe(503);
    world.lookup = (id) => ({ kind: 'found', record: recordOf(id, storedKey) });
    expect(await statusOf(bearerCall(storedKey, from(0)))).toBe(200);
  });

  it('cannot use up what valid keys need that are all new to this process', async () => {
    const { world, statusOf } = startAuthenticate();
    const keys = Array.from({ length: 3_000 }, () => newApiKey(newKeyId()));
    const byId = new Map(keys.map((key) => [key.slice(4, 16), key]));
    world.lookup = (id) => ({ kind: 'found', record: recordOf(id, byId.get(id) ?? '') });
    const statuses = await Promise.all(keys.map((key, n) => statusOf(bearerCall(key, from(n)))));
    expect(new Set(statuses)).toEqual(new Set([200]));
  });
});

describe('a token that was just refreshed', () => {
  /** An issuer that signs `eyJ.good…` only, and counts the signatures that were verified. */
  function startIssuer() {
    const stage = startAuthenticate({ points: 3 });
    const verified: string[] = [];
    stage.world.token = ((credential, attempt) => {
      const { text } = credential;
      if (!text.startsWith('eyJ')) return Promise.resolve({ kind: 'unrecognised' });
      attempt?.start();
      verified.push(text);
      if (!text.startsWith('eyJ.good')) {
        attempt?.fail();
        return Promise.resolve({ kind: 'refused' });
      }
      const principal = {
        ...{ kind: 'jwt', id: 'jwt:a', subject: 'jwt:a', tier: 'standard' },
        permissions: new Set<string>(),
      } as const;
      return Promise.resolve({ kind: 'accepted', principal, isFresh: () => false });
    }) as JwtCheck['verify'];
    return { ...stage, verified };
  }

  it('is served behind an address that others have spent by guessing keys or tokens', async () => {
    const { statusOf } = startIssuer();
    for (let n = 0; n < 50; n += 1) await statusOf(inventedFrom(0));
    expect(await statusOf(inventedFrom(0))).toBe(429);
    expect(await statusOf(bearerCall('eyJ.good.1', from(0)))).toBe(200);
    expect(await statusOf(bearerCall('eyJ.wrong.1', from(0)))).toBe(429);
    expect(await statusOf(bearerCall('eyJ.good.2', from(0)))).toBe(200);
  });

  it('is verified for spent addresses until a hundred others came to nothing, and 100 more a second', async () => {
    const { clock, verified, statusOf } = startIssuer();
    for (let n = 0; n < 500; n += 1) await statusOf(bearerCall(`eyJ.wrong.${n}`, from(0)));
    expect(verified).toHaveLength(3 + 100);
    expect(await statusOf(bearerCall('eyJ.good.1', from(0)))).toBe(429);
    // Nobody else is the poorer for it.
    expect(await statusOf(bearerCall('eyJ.good.1', from(1)))).toBe(200);
    // Verified before, it is again, from wherever.
    expect(await statusOf(bearerCall('eyJ.good.1', from(0)))).toBe(200);
    clock.advance(1_000);
    expect(await statusOf(bearerCall('eyJ.good.2', from(0)))).toBe(200);
  });
});
