// Creates the stages that decide who may pass: authentication and rate limits. A reload keeps the parts that did not change.

import type { Logger } from 'pino';
import type { JwtConfig, KeyRecordConfig } from '../../config/schema/access.ts';
import type { GatewayConfig } from '../../config/schema/gateway.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { ComponentSet, MadeComponent } from '../../kernel/shared-components.ts';
import {
  createApiKeyCheck,
  type ApiKeyCheck,
  type ApiKeyCheckDeps,
} from '../../pipeline/stages/authentication/api-key-check.ts';
import { createKeyRecords, type KeyRecords } from '../../pipeline/stages/authentication/api-key-records.ts';
import {
  type AuthenticateDeps,
  createAuthenticate,
} from '../../pipeline/stages/authentication/authenticate.ts';
import { createCredentialThrottle } from '../../pipeline/stages/authentication/credential-throttle.ts';
import {
  createHostPrincipal,
  type HostAuthentication,
} from '../../pipeline/stages/authentication/host-principal.ts';
import { createFailedCredentials } from '../../pipeline/stages/authentication/failed-credentials.ts';
import { createJwksClient } from '../../pipeline/stages/authentication/jwks-fetch.ts';
import { createJwks, type IssuerKeys } from '../../pipeline/stages/authentication/jwks.ts';
import { createJwtCheck } from '../../pipeline/stages/authentication/jwt.ts';
import { createKeyHousekeeping, endsSoon } from '../../pipeline/stages/authentication/key-housekeeping.ts';
import type { Secret } from '../../kernel/secret.ts';
import type { Stage } from '../../pipeline/stages/call.ts';
import { createRateLimit, type RateLimitDeps } from '../../pipeline/stages/rate-limit.ts';
import type { KeyRecord } from '../../store/key-record.ts';
import { createKeyStore } from '../../store/key-store.ts';
import { createKeyLastUsed } from '../../store/key-last-used.ts';
import { notePepper, PEPPER_NOTE_MS } from '../../store/known-peppers.ts';
import { createLimiter, type Limiter, type Tier, type TierLimiter } from '../../store/limiter/limiter.ts';
import type { RedisKeys } from '../../store/redis/redis-keys.ts';
import type { RedisByRole } from '../../store/redis/redis-roles.ts';
import type { WebhookEvent } from '../../telemetry/webhooks/webhook-message.ts';

/** The metrics of authentication, rate limits and API keys. */
export type AdmissionMetrics = AuthenticateDeps['metrics'] &
  RateLimitDeps['metrics'] & {
    /** Reports whether the last fetch of the token issuer's key set failed, and why. */
    issuerLost: (isLost: boolean, problem?: string) => void;
    /** Sets the function that tells at each scrape how many keys expire soon. */
    watchExpiring(kept: 'redis' | 'configuration', count: () => number): void;
    /** Sets the function that tells whether the Redis of keys has lost keys that callers still use. */
    watchLostKeys(loss: KeyRecords['loss']): void;
  };

/**
 * What the admission needs. All but `parts` outlives the configuration. Without `redis.keys`, only keys of the configuration
 * are known; without `redis.limits`, each process counts alone.
 */
export type AdmissionDeps = {
  /** Where keys are kept and callers are counted; absent in the embedded mode. */
  readonly redis: Pick<RedisByRole, 'keys' | 'limits'>;
  readonly keys: RedisKeys;
  readonly clock: Clock;
  readonly metrics: AdmissionMetrics;
  readonly log: Pick<Logger, 'warn'>;
  /** Sends webhooks about keys that expire soon; absent if there are no receivers. */
  readonly tell?: ((event: WebhookEvent) => void) | undefined;
  /** The host of the library, if it authenticates callers. */
  readonly host?: HostAuthentication | undefined;
  /** Reuses parts, such as recent look-ups of callers, after a reload that does not change their settings. */
  readonly parts: Pick<ComponentSet, 'acquire'>;
};

