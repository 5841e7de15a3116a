import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Redis } from 'ioredis';
import { parse, stringify } from 'yaml';
import { readConfig } from '../../../src/cli/input/read-config.ts';
import { createKeyStore, type KeyStore } from '../../../src/store/key-store.ts';
import { createRedisKeys, type RedisKeys } from '../../../src/store/redis/redis-keys.ts';
import { redisProfile } from '../../../src/store/redis/redis-profile.ts';
import { createRedis } from '../../../src/store/redis/redis.ts';
import { type GatewayProcess, startGatewayProcess } from '../../support/gateway/gateway-process.ts';
import { copyConfig } from '../../support/gateway/config-copy.ts';
import { type BenchSecrets, mintBenchKey, ROOMY, storedHashUnder } from './secrets.ts';
import { createTraffic, type Traffic } from './load/traffic.ts';
import { sampleTruth, type TruthOf } from './truth.ts';

type Tree = { readonly [name: string]: unknown };

/** What a gateway process is started with, where the usual will not do. */
export type GatewayOptions = {
  /** Laid over `config/portico.yaml`, key by key; lists are replaced as a whole. */
  readonly config?: Tree;
  /** Files of `sources/`, by name, beside or in the place of the committed ones. */
  readonly sources?: Readonly<Record<string, string>>;
  /** Variables of the process; `USERS_URL`, `CATALOG_URL` and `ORDERS_URL` lead to the sample services by default. */
  readonly env?: Readonly<Record<string, string>>;
  /** The token that reads its metrics, where its listener asks for one. */
  readonly adminToken?: string;
  /** How many keys are stored in Redis for it; one by default, none in the embedded mode. */
  readonly keys?: number;
  /** What its answers must be; those of the sample services by default. */
  readonly truth?: TruthOf;
  /** The row ends the process itself: it need not be alive afterwards, nor have logged everything. */
  readonly mayEnd?: boolean;
  /** An error escapes in the process: it may say so. */
  readonly mayFail?: boolean;
};

/** What stands in the Redis of a gateway, over a patient connection of the test's own. */
export type Stored = { readonly client: Redis; readonly store: KeyStore; readonly keys: RedisKeys };

/** A gateway process of the bench. */
export type FaultGateway = Omit<GatewayProcess, 'lines'> &
  Pick<Traffic, 'ask' | 'load'> & {
    /** The file that it was started with, in a folder of its own. */
    readonly configFile: string;
    /** A key of the configuration: it is known without Redis. It may read everything. */
    readonly configuredKey: string;
    /** Keys that only Redis knows. */
    readonly storedKeys: readonly string[];
    /** The lines of its log since the row began, parsed. */
    log(): readonly Record<string, unknown>[];
    /** Looks into its Redis, or changes what stands there, as `portico keys` does. */
    withStored<T>(work: (stored: Stored) => Promise<T>): Promise<T>;
    /** @internal */
    readonly checked: {
      readonly truth: TruthOf;
      readonly mayEnd: boolean;
      readonly mayFail: boolean;
      readonly traffic: Traffic;
      /** Starts a new row: what was logged so far is no longer looked at. */
      mark(): void;
      output(): string;
    };
  };

function overlay(base: unknown, over: unknown): unknown {
  if (over === undefined) return base;
  const isTree = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);
  if (!isTree(base) || !isTree(over)) return over;
  const merged: Record<string, unknown> = { ...(base as Tree) };
  for (const [name, value] of Object.entries(over as Tree)) merged[name] = overlay(merged[name], value);
  return merged;
}

function ownSettings({ pepper, configuredKey }: BenchSecrets): Tree {
  const permissions = ['users:read', 'products:read', 'orders:read'];
  const key = { id: 'configured', hash: storedHashUnder(pepper, configuredKey), permissions, tier: ROOMY };
  return {
    listen: { drain: '0ms' },
    // Rows about other things must not be refused because the machine is busy.
    overload: { eventLoopDelayMax: '1m' },
    auth: { apiKeys: { pepper: '${PORTICO_KEY_PEPPER}', keys: [key] } },
    limits: { tiers: { [ROOMY]: { windows: ['1000000 per 1s'] } } },
  };
}

/** On a busy machine a Redis must not look as if it had gone, where a row does not say how long it may take. */
const patientRedis = { redis: { commandTimeout: '60s', connectTimeout: '60s' } };

/** Writes the files of one gateway to a folder of their own. */
function writeConfig(options: GatewayOptions, secrets: BenchSecrets, isPatient: boolean) {
  const copy = copyConfig();
  const committed: unknown = parse(readFileSync(copy.file, 'utf8'));
  const usual = overlay(committed, ownSettings(secrets));
  const config = overlay(overlay(usual, isPatient ? patientRedis : {}), options.config);
  writeFileSync(copy.file, stringify(config));
  for (const [name, text] of Object.entries(options.sources ?? {}))
    writeFileSync(join(dirname(copy.file), 'sources', name), text);
  return copy;
}

/** Starts one with these variables, and stores its keys. A patient one takes no busy machine for a Redis that is gone. */
export async function startFaultGateway(
  options: GatewayOptions,
  env: Readonly<Record<string, string>>,
  secrets: BenchSecrets,
  isPatient: boolean,
): Promise<FaultGateway> {
  const copy = writeConfig(options, secrets, isPatient);
  const { redis: settings } = readConfig(copy.file, { PORT: '0', ...env }).gateway;
  const profile = redisProfile(settings, 'keys');

  async function withStored<T>(work: (stored: Stored) => Promise<T>): Promise<T> {
    if (profile === undefined) throw new Error('this gateway has no Redis');
    const quiet = { info: () => undefined, warn: () => undefined };
    const redis = createRedis({ ...profile, commandTimeoutMs: 60_000, connectTimeoutMs: 60_000 }, quiet);
    try {
      if (!(await redis.untilReady(60_000))) throw new Error('the test cannot reach its Redis');
      const keys = createRedisKeys(settings.prefix);
      return await work({ client: redis.client, store: createKeyStore(redis.client, keys), keys });
    } finally {
      await redis.close();
    }
  }

  const storedKeys: string[] = [];
  async function storeKeys({ store }: Stored): Promise<void> {
    for (let count = options.keys ?? 1; count > 0; count -= 1) {
      const { key, record } = mintBenchKey(secrets);
      await store.create(record);
      storedKeys.push(key);
    }
  }
  if (profile !== undefined && options.keys !== 0) await withStored(storeKeys);

  const running = await startGatewayProcess(env, copy.file, options.adminToken);
  const { process, url } = running;
  const isEntitled = (key: string) => key === secrets.configuredKey || storedKeys.includes(key);
  const traffic = createTraffic(url, () => storedKeys[0] ?? secrets.configuredKey, isEntitled);
  let [outFrom, errFrom] = [0, 0];

  return {
    ...running,
    configFile: copy.file,
    configuredKey: secrets.configuredKey,
    storedKeys,
    ask: traffic.ask,
    load: traffic.load,
    log: () => running.lines(outFrom),
    withStored,
    checked: {
      truth: options.truth ?? sampleTruth,
      mayEnd: options.mayEnd ?? false,
      mayFail: options.mayFail ?? false,
      traffic,
      mark() {
        [outFrom, errFrom] = [process.out.length, process.err.length];
        traffic.take();
      },
      output: () => process.out.slice(outFrom) + process.err.slice(errFrom),
    },
    async close() {
      traffic.close();
      await running.close();
      copy.remove();
    },
  };
}
