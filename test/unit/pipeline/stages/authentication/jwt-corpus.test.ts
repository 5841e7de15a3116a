import fc from 'fast-check';
import { hostileTokens } from '../../../../support/hostile/tokens.ts';
import { claims, createCheck, sign, verify } from '../../../../support/auth/token-issuer.ts';
import { anyCharacter } from '../../../../support/any-character.ts';

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

const [good, check] = [await sign(claims()), createCheck()];

describe('any other text', () => {
  it('is not accepted that a good token becomes by a change anywhere', async () => {
    const change = fc.record({
      at: fc.nat(good.length),
      cut: fc.nat(4),
      put: fc.string({ unit: 'binary-ascii', maxLength: 4 }),
    });
    await fc.assert(
      fc.asyncProperty(change, async ({ at, cut, put }) => {
        const text = good.slice(0, at) + put + good.slice(at + cut);
        fc.pre(text !== good);
        expect((await verify(text, check)).kind).not.toBe('accepted');
      }),
    );
  });

  it('is refused, and breaks nothing, whatever its header and claims are', async () => {
    const part = fc.oneof(
      fc.json(),
      fc.string({ unit: anyCharacter }),
      fc.constantFrom('{"alg":"ES256","kid":"ES256"}', '{}', ''),
    );
    await fc.assert(
      fc.asyncProperty(part, part, fc.uint8Array({ maxLength: 80 }), async (header, payload, signature) => {
        const token = [header, payload, signature]
          .map((one) => Buffer.from(one as string).toString('base64url'))
          .join('.');
        expect((await verify(token, check)).kind).not.toBe('accepted');
      }),
    );
  });
});
