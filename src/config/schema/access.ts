// The schemas of all credentials that the gateway accepts: of operators (`admin`) and of callers (`auth`).

import * as z from 'zod';
import {
  flag,
  addressRange,
  duration,
  httpUrl,
  name,
  permission,
  port,
  secret,
  wholeSeconds,
  bearerToken,
} from './elements/scalars.ts';

/** A token of the operator's listener. */
const adminToken = z.strictObject({
  name: name.describe('Who has the token; "admin" is the name of `admin.token`.'),
  role: z
    .enum(['viewer', 'operator'])
    .describe('viewer: reads, which is all that Prometheus needs. operator: changes things, too.'),
  token: bearerToken.optional().describe('The token itself; or `hash`.'),
  hash: z
    .string()
    .regex(/^[0-9a-f]{64}$/, 'expected 64 hexadecimal digits: printf %s "$TOKEN" | sha256sum')
    .optional()
    .describe('SHA-256 of the token, in place of `token`: 64 hexadecimal digits.'),
});

/** The operator's listener and its credentials. */
export const admin = z.strictObject({
  host: z.string().default('127.0.0.1').describe('Keep it on an inner address.'),
  port: port.default(9090).describe('0 takes any free port.'),
  token: bearerToken
    .optional()
    .describe(
      'The token of the operator named "admin", for `Authorization: Bearer` and to sign in to the console. Only /livez and /readyz need no token. This or one of `tokens` is needed if `host` can be reached from other machines. Make it random, of 128 bits or more.',
    ),
  tokens: z
    .array(adminToken)
    .default([])
    .describe('More tokens, each with a name that the audit shows, and a role. A reload changes them.'),
  slowRequests: duration
    .default(1_000)
    .describe(
      'Requests that take this long or longer are kept, as failed ones are, for `portico requests` and the console. A reload changes it.',
    ),
});

const keyRecord = z.strictObject({
  id: z
    .string()
    .regex(/^[a-z0-9]{6,32}$/, 'expected the id part of the key: 6 to 32 of a-z and 0-9')
    .describe('The part of the key between ptk_ and the secret: what logs and limits name.'),
  hash: z
    .string()
    .regex(/^[A-Za-z0-9_-]{43}$/, 'expected the HMAC as `portico keys create --print` shows it')
    .describe('HMAC-SHA-256 of the whole key under auth.apiKeys.pepper, base64url.'),
  label: z.string().max(80).default('').describe('Who uses the key, for people; at most 80 characters.'),
  permissions: z.array(permission).default([]).describe('What the caller may read.'),
  tier: name.default('standard').describe('One of limits.tiers.'),
  expiresAt: z.iso.datetime().optional().describe('An instant such as 2030-01-31T00:00:00Z; absent: never.'),
  addresses: z
    .array(addressRange)
    .min(1)
    .optional()
    .describe('Addresses and CIDR ranges that the key may be used from; absent: anywhere.'),
  operations: z
    .array(z.string().min(1).max(60))
    .min(1)
    .optional()
    .describe('Operations that the key may use, such as users.list or passthrough.orders; absent: all.'),
});

/** Authentication of callers: API keys, tokens of an issuer, or both. */
export const callerAuth = z.strictObject({
  host: flag
    .default(false)
    .describe(
      'Whether the application in which the gateway is mounted authenticates callers, by `authenticate` of `createPortico`. Then a resource may have neither keys nor tokens.',
    ),
  apiKeys: z
    .strictObject({
      pepper: secret.describe(
        'The key of the HMAC under which API keys are stored. At least 16 characters, the same on every replica.',
      ),
      keys: z.array(keyRecord).default([]).describe('Keys kept in the configuration, beside those in Redis.'),
    })
    .optional(),
  jwt: z
    .strictObject({
      issuer: z.string().min(1).describe('The only `iss` that is accepted.'),
      audience: z.string().min(1).describe('What `aud` must be or hold.'),
      jwksUrl: httpUrl.describe('The address of the key set (JWKS) of the issuer.'),
      tls: z
        .strictObject({ ca: z.string().describe('The authority that signed the certificate of the issuer.') })
        .optional()
        .describe('A PEM text, such as ${file:/run/secrets/ca.pem}: a private authority, for `jwksUrl`.'),
      algorithms: z
        .array(z.enum(['RS256', 'ES256', 'EdDSA']))
        .min(1)
        .default(['RS256', 'ES256', 'EdDSA'])
        .describe('The signatures that are accepted.'),
      permissionsClaim: z.string().default('scope').describe('A text of words or a list of permissions.'),
      tierClaim: z.string().optional().describe('The claim that names the tier of the caller.'),
      tier: name.default('standard').describe('The tier of a token that names none.'),
      clockTolerance: wholeSeconds
        .default(30)
        .describe('How far the clocks of issuer and gateway may differ.'),
      keysFresh: duration.default(600_000).describe('How old the key set may be before it is fetched again.'),
      keysStale: duration
        .default(86_400_000)
        .describe('How long the last good key set serves while the issuer is down.'),
    })
    .optional(),
});

/** An entry of `auth.apiKeys.keys`. Its `expiresAt` is an ISO 8601 text, but milliseconds in the `KeyRecord` in Redis. */
export type KeyRecordConfig = z.infer<typeof keyRecord>;

/** `auth.jwt` with its defaults: `clockTolerance` in seconds, `keysFresh` and `keysStale` in milliseconds. */
export type JwtConfig = NonNullable<z.infer<typeof callerAuth>['jwt']>;