/** How many keys of a configuration expire soon. */
function countEndingSoon(keys: readonly KeyRecordConfig[], now: number): number {
  return keys.filter(
    ({ expiresAt }) => expiresAt !== undefined && endsSoon({ expiresAt: Date.parse(expiresAt) }, now),
  ).length;
}

/** The event of a key that expires soon. It is the same in all processes, so that a receiver can drop repetitions. */
function endingEvent({ id, label, expiresAt = 0 }: KeyRecord): WebhookEvent {
  const ends = new Date(expiresAt).toISOString();
  return {
    type: 'key.expiring',
    subject: `key:${id}`,
    data: { id, label, expiresAt: ends },
    key: `${id} ${ends}`,
  };
}

/** Makes the look-up of the keys in Redis, which remembers recent keys. */
function makeKeyRecords(
  _: null,
  { redis, keys, clock, metrics, tell }: AdmissionDeps,
): MadeComponent<KeyRecords | undefined> {
  const { client } = redis.keys ?? {};
  if (client === undefined) return { value: undefined };
  const store = createKeyStore(client, keys);
  const records = createKeyRecords({ store, clock });
  const watch = createKeyHousekeeping({
    ...{ records, store, clock },
    uses: createKeyLastUsed(client, keys.apiKeyUses),
    onEndingSoon: (record) => tell?.(endingEvent(record)),
  });
  metrics.watchExpiring('redis', () => watch.expiring());
  metrics.watchLostKeys(records.loss);
  return { value: records, close: () => watch.close() };
}

/** Notes in Redis, at intervals, which pepper this process has. */
function makePepperNote(
  { pepper }: { readonly pepper: Secret },
  { redis, keys, clock }: AdmissionDeps,
): MadeComponent<undefined> {
  const { client } = redis.keys ?? {};
  if (client === undefined) return { value: undefined };
  const uses = createKeyLastUsed(client, keys.apiKeyUses);
  // If Redis fails, the next interval tries again.
  const note = () => void notePepper(uses, pepper, clock.now()).catch(() => undefined);
  note();
  const timer = setInterval(note, PEPPER_NOTE_MS).unref();
  function close(): Promise<void> {
    clearInterval(timer);
    return Promise.resolve();
  }
  return { value: undefined, close };
}

function createKeyCheck(
  { apiKeys }: GatewayConfig['auth'],
  known: Pick<ApiKeyCheckDeps, 'tiers' | 'fallbackTier' | 'records'>,
  { clock, metrics }: AdmissionDeps,
): ApiKeyCheck | undefined {
  const configured = apiKeys?.keys ?? [];
  metrics.watchExpiring('configuration', () => countEndingSoon(configured, clock.now()));
  return apiKeys && createApiKeyCheck({ pepper: apiKeys.pepper, configured, ...known, clock });
}

function makeIssuerKeys(
  settings: ReturnType<typeof issuerOf>,
  { clock, log, metrics }: AdmissionDeps,
): MadeComponent<IssuerKeys> {
  const { jwksUrl: url, keysFresh: freshMs, keysStale: staleMs, tls } = settings;
  const client = createJwksClient(tls?.ca);
  const { fetchJwks } = client;
  const value = createJwks({ url, fetchJwks, clock, freshMs, staleMs, log, onFetch: metrics.issuerLost });
  return { value, close: () => client.close() };
}

/** The settings by which callers are authenticated. */
type AuthenticateSettings = {
  readonly auth: GatewayConfig['auth'];
  readonly tiers: readonly string[];
  readonly limits: Pick<GatewayConfig['limits'], 'anonymousTier' | 'failedCredentials'>;
  readonly records: KeyRecords | undefined;
  readonly keyOf: IssuerKeys | undefined;
  readonly wrong: Pick<AuthenticateDeps, 'failed' | 'throttle'>;
};

