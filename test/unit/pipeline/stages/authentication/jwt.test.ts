import type { CredentialResult } from '../../../../../src/pipeline/stages/authentication/credential-result.ts';
import {
  algorithms,
  claims,
  clock,
  createCheck,
  seconds,
  sign,
  verify,
} from '../../../../support/auth/token-issuer.ts';

describe('a valid token', () => {
  it.each(algorithms)('is accepted when signed with %s', async (alg) => {
    expect(await verify(await sign(claims(), alg))).toMatchObject({
      kind: 'accepted',
      principal: { kind: 'jwt', id: 'jwt:alice', tier: 'standard' },
    });
  });

  it('gives its permissions as a text of words or as a list', async () => {
    const permissionsOf = async (scope: unknown) => {
      const result = await verify(await sign(claims({ scope })));
      return result.kind === 'accepted' ? [...result.principal.permissions] : undefined;
    };
    expect(await permissionsOf(' users:read  products:read ')).toEqual(['users:read', 'products:read']);
    expect(await permissionsOf(['users:read', 7, null])).toEqual(['users:read']);
    expect(await permissionsOf({ 'users:read': true })).toEqual([]);
    expect(await permissionsOf(undefined)).toEqual([]);
  });

  it('names a tier that exists, or has the configured one', async () => {
    const tierOf = async (plan: unknown) => {
      const result = await verify(await sign(claims({ plan })), createCheck({ tierClaim: 'plan' }));
      return result.kind === 'accepted' ? result.principal.tier : undefined;
    };
    expect(await tierOf('gold')).toBe('gold');
    for (const plan of ['platinum', '__proto__', 7, undefined]) expect(await tierOf(plan)).toBe('standard');
  });

  it('is counted by issuer and subject, and logged without a subject that is not plain', async () => {
    const principalOf = async (sub: string) => {
      const result = await verify(await sign(claims({ sub })));
      return result.kind === 'accepted' ? result.principal : undefined;
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
    const result = await verify(await sign(claims()));
    const brief = await verify(await sign(claims({ exp: seconds() + 10 })));
    const fresh = (of: CredentialResult) => of.kind === 'accepted' && of.isFresh();
    clock.advance(39_999);
    expect([fresh(result), fresh(brief)]).toEqual([true, true]);
    clock.advance(1);
    expect([fresh(result), fresh(brief)]).toEqual([true, false]);
    clock.advance(20_000);
    expect(fresh(result)).toBe(false);
  });
});

describe('no token at all', () => {
  it.each(['', 'abc', 'eyJ.eyJ', 'a.b.c', 'eyJ.a.b.c', `eyJ${'a'.repeat(8_000)}`])(
    'is unrecognised: %s',
    async (text) => {
      expect(await verify(text)).toEqual({ kind: 'unrecognised' });
    },
  );

  it('is a token that does not come as a bearer token', async () => {
    expect(await createCheck().verify({ text: await sign(claims()), digest: '', bearer: false })).toEqual({
      kind: 'unrecognised',
    });
  });
});

describe('a token while no keys can be had', () => {
  it('is answered 503, never 401', async () => {
    const withoutKeys = createCheck({}, () => Promise.reject(new Error('down')));
    await expect(verify(await sign(claims()), withoutKeys)).rejects.toMatchObject({
      code: 'upstream_unavailable',
    });
  });
});
