import { setTimeout as delay } from 'node:timers/promises';
import { Secret } from '../../../src/kernel/secret.ts';
import { hashApiKey, newApiKey } from '../../../src/pipeline/stages/authentication/api-key.ts';
import { type GatewayProcess, startGatewayProcess } from './gateway-process.ts';
import { eventually } from '../time/eventually.ts';
import { serving, startUpstream } from '../upstream/scripted-upstream.ts';
import { crmList } from '../upstream/scripts.ts';
import { type RedisServer, startRedis } from '../redis/redis-server.ts';
import { type ConfigCopy, copyConfig } from './config-copy.ts';

/** A gateway of several workers on a Redis of its own, and the one service behind it. */
export type WorkerGateway = GatewayProcess & {
  /** Of the tier `few`, 25 requests a minute, and of one without a limit that matters. */
  readonly keys: { readonly few: string; readonly roomy: string };
  readonly config: ConfigCopy;
  readonly redisUrl: string;
  readonly redis: RedisServer;
  readonly users: UserService;
  /** Lines of the log that fit. */
  logged(fits: (line: LogLine) => boolean): readonly LogLine[];
  /** Resolves as soon as a line fits. */
  untilLogged(fits: (line: LogLine) => boolean): Promise<LogLine>;
  stop(): Promise<void>;
};

/** A line of the log, as far as a test looks at it. */
export type LogLine = {
  readonly msg: string;
  readonly pid: number;
  readonly worker?: number;
  readonly operation?: string;
  readonly problems?: readonly string[];
};

type UserService = {
  /** The first name of everybody. */
  name: string;
  /** How long a call takes, milliseconds. */
  ms: number;
  /** The most calls under way at once. */
  most: number;
};

const PEPPER = 'a-pepper-of-the-workers';

/** A user service in the form of the sample CRM. */
async function startUsers() {
  const users: UserService = { name: 'Ada', ms: 0, most: 0 };
  let active = 0;
  const upstream = await startUpstream(
    serving(async (request) => {
      active += 1;
      users.most = Math.max(users.most, active);
      await delay(users.ms);
      active -= 1;
      return crmList(request, users.name);
    }),
  );
  return { users, upstream };
}

function writeConfig(workers: number) {
  const keys = { few: newApiKey('workersfew'), roomy: newApiKey('workersroomy') };
  const entry = (tier: keyof typeof keys) =>
    `{ id: workers${tier}, hash: ${hashApiKey(new Secret(PEPPER), keys[tier])}, permissions: [users:read], tier: ${tier} }`;
  const config = copyConfig();
  const edit = (from: string, to: string) => config.edit('portico.yaml', from, to);
  edit('workers: ${WORKERS:-1}', `workers: ${workers}`);
  edit('  port: ${PORT:-8080}', '  port: ${PORT:-8080}\n  drain: 300ms');
  // A busy machine must not look like a Redis that has gone: each process would then count alone.
  config.useGenerousTimeouts();
  edit('a-pepper-for-trying-out-only}', `x}\n    keys: [${entry('few')}, ${entry('roomy')}]`);
  edit(
    '    roomy: { windows: [200 per 1s, 20000 per 60s] }',
    '    few: { windows: [25 per 60s] }\n    roomy: { windows: [1000000 per 60s] }',
  );
  edit('fresh: 10s, notFound: 2s', 'fresh: 300s, notFound: 2s');
  config.edit('sources/crm.yaml', 'concurrency: 8', 'concurrency: 3');
  return { config, keys };
}

/** Starts a gateway of so many workers, and what it needs. */
export async function startWorkers(workers: number): Promise<WorkerGateway> {
  const redis = await startRedis();
  const { users, upstream } = await startUsers();
  const { config, keys } = writeConfig(workers);
  const env = { USERS_URL: upstream.origin, REDIS_URL: redis.url, PORTICO_KEY_PEPPER: PEPPER };
  async function clear(): Promise<void> {
    await upstream.close();
    await redis.stop();
    config.remove();
  }
  const gateway = await startGatewayProcess(env, config.file).catch(async (error: unknown) => {
    await clear();
    throw error;
  });

  const logged = (fits: (line: LogLine) => boolean) => gateway.lines<LogLine>().filter(fits);
  return {
    ...gateway,
    keys,
    config,
    redisUrl: redis.url,
    redis,
    users,
    logged,
    untilLogged: (fits) => eventually(() => logged(fits)[0], { withinMs: 60_000 }),
    async stop() {
      await gateway.process.kill();
      await clear();
    },
  };
}
