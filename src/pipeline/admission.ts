import type { GatewayConfig } from '../config/schema/gateway.ts';
import type { Clock } from '../kernel/clock.ts';
import { createApiKeyCheck, type ApiKeyCheck } from '../policy/authentication/api-key-check.ts';
import { createKeyRecords } from '../policy/authentication/api-key-records.ts';
import { createAuthenticate } from '../policy/authentication/authenticate.ts';
import { authorize } from '../policy/authorize.ts';
import { assemble, type Handler, type Stage } from '../policy/call.ts';
import { createFailedCredentials } from '../policy/authentication/failed-credentials.ts';
import { fetchJwks } from '../policy/authentication/jwks-fetch.ts';
import { createJwks } from '../policy/authentication/jwks.ts';
import { createJwtCheck, type JwtCheck } from '../policy/authentication/jwt.ts';
import { createRateLimit } from '../policy/rate-limit.ts';
import { createCredentialThrottle } from '../policy/authentication/credential-throttle.ts';
import { createKeyStore } from '../store/key-store.ts';
import { createLimiter } from '../store/limiter/limiter.ts';
import type { RedisKeys } from '../store/redis/redis-keys.ts';
import type { RedisByRole } from '../store/redis/redis-roles.ts';

/** What the metrics are told about callers. */
export type AdmissionMetrics = {
  limiterDecision(tier: string, outcome: string, by: string): void;
  credential(kind: string, outcome: string): void;
};

export type AdmissionDeps = {
  /** Where keys are kept, and callers are counted; absent in the embedded mode. */
  readonly redis: Pick<RedisByRole, 'keys' | 'limits'>;
  readonly keys: RedisKeys;
  readonly clock: Clock;
  readonly metrics: AdmissionMetrics;
  readonly log: { warn(fields: object, message: string): void };
};

/** Decides who may pass. */
export type Admission = {
  /** The stages in front of every operation, outermost first. */
  readonly stages: readonly Stage[];
  /** The same stages around nothing, for what has no pipeline of its own. */
  readonly admit: Handler<void>;
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
    records: store === undefined ? undefined : createKeyRecords({ find: (id) => store.find(id), clock }),
    clock,
    tiers,
    fallbackTier: config.limits.anonymousTier,
  });
}

function createTokenCheck(
  { auth }: GatewayConfig,
  tiers: ReadonlySet<string>,
  { clock, log }: AdmissionDeps,
): JwtCheck | undefined {
  if (auth.jwt === undefined) return undefined;
  const { jwksUrl, keysFresh, keysStale } = auth.jwt;
  const keyOf = createJwks({
    url: jwksUrl,
    fetchJwks,
    clock,
    freshMs: keysFresh,
    staleMs: keysStale,
    onFailure: (error) =>
      log.warn({ problem: error.message }, 'the key set of the token issuer cannot be read'),
  });
  return createJwtCheck({ config: auth.jwt, keyOf, clock, tiers });
}

/** Counted like a tier, under a name that no tier of the configuration can have. */
const FAILED_CREDENTIALS = '(failed credentials)';

/** Puts the stages together that every call passes: who calls, how often, and what for. */
export function createAdmission(config: GatewayConfig, deps: AdmissionDeps): Admission {
  const { redis, keys, metrics, clock } = deps;
  const tiers = new Set(Object.keys(config.limits.tiers));
  const failures = { windows: [config.limits.failedCredentials], onStoreFailure: 'open' } as const;
  const limiter = createLimiter({
    redis: redis.limits?.client,
    tiers: { ...config.limits.tiers, [FAILED_CREDENTIALS]: failures },
    keyOf: (tier, windows, subject) => keys.tierCounts(tier, windows, subject),
    monotonic: () => clock.monotonic(),
  });
  const failed = createFailedCredentials({
    window: config.limits.failedCredentials,
    consume:
      redis.limits === undefined ? undefined : (address) => limiter.consume(FAILED_CREDENTIALS, address),
    clock,
  });
  const stages: readonly Stage[] = [
    // Holds the limit on an address's wrong credentials too: it stands before any credential is looked up, so that
    // keys cannot be guessed.
    createAuthenticate({
      apiKeys: createKeyCheck(config, tiers, deps),
      jwt: createTokenCheck(config, tiers, deps),
      failed,
      throttle: createCredentialThrottle({ failed, clock }),
      anonymousTier: config.limits.anonymousTier,
      metrics,
    }),
    createRateLimit({
      limiter,
      dryRun: new Set(Object.keys(config.limits.tiers).filter((name) => config.limits.tiers[name]?.dryRun)),
      onDecision: (tier, outcome, by) => metrics.limiterDecision(tier, outcome, by),
    }),
    // Behind the limit: an answer that names a permission costs a point like any other.
    authorize,
  ];
  return { stages, admit: assemble(stages, () => undefined), close: () => limiter.close() };
}
