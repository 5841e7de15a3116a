import { serving, startUpstream } from '../upstream/scripted-upstream.ts';
import { type CryptoKey, exportJWK, generateKeyPair, SignJWT } from 'jose';

/** The algorithms that the contract takes. */
export type Algorithm = 'RS256' | 'ES256' | 'EdDSA';

/** An issuer of tokens with a real key set behind a real server. */
export type Issuer = {
  readonly issuer: string;
  readonly audience: string;
  readonly jwksUrl: string;
  /** How often the key set was asked for. */
  readonly fetches: number;
  /** A token that is good for five minutes and for `users:read`, but for what `claims` say; `undefined` leaves out. */
  token(algorithm: Algorithm, claims?: Readonly<Record<string, unknown>>): Promise<string>;
  close(): Promise<void>;
};

/** Starts an issuer with one key for each algorithm. */
export async function startIssuer(): Promise<Issuer> {
  const keys = new Map<Algorithm, CryptoKey>();
  const jwks: object[] = [];
  for (const alg of ['RS256', 'ES256', 'EdDSA'] as const) {
    const { publicKey, privateKey } = await generateKeyPair(alg);
    keys.set(alg, privateKey);
    jwks.push({ ...(await exportJWK(publicKey)), alg, kid: `key-${alg}`, use: 'sig' });
  }
  const upstream = await startUpstream(serving(() => ({ body: { keys: jwks } })));
  const issuer = upstream.origin;
  const audience = 'portico';

  return {
    issuer,
    audience,
    jwksUrl: `${issuer}/jwks.json`,
    get fetches() {
      return upstream.calls;
    },
    token(algorithm, claims = {}) {
      const now = Math.floor(Date.now() / 1_000);
      const usual = { iss: issuer, aud: audience, sub: 'alice', exp: now + 300, scope: 'users:read' };
      const payload = Object.entries<unknown>({ ...usual, ...claims }).filter(([, v]) => v !== undefined);
      return new SignJWT(Object.fromEntries(payload))
        .setProtectedHeader({ alg: algorithm, kid: `key-${algorithm}` })
        .sign(keys.get(algorithm)!);
    },
    close: () => upstream.close(),
  };
}
