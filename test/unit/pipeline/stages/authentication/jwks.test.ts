import { exportJWK, generateKeyPair, type JWK } from 'jose';
import { createJwks } from '../../../../../src/pipeline/stages/authentication/jwks.ts';
import { createManualClock } from '../../../../support/time/manual-clock.ts';

const header = (kid: string) => ({ alg: 'ES256', kid });
const nothing = { payload: '', signature: '' };

async function publicJwk(kid: string): Promise<JWK> {
  const { publicKey } = await generateKeyPair('ES256', { extractable: true });
  return { ...(await exportJWK(publicKey)), kid, alg: 'ES256', use: 'sig' };
}

const firstKeys = { keys: [await publicJwk('a')] };

/** An issuer whose key set the test sets; it counts how often it is asked. */
function setUp() {
  const clock = createManualClock();
  const failures: string[] = [];
  const ignored: number[] = [];
  const issuer = {
    fetches: 0,
    answer: (): Promise<unknown> => Promise.resolve(firstKeys),
  };
  const keyOf = createJwks({
    url: 'https://issuer.example/keys',
    fetchJwks: () => {
      issuer.fetches += 1;
      return issuer.answer();
    },
    clock,
    freshMs: 600_000,
    staleMs: 86_400_000,
    log: {
      warn(line: { readonly problem?: string; readonly ignored?: number }) {
        if (line.problem !== undefined) failures.push(line.problem);
        if (line.ignored !== undefined) ignored.push(line.ignored);
      },
    },
  });
  return { clock, issuer, failures, ignored, find: (kid: string) => keyOf(header(kid), nothing) };
}

const down = () => Promise.reject(new Error('issuer down'));
const settled = () => new Promise(setImmediate);

describe("the issuer's keys", () => {
  it('are fetched once for a hundred callers at a cold start', async () => {
    const { issuer, find } = setUp();
    await Promise.all(Array.from({ length: 100 }, () => find('a')));
    expect(issuer.fetches).toBe(1);
  });

  it('cost at most one fetch per 30 s, however many unknown key ids are invented', async () => {
    const { clock, issuer, find } = setUp();
    await find('a');
    for (let second = 0; second < 60; second += 1) {
      for (const kid of ['x', '../../etc/passwd', "' or 1=1", 'y'.repeat(1_000), `r${second}`]) {
        await expect(find(kid)).rejects.toMatchObject({ code: 'ERR_JWKS_NO_MATCHING_KEY' });
      }
      clock.advance(1_000);
    }
    expect(issuer.fetches).toBe(2);
  });

  it('include a rotated key as soon as a token names it, 30 s after the last fetch', async () => {
    const { clock, issuer, find } = setUp();
    await find('a');
    const rotated = { keys: [await publicJwk('b')] };
    issuer.answer = () => Promise.resolve(rotated);
    clock.advance(30_000);
    expect((await find('b')).constructor.name).toBe('CryptoKey');
  });

  it('are refreshed in the background once they are older than keysFresh', async () => {
    const { clock, issuer, find } = setUp();
    await find('a');
    clock.advance(600_000);
    issuer.answer = () => new Promise(() => undefined);
    await find('a');
    expect(issuer.fetches).toBe(2);
  });

  it('serve on through an outage of the issuer up to keysStale, asking it once per 30 s', async () => {
    const { clock, issuer, failures, find } = setUp();
    await find('a');
    issuer.answer = down;
    clock.advance(600_000);
    for (let round = 0; round < 100; round += 1) {
      await find('a');
      await settled();
    }
    expect(issuer.fetches).toBe(2);
    expect(failures).toEqual(['issuer down']);
    clock.advance(86_400_000 - 600_000 - 1);
    await find('a');
    clock.advance(1);
    await settled();
    clock.advance(1_000);
    await expect(find('a')).rejects.toMatchObject({ code: 'upstream_unavailable' });
  });

  it('that were never obtained are a 503, with one fetch per second, until the issuer answers', async () => {
    const { clock, issuer, find } = setUp();
    const { answer } = issuer;
    issuer.answer = down;
    for (let round = 0; round < 20; round += 1) {
      await expect(find('a')).rejects.toMatchObject({ code: 'upstream_unavailable', status: 503 });
    }
    expect(issuer.fetches).toBe(1);
    issuer.answer = answer;
    clock.advance(1_000);
    await find('a');
  });

  it.each([
    ['null', null],
    ['a number', 5],
    ['a text', 'x'],
    ['a list', []],
    ['true', true],
  ])('are used although an entry of the set is %s, which is ignored with a warning', async (_, entry) => {
    const { issuer, failures, ignored, find } = setUp();
    issuer.answer = () => Promise.resolve({ keys: [entry, ...firstKeys.keys, entry] });
    expect((await find('a')).constructor.name).toBe('CryptoKey');
    expect([ignored, failures]).toEqual([[2], []]);
  });

  it.each<[string, Record<string, unknown>]>([
    ['of a type that nobody knows', { kty: 'PQC', alg: 'ML-DSA-65', pub: 'x' }],
    ['without a type', { n: 'x' }],
    ['with members of its own', { kty: 'EC', crv: 'P-256', x5t: 7, note: null }],
    ['without any member', {}],
  ])('are used without a warning beside a key %s', async (_, entry) => {
    const { issuer, failures, ignored, find } = setUp();
    issuer.answer = () => Promise.resolve({ keys: [entry, ...firstKeys.keys], more: [null] });
    expect((await find('a')).constructor.name).toBe('CryptoKey');
    expect([ignored, failures]).toEqual([[], []]);
  });

  it.each([
    ['an empty set', { keys: [] }],
    ['a page of HTML', '<html>'],
    ['nothing', null],
    ['a list', []],
    ['keys that are no objects', { keys: ['a', 1, null] }],
  ])('are not replaced by %s', async (_, failure) => {
    const { clock, issuer, failures, find } = setUp();
    await find('a');
    issuer.answer = () => Promise.resolve(failure);
    clock.advance(600_000);
    await find('a');
    await settled();
    expect(failures).toHaveLength(1);
    await find('a');
  });
});
