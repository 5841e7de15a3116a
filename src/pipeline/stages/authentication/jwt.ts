import { hash } from 'node:crypto';
import {
  type CryptoKey,
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

/** A verified token is verified again at this age, against the keys the issuer has then. */
const REVERIFY_MS = 60_000;

/** How many keys of the issuer are tried for one token: each costs a verification, and anybody may send tokens. */
const KEYS_MAX = 8;

/** Verifies bearer tokens. */
export type JwtCheck = {
  /**
   * `unrecognised` for a text that is not formed like a JWT. Rejects with 503 if the issuer's keys are not there, and
   * with what `attempt` throws before a signature is verified.
   */
  verify(credential: CallerCredential, attempt?: CredentialAttempt): Promise<CredentialResult>;
};

/** `config.clockTolerance` is in seconds. `keyOf` may reject with a fault: the issuer's keys are not there. */
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

/** Creates the check of tokens. What a token says of keys (jku, x5u, jwk) is never followed (RFC 8725, section 3.10). */
export function createJwtCheck({ config, keyOf, clock, tiers }: JwtCheckDeps): JwtCheck {
  const options: JWTVerifyOptions = {
    algorithms: config.algorithms,
    issuer: config.issuer,
    audience: config.audience,
    requiredClaims: ['exp', 'sub'],
    clockTolerance: config.clockTolerance,
  };

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
    // jose knows `b64`, which no JWT needs (RFC 7797, section 7); Portico knows no extension at all.
    if (protectedHeader.crit !== undefined) return refused('ERR_JWT_CRITICAL');
    if (!isAccessToken(protectedHeader.typ)) return refused('ERR_JWT_TYPE');
    if (typeof payload.sub !== 'string' || payload.sub === '') return refused('ERR_JWT_SUBJECT');
    // JSON knows 1e999, which would never expire.
    if (payload.exp === undefined || !Number.isFinite(payload.exp)) return refused('ERR_JWT_EXPIRY');
    const verifiedAt = clock.monotonic();
    const until = (payload.exp + config.clockTolerance) * 1_000;
    const isFresh = () => clock.now() < until && clock.monotonic() - verifiedAt < REVERIFY_MS;
    return { kind: 'accepted', principal: principalOf(payload, payload.sub), isFresh };
  }

  /** Verifies with the key that fits the token's header, or with each if several do. */
  async function verifyAny(token: string): Promise<JWTVerifyResult> {
    const within = { ...options, currentDate: new Date(clock.now()) };
    try {
      return await jwtVerify(token, keyOf, within);
    } catch (error) {
      if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
      return verifyEach(token, error, within);
    }
  }

  /** The claims of a token whose signature and claims are good, or the code of what is wrong with it. */
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
    // Escaped as JSON, no two pairs of issuer and subject are written alike.
    const name = hash('sha256', JSON.stringify([config.issuer, sub]), 'base64');
    const tier = config.tierClaim === undefined ? undefined : payload[config.tierClaim];
    return {
      kind: 'jwt',
      id: `jwt:${/^[A-Za-z0-9_-]{1,64}$/.test(sub) ? sub : Buffer.from(name, 'base64').toString('hex', 0, 6)}`,
      subject: `jwt:${name}`,
      permissions: new Set(wordsOf(payload[config.permissionsClaim])),
      tier: typeof tier === 'string' && tiers.has(tier) ? tier : config.tier,
    };
  }

  return { verify };
}

/**
 * Verifies with one key after the other: the same `kid` may stand twice in a key set during a rotation, and a token may
 * name none. @throws JOSEError if none of the first `KEYS_MAX` fits
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
      // A key that cannot be used at all is passed over like one that does not fit.
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

function looksLikeJwt(text: string): boolean {
  return /^eyJ[A-Za-z0-9_-]*\.[A-Za-z0-9_-]*\.[A-Za-z0-9_-]*$/.test(text);
}

/** Whether no other text stands for the same token: base64url may have bits to spare in its last character. */
function isCanonical(token: string): boolean {
  return token.split('.').every((part) => Buffer.from(part, 'base64url').toString('base64url') === part);
}

/**
 * Whether a token's `typ` lets it stand for an access token: absent, `JWT` or `at+jwt` (RFC 9068). What an issuer
 * signs for another end, such as a logout token, says so here (RFC 8725, section 3.11).
 */
function isAccessToken(typ: unknown): boolean {
  if (typ === undefined) return true;
  // A pattern would turn a list of one text into that text.
  return typeof typ === 'string' && /^(?:application\/)?(?:at\+)?jwt$/i.test(typ);
}

/** The words of a claim that is a text of words or a list of them; none for any other value. */
function wordsOf(claim: unknown): readonly string[] {
  if (typeof claim === 'string') return claim.split(' ').filter((word) => word !== '');
  return Array.isArray(claim) ? claim.filter((word) => typeof word === 'string') : [];
}
