import { type JWTPayload, type JWTVerifyGetKey, type JWTVerifyOptions, jwtVerify } from 'jose';
import type { JwtConfig } from '../config/gateway-schema.ts';
import { GatewayError } from '../errors/fault.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Principal } from './call.ts';
import { type Credential, FOREIGN, REFUSED, type Verdict, digestOf } from './verdict.ts';

/** A verified token is verified again at this age, against the keys the issuer has then. */
const REVERIFY_MS = 60_000;

/** Verifies bearer tokens. */
export type JwtCheck = {
  /** `foreign` for a text that is not formed like a JWT; rejects with a fault where no keys can be had. */
  verify(credential: Credential): Promise<Verdict>;
};

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

/** Creates the check. What a token says of keys (jku, x5u, jwk) is never followed (RFC 8725, section 3.10). */
export function createJwtCheck({ config, keyOf, clock, tiers }: JwtCheckDeps): JwtCheck {
  const options: JWTVerifyOptions = {
    algorithms: config.algorithms,
    issuer: config.issuer,
    audience: config.audience,
    requiredClaims: ['exp', 'sub'],
    clockTolerance: config.clockTolerance,
  };

  async function verify({ text, bearer }: Credential): Promise<Verdict> {
    if (!bearer || !looksLikeJwt(text)) return FOREIGN;
    const payload = await claimsOf(text);
    if (typeof payload?.sub !== 'string' || payload.sub === '' || payload.exp === undefined) return REFUSED;
    const verifiedAt = clock.monotonic();
    const until = (payload.exp + config.clockTolerance) * 1_000;
    const isFresh = () => clock.now() < until && clock.monotonic() - verifiedAt < REVERIFY_MS;
    return { kind: 'accepted', principal: principalOf(payload, payload.sub), isFresh };
  }

  /** The claims of a valid token; `undefined` whatever else is wrong with it. */
  async function claimsOf(token: string): Promise<JWTPayload | undefined> {
    try {
      return (await jwtVerify(token, keyOf, { ...options, currentDate: new Date(clock.now()) })).payload;
    } catch (error) {
      if (error instanceof GatewayError) throw error;
      return undefined;
    }
  }

  function principalOf(payload: JWTPayload, sub: string): Principal {
    // Escaped as JSON, no two pairs of issuer and subject are written alike.
    const name = digestOf(JSON.stringify([config.issuer, sub]));
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

function looksLikeJwt(text: string): boolean {
  return /^eyJ[A-Za-z0-9_-]*\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*$/.test(text);
}

/** The words of a claim that is a text of words or a list of them; none for any other value. */
function wordsOf(claim: unknown): readonly string[] {
  if (typeof claim === 'string') return claim.split(' ').filter((word) => word !== '');
  return Array.isArray(claim) ? claim.filter((word) => typeof word === 'string') : [];
}
