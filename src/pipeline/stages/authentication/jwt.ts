// Verifies the token (JWT) of a request: signature, issuer, audience, expiry and type.

import { hash } from 'node:crypto';
import {
  type CryptoKey,
  decodeJwt,
  errors,
  type JWTPayload,
  jwtVerify,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
  type JWTVerifyResult,
} from 'jose';
import type { JwtConfig } from '../../../config/schema/access.ts';
import { GatewayError } from '../../../kernel/errors/fault.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { Principal } from '../call.ts';
import type { CredentialAttempt } from './credential-throttle.ts';
import {
  type AcceptedCredential,
  type CallerCredential,
  UNRECOGNISED,
  type RefusedCredential,
  type CredentialResult,
} from './credential-result.ts';

/** After this time, a verified token is verified again, because the issuer may have withdrawn its key. */
const REVERIFY_MS = 60_000;

/** The most keys of the issuer that are tried for one token, because each costs a verification and anybody can send tokens. */
const KEYS_MAX = 8;

/** A subject that the log shows as it is. Of others, it has a digest. */
const SHOWN_SUBJECT = /^[A-Za-z0-9_-]{1,64}$/;

/** Verifies bearer tokens. */
export type JwtCheck = ReturnType<typeof createJwtCheck>;

/** What the check needs. `config.clockTolerance` is in seconds. `keyOf` may reject with a fault if there are no keys. */
export type JwtCheckDeps = {
  readonly config: Pick<
    JwtConfig,
    'issuer' | 'audience' | 'algorithms' | 'permissionsClaim' | 'tierClaim' | 'tier' | 'clockTolerance'
  >;
  /** Finds the key for a token's header. */
  readonly keyOf: JWTVerifyGetKey;
  readonly clock: Clock;
  /** Names of the tiers that exist. */
  readonly tiers: ReadonlySet<string>;
};

/** Creates the check of tokens. It ignores keys that a token itself names (jku, x5u, jwk; RFC 8725, section 3.10). */
export function createJwtCheck({ config, keyOf, clock, tiers }: JwtCheckDeps) {
  const options: JWTVerifyOptions = {
    algorithms: config.algorithms,
    issuer: config.issuer,
    audience: config.audience,
    requiredClaims: ['exp', 'sub'],
    clockTolerance: config.clockTolerance,
  };

  /**
   * Verifies a token; `unrecognised` for a text without the form of a JWT. Rejects with 503 if the issuer's keys cannot be
   * fetched, and with the error that `attempt` throws before the signature is verified.
   */
  async function verify(
    { text, bearer }: CallerCredential,
    attempt?: CredentialAttempt,
  ): Promise<CredentialResult> {
    if (!bearer || !looksLikeJwt(text)) return UNRECOGNISED;
    attempt?.start();
    const result = await check(text);
    if (result.kind === 'refused') attempt?.fail();
    return result;
  }

  async function check(text: string): Promise<AcceptedCredential | RefusedCredential> {
    const claims = await verifiedClaims(text);
    if ('kind' in claims) return claims;
    const { payload, protectedHeader } = claims;
    // Every token with an extension is refused. jose would accept `b64`, which no JWT needs (RFC 7797, section 7).
    if (protectedHeader.crit !== undefined) return refused('ERR_JWT_CRITICAL');
    if (!isAccessToken(protectedHeader.typ)) return refused('ERR_JWT_TYPE');
    if (typeof payload.sub !== 'string' || payload.sub === '') return refused('ERR_JWT_SUBJECT');
    // JSON allows 1e999, which is read as infinite, so such a token would never expire.
    if (payload.exp === undefined || !Number.isFinite(payload.exp)) return refused('ERR_JWT_EXPIRY');
    const verifiedAt = clock.monotonic();
    const until = (payload.exp + config.clockTolerance) * 1_000;
    const isFresh = () => clock.now() < until && clock.monotonic() - verifiedAt < REVERIFY_MS;
    return { kind: 'accepted', principal: principalOf(payload, payload.sub), isFresh };
  }

  /** Verifies a token with the key that fits its header, or with one after the other if several fit. */
  async function verifyAny(token: string): Promise<JWTVerifyResult> {
    const within = { ...options, currentDate: new Date(clock.now()) };
    try {
      return await jwtVerify(token, keyOf, within);
    } catch (error) {
      if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
      return verifyEach(token, error, within);
    }
  }

  /** The claims of a valid token, or a refusal with the code of what is wrong. */
  async function verifiedClaims(token: string): Promise<JWTVerifyResult | RefusedCredential> {
    if (!isCanonical(token)) return refused('ERR_JWT_ENCODING');
    try {
      return await verifyAny(token);
    } catch (error) {
      if (error instanceof GatewayError) throw error;
      return refused(error instanceof errors.JOSEError ? error.code : 'ERR_JWT_KEY');
    }
  }

  function principalOf(payload: JWTPayload, sub: string): Principal {
    // As JSON, two different pairs of issuer and subject never have the same text.
    const name = hash('sha256', JSON.stringify([config.issuer, sub]), 'base64');
    const tier = config.tierClaim === undefined ? undefined : payload[config.tierClaim];
    return {
      kind: 'jwt',
      id: `jwt:${SHOWN_SUBJECT.test(sub) ? sub : Buffer.from(name, 'base64').toString('hex', 0, 6)}`,
      subject: `jwt:${name}`,
      permissions: new Set(wordsOf(payload[config.permissionsClaim])),
      tier: typeof tier === 'string' && tiers.has(tier) ? tier : config.tier,
    };
  }

  return { verify };
}

