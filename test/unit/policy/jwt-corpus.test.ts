import { hostileTokens } from '../../support/hostile-tokens.ts';
import { claims, createCheck, sign, verify } from '../../support/token-issuer.ts';

const tokens = await hostileTokens();

describe('every attack on a token', () => {
  it('is refused, all of them', async () => {
    const taken: string[] = [];
    for (const [name, token] of tokens) {
      const { kind } = await verify(token);
      if (kind === 'accepted') taken.push(name);
    }
    expect(taken).toEqual([]);
    expect(tokens.length).toBeGreaterThan(250);
  });

  it('has a name of its own, and stands apart from a token that is good', async () => {
    expect(new Set(tokens.map(([name]) => name)).size).toBe(tokens.length);
    const check = createCheck();
    for (const header of [{}, { typ: 'JWT' }, { typ: 'at+jwt' }, { typ: 'application/at+JWT' }])
      expect(await verify(await sign(claims(), 'ES256', header), check)).toMatchObject({ kind: 'accepted' });
  });
});

describe('a refused token', () => {
  it.each([
    ['ERR_JWT_EXPIRED', () => sign(claims({ exp: 1 }))],
    ['ERR_JWT_CLAIM_VALIDATION_FAILED', () => sign(claims({ aud: 'billing' }))],
    ['ERR_JWT_TYPE', () => sign(claims(), 'ES256', { typ: 'logout+jwt' })],
    ['ERR_JWT_SUBJECT', () => sign(claims({ sub: '' }))],
    ['ERR_JWKS_NO_MATCHING_KEY', () => sign(claims(), 'ES256', { kid: 'unknown' })],
  ])('tells the log why: %s', async (why, make) => {
    expect(await verify(await make())).toEqual({ kind: 'refused', why });
  });
});
