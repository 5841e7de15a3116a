import { createHmac, generateKeyPairSync, randomUUID, sign as signRaw } from 'node:crypto';
import {
  CompactSign,
  exportJWK,
  exportSPKI,
  generateKeyPair,
  type JWTPayload,
  SignJWT,
  UnsecuredJWT,
} from 'jose';
import { createJwks, type FetchJwks } from '../../../src/policy/jwks.ts';
import { createJwtCheck } from '../../../src/policy/jwt.ts';
import type { Verdict } from '../../../src/policy/verdict.ts';
import { createManualClock } from '../../support/manual-clock.ts';

const issuer = 'https://issuer.example/';
const audience = 'portico';
const algorithms = ['RS256', 'ES256', 'EdDSA'] as const;

const pairs = {
  RS256: await generateKeyPair('RS256', { extractable: true }),
  ES256: await generateKeyPair('ES256', { extractable: true }),
  EdDSA: await generateKeyPair('EdDSA', { extractable: true }),
};
const stranger = await generateKeyPair('ES256', { extractable: true });
const publicPem = await exportSPKI(pairs.RS256.publicKey);
const strangerJwk = await exportJWK(stranger.publicKey);
const jwks = {
  keys: await Promise.all(
    algorithms.map(async (alg) => ({
      ...(await exportJWK(pairs[alg].publicKey)),
      kid: alg,
      alg,
      use: 'sig',
    })),
  ),
};

const clock = createManualClock(Math.floor(Date.now() / 1_000) * 1_000);
const seconds = () => clock.now() / 1_000;

function createCheck(
  config: { algorithms?: (typeof algorithms)[number][]; tierClaim?: string } = {},
  fetchJwks: FetchJwks = () => Promise.resolve(jwks),
) {
  const keyOf = createJwks({
    url: 'https://issuer.example/keys',
    fetchJwks,
    clock,
    freshMs: 600_000,
    staleMs: 600_000,
  });
  return createJwtCheck({
    config: {
      issuer,
      audience,
      algorithms: [...algorithms],
      permissionsClaim: 'scope',
      tierClaim: undefined,
      tier: 'standard',
      clockTolerance: 30,
      ...config,
    },
    keyOf,
    clock,
    tiers: new Set(['standard', 'gold']),
  });
}

const check = createCheck();

const claims = (rest: object = {}): JWTPayload => ({
  iss: issuer,
  aud: audience,
  sub: 'alice',
  exp: seconds() + 300,
  scope: 'users:read products:read',
  ...rest,
});

function sign(
  payload: JWTPayload,
  alg: (typeof algorithms)[number] = 'ES256',
  header: object = {},
): Promise<string> {
  return new SignJWT(payload).setProtectedHeader({ alg, kid: alg, ...header }).sign(pairs[alg].privateKey);
}

/** A token with a critical header that jose lets the signer, but no verifier, know. */
function signCritical(): Promise<string> {
  return new SignJWT(claims())
    .setProtectedHeader({ alg: 'ES256', kid: 'ES256', crit: ['exp2'], exp2: 1 })
    .sign(pairs.ES256.privateKey, { crit: { exp2: true } });
}

/** A validly signed token whose claims are any text. */
function signBytes(text: string): Promise<string> {
  return new CompactSign(Buffer.from(text))
    .setProtectedHeader({ alg: 'ES256', kid: 'ES256' })
    .sign(pairs.ES256.privateKey);
}

function without(claim: string): JWTPayload {
  return Object.fromEntries(Object.entries(claims()).filter(([name]) => name !== claim));
}

function verify(token: string, from = check): Promise<Verdict> {
  return from.verify({ text: token, digest: token, bearer: true });
}

/** A token with any header and claims, signed by HMAC with any key. */
function forge(header: object, payload: object, secret: string | Buffer): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const text = `${part(header)}.${part(payload)}`;
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
}

describe('a valid token', () => {
  it.each(algorithms)('is accepted when signed with %s', async (alg) => {
    expect(await verify(await sign(claims(), alg))).toMatchObject({
      kind: 'accepted',
      principal: { kind: 'jwt', id: 'jwt:alice', tier: 'standard' },
    });
  });

  it('gives its permissions as a text of words or as a list', async () => {
    const permissionsOf = async (scope: unknown) => {
      const verdict = await verify(await sign(claims({ scope })));
      return verdict.kind === 'accepted' ? [...verdict.principal.permissions] : undefined;
    };
    expect(await permissionsOf(' users:read  products:read ')).toEqual(['users:read', 'products:read']);
    expect(await permissionsOf(['users:read', 7, null])).toEqual(['users:read']);
    expect(await permissionsOf({ 'users:read': true })).toEqual([]);
    expect(await permissionsOf(undefined)).toEqual([]);
  });

  it('names a tier that exists, or has the configured one', async () => {
    const tierOf = async (plan: unknown) => {
      const verdict = await verify(await sign(claims({ plan })), createCheck({ tierClaim: 'plan' }));
      return verdict.kind === 'accepted' ? verdict.principal.tier : undefined;
    };
    expect(await tierOf('gold')).toBe('gold');
    for (const plan of ['platinum', '__proto__', 7, undefined]) expect(await tierOf(plan)).toBe('standard');
  });

  it('is counted by issuer and subject, and logged without a subject that is not plain', async () => {
    const principalOf = async (sub: string) => {
      const verdict = await verify(await sign(claims({ sub })));
      return verdict.kind === 'accepted' ? verdict.principal : undefined;
    };
    const [alice, again, bob] = [
      await principalOf('alice'),
      await principalOf('alice'),
      await principalOf('bob'),
    ];
    expect(alice?.subject).toBe(again?.subject);
    expect(alice?.subject).not.toBe(bob?.subject);
    for (const sub of ['alice@example.com', 'a\nb', 'x'.repeat(65), '}{']) {
      const principal = await principalOf(sub);
      expect(principal?.id).toMatch(/^jwt:[0-9a-f]{12}$/);
      expect(principal?.subject).toMatch(/^jwt:[A-Za-z0-9+/]{43}=$/);
    }
  });

  it('need not be verified again for a minute, nor beyond its expiry', async () => {
    const verdict = await verify(await sign(claims()));
    const brief = await verify(await sign(claims({ exp: seconds() + 10 })));
    const fresh = (of: Verdict) => of.kind === 'accepted' && of.isFresh();
    clock.advance(39_999);
    expect([fresh(verdict), fresh(brief)]).toEqual([true, true]);
    clock.advance(1);
    expect([fresh(verdict), fresh(brief)]).toEqual([true, false]);
    clock.advance(20_000);
    expect(fresh(verdict)).toBe(false);
  });
});

