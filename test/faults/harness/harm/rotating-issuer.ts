import { serving, startUpstream } from '../../../support/upstream/scripted-upstream.ts';
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';

/** What the address of the keys answers with: the keys, a 503, a page, or nothing at all. */
export type JwksAnswer = 'keys' | 'down' | 'page' | 'silent';

/** An issuer of tokens that changes its keys as issuers do: the next one stands in its key set before it signs. */
export type RotatingIssuer = {
  /** `auth.jwt` of a gateway that takes its tokens. */
  readonly config: Readonly<Record<string, string>>;
  /** Signs with the next key from now on; the one before the current leaves the key set. */
  rotate(): Promise<void>;
  answerWith(answer: JwksAnswer): void;
  /** A token for `users:read` of one of a few callers; good for an hour, and the same one until the keys change. */
  token(caller: number): Promise<string>;
  /** Another one of the same caller each time: it was never checked before. */
  newToken(caller: number): Promise<string>;
  close(): Promise<void>;
};

type Pair = { readonly kid: string; readonly privateKey: CryptoKey; readonly jwk: JWK };

let made = 0;

async function makePair(): Promise<Pair> {
  const { publicKey, privateKey } = await generateKeyPair('ES256');
  const kid = `key-${(made += 1)}`;
  return { kid, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg: 'ES256', use: 'sig' } };
}

/** Starts one with a key that signs, one that did and one that will. */
export async function startRotatingIssuer(): Promise<RotatingIssuer> {
  let [before, current, next] = [await makePair(), await makePair(), await makePair()];
  let answer: JwksAnswer = 'keys';
  const tokens = new Map<number, Promise<string>>();
  const upstream = await startUpstream(
    serving(() => {
      if (answer === 'silent') return undefined;
      if (answer === 'page') return { headers: { 'Content-Type': 'text/html' }, body: '<html>' };
      return { status: answer === 'down' ? 503 : 200, body: { keys: [before.jwk, current.jwk, next.jwk] } };
    }),
  );

  const { origin } = upstream;

  function sign(caller: number): Promise<string> {
    return new SignJWT({ scope: 'users:read', sub: `caller-${caller}` })
      .setProtectedHeader({ alg: 'ES256', kid: current.kid })
      .setIssuer(origin)
      .setAudience('portico')
      .setExpirationTime('1h')
      .sign(current.privateKey);
  }

  return {
    config: { issuer: origin, audience: 'portico', jwksUrl: `${origin}/keys` },
    async rotate() {
      [before, current, next] = [current, next, await makePair()];
      tokens.clear();
    },
    answerWith: (wanted) => void (answer = wanted),
    token(caller) {
      const token = tokens.get(caller) ?? sign(caller);
      tokens.set(caller, token);
      return token;
    },
    newToken: sign,
    close: () => upstream.close(),
  };
}