/** Makes the stage that finds the principal. A change of other settings keeps the stage, and so its recent look-ups. */
function makeAuthenticate(
  { auth, tiers: names, limits, records, keyOf, wrong }: AuthenticateSettings,
  deps: AdmissionDeps,
): MadeComponent<Stage> {
  const { clock, metrics, host } = deps;
  const { anonymousTier } = limits;
  const tiers = new Set(names);
  return {
    value: createAuthenticate({
      host: host && { ...host, principalOf: createHostPrincipal(host, { tiers, anonymousTier }) },
      apiKeys: createKeyCheck(auth, { tiers, fallbackTier: anonymousTier, records }, deps),
      jwt: auth.jwt && keyOf && createJwtCheck({ config: auth.jwt, keyOf, clock, tiers }),
      ...wrong,
      anonymousTier,
      metrics,
    }),
  };
}

const issuerOf = ({ jwksUrl, keysFresh, keysStale, tls }: JwtConfig) => ({
  jwksUrl,
  keysFresh,
  keysStale,
  tls,
});

const makeTier = (_: Tier & { readonly name: string }, { make }: { readonly make: () => TierLimiter }) => ({
  value: make(),
});

/** Makes the limit on wrong credentials. It keeps its first limiter, because that has the same counts as any later limiter. */
function makeWrongCredentials(
  window: GatewayConfig['limits']['failedCredentials'],
  { redis, clock, limiter }: Pick<AdmissionDeps, 'redis' | 'clock'> & { readonly limiter: Limiter },
): MadeComponent<AuthenticateSettings['wrong']> {
  const consume = redis.limits && ((address: string) => limiter.consume(FAILED_CREDENTIALS, address));
  const failed = createFailedCredentials({ window, consume, clock });
  return { value: { failed, throttle: createCredentialThrottle({ failed, clock }) } };
}

/** The name of the tier that counts wrong credentials; no tier of the configuration can have it. */
const FAILED_CREDENTIALS = '(failed credentials)';

/** Creates the stages that admit a call: authentication and rate limit. Every call passes them. */
export function createAdmission(config: GatewayConfig, deps: AdmissionDeps) {
  const { redis, keys, metrics, clock, parts } = deps;
  const { auth, limits } = config;
  const { tiers, anonymousTier, failedCredentials } = limits;
  const limiter = createLimiter({
    redis: redis.limits?.client,
    tiers: { ...tiers, [FAILED_CREDENTIALS]: { windows: [failedCredentials], onStoreFailure: 'open' } },
    keyOf: (tier, windows, subject) => keys.tierCounts(tier, windows, subject),
    clock,
    keepTier: (name, { windows, onStoreFailure }, make) =>
      parts.acquire(makeTier, { name, windows, onStoreFailure }, { make }),
  });
  const wrong = parts.acquire(makeWrongCredentials, failedCredentials, { redis, clock, limiter });
  const { apiKeys, jwt } = auth;
  // Each configuration acquires these itself. If `authenticate` acquired them, they would end with the first configuration.
  const records = apiKeys && parts.acquire(makeKeyRecords, null, deps);
  if (apiKeys !== undefined) parts.acquire(makePepperNote, { pepper: apiKeys.pepper }, deps);
  const keyOf = jwt && parts.acquire(makeIssuerKeys, issuerOf(jwt), deps);
  const settings = { auth, tiers: Object.keys(tiers), limits: { anonymousTier, failedCredentials } };
  const hasOwn = auth.host || jwt !== undefined || (apiKeys?.keys.length ?? 0) > 0;
  return {
    /** Whether some callers are known without the Redis of keys. */
    canServe: () => hasOwn || records?.canServe() === true,
    /** Finds the principal, and enforces the limit on wrong credentials of an address. */
    authenticate: parts.acquire(makeAuthenticate, { ...settings, records, keyOf, wrong }, deps),
    rateLimit: createRateLimit({
      limiter,
      dryRun: new Set(Object.keys(tiers).filter((name) => tiers[name]?.dryRun)),
      metrics,
    }),
    /** Stops the limiter's work in the background. */
    close: () => limiter.close(),
  };
}