describe('refused is a token', () => {
  const byStranger = (header: object) =>
    new SignJWT(claims()).setProtectedHeader({ alg: 'ES256', ...header }).sign(stranger.privateKey);

  it.each<[string, () => string | Promise<string>]>([
    ['without a signature (alg none)', () => new UnsecuredJWT(claims()).encode()],
    ['with alg none and a signature', () => `${new UnsecuredJWT(claims()).encode()}eA`],
    ['with alg nOnE', () => forge({ alg: 'nOnE', kid: 'ES256' }, claims(), 'x')],
    [
      'signed with the public key as an HMAC secret',
      () => forge({ alg: 'HS256', kid: 'RS256' }, claims(), publicPem),
    ],
    [
      'that lies about HMAC under the RS256 name',
      () => forge({ alg: 'RS256', kid: 'RS256' }, claims(), publicPem),
    ],
    ['of a stranger under a known key id', () => byStranger({ kid: 'ES256' })],
    ['of a stranger that brings its own jwk', () => byStranger({ jwk: strangerJwk })],
    [
      'of a stranger that points at keys (jku)',
      () => byStranger({ kid: 'x', jku: 'http://127.0.0.1:9/keys' }),
    ],
    [
      'of a stranger that points at keys (x5u)',
      () => byStranger({ kid: 'x', x5u: 'http://127.0.0.1:9/cert' }),
    ],
    ['with an unknown critical header', () => signCritical()],
    ['of another issuer', () => sign(claims({ iss: 'https://evil.example/' }))],
    ['of an issuer that is almost ours', () => sign(claims({ iss: issuer.slice(0, -1) }))],
    ['for another audience', () => sign(claims({ aud: 'billing' }))],
    ['without exp', () => sign(without('exp'))],
    ['without aud', () => sign(without('aud'))],
    ['without iss', () => sign(without('iss'))],
    ['without sub', () => sign(without('sub'))],
    ['with an empty sub', () => sign(claims({ sub: '' }))],
    ['with a sub that is no text', () => sign(claims({ sub: 7 }))],
    ['with an exp that is a text', () => sign(claims({ exp: '9999999999' }))],
    ['expired beyond the tolerance', () => sign(claims({ exp: seconds() - 30 }))],
    ['not valid yet', () => sign(claims({ nbf: seconds() + 31 }))],
    ['with a key id nobody knows', () => sign(claims(), 'ES256', { kid: randomUUID() })],
    [
      'with one character of the signature changed',
      async () => (await sign(claims())).replace(/.{5}$/, 'AAAAA'),
    ],
    ['whose claims are no object', () => signBytes('["users:read"]')],
    ['whose claims are no JSON', () => signBytes('exp=9999999999')],
  ])('%s', async (_, make) => {
    expect(await verify(await make())).toEqual({ kind: 'refused' });
  });

  it('of an algorithm that is not configured', async () => {
    expect(await verify(await sign(claims(), 'RS256'), createCheck({ algorithms: ['ES256'] }))).toEqual({
      kind: 'refused',
    });
  });

  it('of a key that is too weak', async () => {
    const weak = generateKeyPairSync('rsa', { modulusLength: 1024 });
    const set = { keys: [{ ...weak.publicKey.export({ format: 'jwk' }), kid: 'weak', alg: 'RS256' }] };
    const [head, body] = forge({ alg: 'RS256', kid: 'weak' }, claims(), 'x').split('.');
    const signature = signRaw('sha256', Buffer.from(`${head}.${body}`), weak.privateKey).toString(
      'base64url',
    );
    const weakCheck = createCheck({}, () => Promise.resolve(set));
    expect(await verify(`${head}.${body}.${signature}`, weakCheck)).toEqual({ kind: 'refused' });
  });
});

describe('no token at all', () => {
  it.each(['', 'abc', 'eyJ.eyJ', 'a.b.c', 'eyJ..', 'eyJ.a.b.c', `eyJ${'a'.repeat(8_000)}`])(
    'is foreign: %s',
    async (text) => {
      expect(await verify(text)).toEqual({ kind: 'foreign' });
    },
  );

  it('is a token that does not come as a bearer token', async () => {
    expect(await check.verify({ text: await sign(claims()), digest: '', bearer: false })).toEqual({
      kind: 'foreign',
    });
  });
});

describe('a token while no keys can be had', () => {
  it('is answered 503, never 401', async () => {
    const blind = createCheck({}, () => Promise.reject(new Error('down')));
    await expect(verify(await sign(claims()), blind)).rejects.toMatchObject({ code: 'upstream_unavailable' });
  });
});
