import { pino } from 'pino';
import { parseGateway } from './parse-gateway.ts';
import { systemClock } from '../../../src/kernel/clock.ts';
import type { Clock } from '../../../src/kernel/clock.ts';
import { createSharedComponents } from '../../../src/kernel/shared-components.ts';
import { Secret } from '../../../src/kernel/secret.ts';
import { createAdmission } from '../../../src/gateway/assemble/admission.ts';
import { assembleAdmission } from '../../../src/gateway/assemble/assemble.ts';
import type { Call } from '../../../src/pipeline/stages/call.ts';
import type { KeyRecord } from '../../../src/store/key-record.ts';
import { createKeyStore, type KeyStore } from '../../../src/store/key-store.ts';
import { createRedisKeys } from '../../../src/store/redis/redis-keys.ts';
import { createRedis, type RedisConnection } from '../../../src/store/redis/redis.ts';
import { PATIENCE_MS } from './generous-timeouts.ts';
import { connectRedis } from '../redis/connect-redis.ts';

export const PEPPER = new Secret('a pepper of the tests only');

/** The stages that every call passes, on a Redis: what one gateway process has of them. */
export type RunningAdmission = {
  readonly redis: RedisConnection;
  readonly store: KeyStore;
  /** Every line the gate has logged. */
  readonly log: readonly string[];
  /** What the metrics were told: `key accepted`, `standard admitted redis`, … */
  readonly metricEvents: readonly string[];
  /** The status a call would be answered with. */
  statusOf(call: Call): Promise<number>;
  close(): Promise<void>;
};

export type AdmissionOptions = {
  readonly url: string;
  readonly prefix: string;
  readonly clock?: Clock;
  /** The section `limits` of the configuration. */
  readonly limits?: object;
  /** How long a command may take. A test that is not about that must not fail on a busy machine. */
  readonly commandTimeoutMs?: number;
  /** Whether to wait for Redis before the gate is handed out. */
  readonly waitForRedis?: boolean;
};

/** Opens the admission stages; the caller closes them. */
export async function openAdmission(options: AdmissionOptions): Promise<RunningAdmission> {
  const {
    url,
    prefix,
    clock = systemClock,
    limits = {},
    commandTimeoutMs = PATIENCE_MS,
    waitForRedis = true,
  } = options;
  const config = parseGateway({
    portico: 1,
    auth: { apiKeys: { pepper: PEPPER.reveal() } },
    limits,
    resources: {},
  });
  const [log, metricEvents]: [string[], string[]] = [[], []];
  const logger = pino({ level: 'trace', base: null }, { write: (line) => void log.push(line) });
  const redis = createRedis({ url, commandTimeoutMs, connectTimeoutMs: PATIENCE_MS }, logger);
  if (waitForRedis && !(await redis.untilReady(PATIENCE_MS))) throw new Error('the test has no Redis');
  const keys = createRedisKeys(prefix);
  const note = (...words: string[]) => void metricEvents.push(words.join(' '));
  const metrics = {
    credential: note,
    limiterDecision: note,
    refusedCredential: () => undefined,
    issuerLost: () => undefined,
    watchExpiring: () => undefined,
    watchLostKeys: () => undefined,
  };
  const parts = createSharedComponents().open();
  const admission = createAdmission(config, {
    redis: { keys: redis, limits: redis },
    keys,
    clock,
    metrics,
    log: logger,
    parts,
  });
  const admit = assembleAdmission(admission);

  return {
    redis,
    store: createKeyStore(redis.client, keys),
    log,
    metricEvents,
    async statusOf(call) {
      try {
        await admit(call);
        return 200;
      } catch (error) {
        return (error as { status?: number }).status ?? 0;
      }
    },
    close: () => redis.close(),
  };
}

/** Stores a key as an operator does: over a connection of its own, with patience. */
export async function storeKey({ url, prefix }: AdmissionOptions, record: KeyRecord): Promise<void> {
  const redis = await connectRedis(url);
  await createKeyStore(redis.client, createRedisKeys(prefix)).create(record);
  await redis.close();
}
