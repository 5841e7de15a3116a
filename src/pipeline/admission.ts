import type { Logger } from 'pino';
import type { GatewayConfig } from '../config/schema/gateway.ts';
import type { Clock } from '../kernel/clock.ts';
import { createApiKeyCheck, type ApiKeyCheck } from '../policy/authentication/api-key-check.ts';
import { createKeyRecords } from '../policy/authentication/api-key-records.ts';
import { type AuthenticateDeps, createAuthenticate } from '../policy/authentication/authenticate.ts';
import { createCredentialThrottle } from '../policy/authentication/credential-throttle.ts';
import { createFailedCredentials } from '../policy/authentication/failed-credentials.ts';
import { createJwksClient, type JwksClient } from '../policy/authentication/jwks-fetch.ts';
import { createJwks } from '../policy/authentication/jwks.ts';
import { createJwtCheck, type JwtCheck } from '../policy/authentication/jwt.ts';
import { createRateLimit, type RateLimitDeps } from '../policy/rate-limit.ts';
import { createKeyStore } from '../store/key-store.ts';
import { createLimiter } from '../store/limiter/limiter.ts';
import type { RedisKeys } from '../store/redis/redis-keys.ts';
import type { RedisByRole } from '../store/redis/redis-roles.ts';
import type { AdmissionStages } from './assemble.ts';

/** What the metrics count of callers. */
export type AdmissionMetrics = AuthenticateDeps['metrics'] & RateLimitDeps['metrics'];

export type AdmissionDeps = {
  /** Where keys are kept, and callers are counted; absent in the embedded mode. */
  readonly redis: Pick<RedisByRole, 'keys' | 'limits'>;
  readonly keys: RedisKeys;
  readonly clock: Clock;
  readonly metrics: AdmissionMetrics;
  readonly log: Pick<Logger, 'warn'>;
};

/** The stages that decide who may pass. */
export type Admission = AdmissionStages & {
  /** Ends what runs in the background. */
  close(): void;
};

function createKeyCheck(
  config: GatewayConfig,
  tiers: ReadonlySet<string>,
  { redis, keys, clock }: AdmissionDeps,
): ApiKeyCheck | undefined {
  const { apiKeys } = config.auth;
  if (apiKeys === undefined) return undefined;
  const store = redis.keys && createKeyStore(redis.keys.client, keys);
  return createApiKeyCheck({
    pepper: apiKeys.pepper,
    configured: apiKeys.keys,
    records: store && createKeyRecords({ store, clock }),
    clock,
    tiers,
    fallbackTier: config.limits.anonymousTier,
  });
}

function createTokenCheck(
  { auth }: GatewayConfig,
  tiers: ReadonlySet<string>,
  { clock, log }: AdmissionDeps,
  { fetchJwks }: JwksClient,
): JwtCheck | undefined {
  if (auth.jwt === undefined) return undefined;
  const { jwksUrl, keysFresh, keysStale } = auth.jwt;
  const keyOf = createJwks({ url: jwksUrl, fetchJwks, clock, freshMs: keysFresh, staleMs: keysStale, log });
  return createJwtCheck({ config: auth.jwt, keyOf, clock, tiers });
}

/** Counted like a tier, under a name that no tier of the configuration can have. */
const FAILED_CREDENTIALS = '(failed credentials)';

/** Creates the stages that every call passes. */
export function createAdmission(config: GatewayConfig, deps: AdmissionDeps): Admission {
  const { redis, keys, metrics, clock } = deps;
  const { tiers, failedCredentials: window, anonymousTier } = config.limits;
  const names = new Set(Object.keys(tiers));
  const limiter = createLimiter({
    redis: redis.limits?.client,
    tiers: { ...tiers, [FAILED_CREDENTIALS]: { windows: [window], onStoreFailure: 'open' } },
    keyOf: (tier, limits, subject) => keys.tierCounts(tier, limits, subject),
    clock,
  });
  const jwksClient = createJwksClient(config.auth.jwt?.tls?.ca);
  const failed = createFailedCredentials({
    window,
    consume: redis.limits && ((address) => limiter.consume(FAILED_CREDENTIALS, address)),
    clock,
  });
  return {
    authenticate: createAuthenticate({
      apiKeys: createKeyCheck(config, names, deps),
      jwt: createTokenCheck(config, names, deps, jwksClient),
      failed,
      throttle: createCredentialThrottle({ failed, clock }),
      anonymousTier,
      metrics,
    }),
    rateLimit: createRateLimit({
      limiter,
      dryRun: new Set([...names].filter((name) => tiers[name]?.dryRun)),
      metrics,
    }),
    close() {
      limiter.close();
      jwksClient.close();
    },
  };
}