/**
 * Verifies with one key after the other, because a key set may have the same `kid` twice during a rotation, and a token may
 * name none. @throws JOSEError if none of the first `KEYS_MAX` keys fits
 */
async function verifyEach(
  token: string,
  keys: AsyncIterable<CryptoKey>,
  within: JWTVerifyOptions,
): Promise<JWTVerifyResult> {
  let left = KEYS_MAX;
  for await (const key of keys) {
    try {
      return await jwtVerify(token, key, within);
    } catch (error) {
      // A key that cannot be used at all is skipped, like a key that does not fit.
      const fits =
        error instanceof errors.JOSEError && !(error instanceof errors.JWSSignatureVerificationFailed);
      if (fits) throw error;
    }
    left -= 1;
    if (left === 0) break;
  }
  throw new errors.JWSSignatureVerificationFailed();
}

function refused(why: string): RefusedCredential {
  return { kind: 'refused', why };
}

/** The id that the owner of a token claims to have. Nothing proves it; `undefined`: there is no subject that may be shown. */
export function claimedTokenId(text: string): string | undefined {
  if (!looksLikeJwt(text)) return undefined;
  try {
    const { sub } = decodeJwt(text);
    return typeof sub === 'string' && SHOWN_SUBJECT.test(sub) ? `jwt:${sub}` : undefined;
  } catch {
    return undefined;
  }
}

function looksLikeJwt(text: string): boolean {
  return /^eyJ[A-Za-z0-9_-]*\.[A-Za-z0-9_-]*\.[A-Za-z0-9_-]*$/.test(text);
}

/** Whether a token is written in the only valid way. The last character of base64url can have unused bits. */
function isCanonical(token: string): boolean {
  return token.split('.').every((part) => Buffer.from(part, 'base64url').toString('base64url') === part);
}

/**
 * Whether the `typ` of a token allows it as an access token: absent, `JWT` or `at+jwt` (RFC 9068). Tokens for other
 * purposes, such as logout tokens, have another `typ` (RFC 8725, section 3.11).
 */
function isAccessToken(typ: unknown): boolean {
  if (typ === undefined) return true;
  // The type is checked, because a regular expression would also accept a list with one text.
  return typeof typ === 'string' && /^(?:application\/)?(?:at\+)?jwt$/i.test(typ);
}

/** The words of a claim, which is a text with spaces or a list of texts; none for any other value. */
function wordsOf(claim: unknown): readonly string[] {
  if (typeof claim === 'string') return claim.split(' ').filter((word) => word !== '');
  return Array.isArray(claim) ? claim.filter((word) => typeof word === 'string') : [];
}
