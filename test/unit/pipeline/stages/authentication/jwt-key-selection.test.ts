import { exportJWK, generateKeyPair, type JWK } from 'jose';
import { p256Twin } from '../../../../support/hostile/signatures.ts';
import { claims, createCheck, jwks, sign, verify } from '../../../../support/auth/token-issuer.ts';

const [es256] = jwks.keys.filter(({ alg }) => alg === 'ES256');

/** Keys that nothing is signed with, under the `kid` of the issuer's own key for ES256. */
async function othersOf(count: number): Promise<JWK[]> {
  const pairs = await Promise.all(Array.from({ length: count }, () => generateKeyPair('ES256')));
  return Promise.all(
    pairs.map(async ({ publicKey }) => ({ ...(await exportJWK(publicKey)), kid: 'ES256', alg: 'ES256' })),
  );
}

const checkOf = (keys: readonly object[]) => createCheck({}, () => Promise.resolve({ keys }));

describe('a token where several keys of the issuer fit its header', () => {
  it('is accepted whichever of two keys with the same kid has signed it', async () => {
    const [other] = await othersOf(1);
    for (const keys of [
      [other!, es256!],
      [es256!, other!],
    ])
      expect(await verify(await sign(claims()), checkOf(keys))).toMatchObject({ kind: 'accepted' });
  });

  it('is accepted where it names no key at all', async () => {
    const [other] = await othersOf(1);
    const token = await sign(claims(), 'ES256', { kid: undefined });
    expect(await verify(token, checkOf([other!, es256!]))).toMatchObject({ kind: 'accepted' });
  });

  it('is refused for its claims, not for its signature, once the key is found', async () => {
    const [other] = await othersOf(1);
    const check = checkOf([other!, es256!]);
    expect(await verify(await sign(claims({ aud: 'billing' })), check)).toEqual({
      kind: 'refused',
      why: 'ERR_JWT_CLAIM_VALIDATION_FAILED',
    });
  });

  it('is refused where no key has signed it, and after eight keys at most', async () => {
    const refused = { kind: 'refused', why: 'ERR_JWS_SIGNATURE_VERIFICATION_FAILED' };
    const others = await othersOf(8);
    expect(await verify(await sign(claims()), checkOf(others.slice(0, 2)))).toEqual(refused);
    expect(await verify(await sign(claims()), checkOf([...others.slice(0, 7), es256!]))).toMatchObject({
      kind: 'accepted',
    });
    expect(await verify(await sign(claims()), checkOf([...others, es256!]))).toEqual(refused);
  });

  it('is accepted beside an RSA key that is too short to be used', async () => {
    const { publicKey } = await generateKeyPair('RS256', { modulusLength: 2048 });
    const short = {
      ...(await exportJWK(publicKey)),
      kid: 'RS256',
      alg: 'RS256',
      n: 'x'.repeat(170),
      e: 'AQAB',
    };
    const rs256 = jwks.keys.find(({ alg }) => alg === 'RS256')!;
    expect(await verify(await sign(claims(), 'RS256'), checkOf([short, rs256]))).toMatchObject({
      kind: 'accepted',
    });
  });
});

describe('the two spellings of a signature by ES256', () => {
  it('are both good, as RFC 7518 has it, and are one caller', async () => {
    const token = await sign(claims());
    const twin = p256Twin(token);
    expect(twin).not.toBe(token);
    const [one, other] = [await verify(token), await verify(twin)];
    expect([one.kind, other.kind]).toEqual(['accepted', 'accepted']);
    expect(other).toMatchObject({ principal: (one as { principal: unknown }).principal });
  });
});
