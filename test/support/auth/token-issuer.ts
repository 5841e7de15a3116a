import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { createJwks, type FetchJwks } from '../../../src/pipeline/stages/authentication/jwks.ts';
import { createJwtCheck } from '../../../src/pipeline/stages/authentication/jwt.ts';
import type { CredentialResult } from '../../../src/pipeline/stages/authentication/credential-result.ts';
import { createManualClock } from '../time/manual-clock.ts';

export const issuer = 'https://issuer.example/';
export const audience = 'portico';
export const algorithms = ['RS256', 'ES256', 'EdDSA'] as const;

export const pairs = {
  RS256: await generateKeyPair('RS256', { extractable: true }),
  ES256: await generateKeyPair('ES256', { extractable: true }),
  EdDSA: await generateKeyPair('EdDSA', { extractable: true }),
};
export const jwks = {
  keys: await Promise.all(
    algorithms.map(async (alg) => ({
      ...(await exportJWK(pairs[alg].publicKey)),
      kid: alg,
      alg,
      use: 'sig',
    })),
  ),
};

export const clock = createManualClock(Math.floor(Date.now() / 1_000) * 1_000);
export const seconds = () => clock.now() / 1_000;

/** A check of tokens over an issuer that answers with its three keys, or as `fetchJwks` has it. */
export function createCheck(
  config: { algorithms?: (typeof algorithms)[number][]; tierClaim?: string } = {},
  fetchJwks: FetchJwks = () => Promise.resolve(jwks),
  staleMs = 600_000,
) {
  const keyOf = createJwks({
    url: 'https://issuer.example/keys',
    fetchJwks,
    clock,
    freshMs: 600_000,
    staleMs,
    log: { warn: () => undefined },
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

/** The claims of a valid token, but for what is changed. */
export const claims = (rest: object = {}): JWTPayload => ({
  iss: issuer,
  aud: audience,
  sub: 'alice',
  exp: seconds() + 300,
  scope: 'users:read products:read',
  ...rest,
});

/** A token signed by the issuer. */
export function sign(
  payload: JWTPayload,
  alg: (typeof algorithms)[number] = 'ES256',
  header: object = {},
): Promise<string> {
  return new SignJWT(payload).setProtectedHeader({ alg, kid: alg, ...header }).sign(pairs[alg].privateKey);
}

/** What a check makes of a bearer token. */
export function verify(token: string, from = createCheck()): Promise<CredentialResult> {
  return from.verify({ text: token, digest: token, bearer: true });
}
