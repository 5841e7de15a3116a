import { createKey, type GatewayProcess, NODE, startGatewayProcess } from './gateway-process.ts';
import { startProcess } from '../process/running-process.ts';
import { startRedis } from '../redis/redis-server.ts';
import { copyConfig } from './config-copy.ts';

/** What a service has counted since it was last asked. Times in milliseconds. */
export type Counted = {
  /** When each call came. */
  readonly arrivals: readonly number[];
  /** The most calls under way at once. */
  readonly most: number;
  /** By how much the service itself was late at most. */
  readonly lagMs: number;
};

export type Answer = {
  readonly status: number;
  /** The code of an error. */
  readonly code: string | undefined;
  readonly retryAfter: string | null;
  readonly cacheStatus: string | null;
  /** By `performance.now()`. */
  readonly at: number;
};

/** The budgets that the sources of a fleet have: the users' in calls per second, the catalogue's in calls at once. */
export type Budgets = {
  readonly usersPerSecond: number;
  readonly catalogConcurrency: number;
  readonly catalogMs: number;
};

/** Gateway processes on one Redis, in front of services that count. */
export type BudgetFleet = {
  /** Asks the processes in turn. */
  ask(path: string): Promise<Answer>;
  users(): Promise<Counted>;
  catalog(): Promise<Counted>;
  /** By how much any of the gateways was late at most since this was last asked, milliseconds. */
  lagMs(): Promise<number>;
  stop(): Promise<void>;
};

function writeConfig({ usersPerSecond, catalogConcurrency }: Budgets) {
  const config = copyConfig();
  // A busy machine must not look like a Redis that has gone: each process would then count alone.
  config.useGenerousTimeouts();
  for (const source of ['crm', 'catalog'])
    config.edit(`sources/${source}.yaml`, 'queue: { time: 60s }', 'queue: { max: 20, time: 500ms }');
  config.edit(
    'sources/crm.yaml',
    'concurrency: 8',
    `concurrency: 100\n  requestsPerSecond: ${usersPerSecond}`,
  );
  config.edit('sources/catalog.yaml', 'concurrency: 8', `concurrency: ${catalogConcurrency}`);
  config.edit('portico.yaml', 'fresh: 10s, notFound: 2s', 'fresh: 1s, notFound: 2s, staleIfError: 10m');
  config.edit('portico.yaml', '200 per 1s, 20000 per 60s', '1000000 per 60s');
  return config;
}

/** Starts so many gateway processes, and what they need. */
export async function startBudgetFleet(processes: number, budgets: Budgets): Promise<BudgetFleet> {
  const redis = await startRedis();
  const services = startProcess(NODE, [
    'test/support/upstream/counting-upstreams.ts',
    '5',
    String(budgets.catalogMs),
  ]);
  const [, usersPort, catalogPort] = await services.prints(/^\[(\d+),(\d+)\]$/m);
  const [users, catalog] = [`http://127.0.0.1:${usersPort}`, `http://127.0.0.1:${catalogPort}`];
  const config = writeConfig(budgets);
  const env = {
    USERS_URL: users,
    CATALOG_URL: catalog,
    REDIS_URL: redis.url,
    PORTICO_KEY_PEPPER: 'a-pepper-of-the-fleet',
  };
  const start = () => startGatewayProcess(env, config.file);
  const key = () => createKey(config.file, env, { permissions: 'users:read,products:read' });
  const fleet: GatewayProcess[] = [];
  async function stop(): Promise<void> {
    await Promise.all([...fleet.map(({ process }) => process.kill()), services.kill()]);
    await redis.stop();
    config.remove();
  }
  const starts = Array.from({ length: processes }, async () => fleet.push(await start()));
  const [made, ...started] = await Promise.allSettled([key(), ...starts]);
  if (made.status === 'rejected' || started.some(({ status }) => status === 'rejected')) {
    await stop();
    throw new Error('the fleet cannot be started', { cause: [made, ...started] });
  }
  const headers = { authorization: `Bearer ${made.value.key}` };
  const counted = async (url: string) => (await (await fetch(`${url}/counted`)).json()) as Counted;
  let asked = 0;

  return {
    users: () => counted(users),
    catalog: () => counted(catalog),
    async ask(path) {
      asked += 1;
      const url = `${fleet[asked % processes]?.url}${path}`;
      const once = () => fetch(url, { headers });
      // A kept connection may be closed for its idleness just as it is used; a gateway that has gone is so twice.
      const response = await once().catch(once);
      const body = (await response.json()) as { error?: { code: string } };
      return {
        status: response.status,
        code: body.error?.code,
        retryAfter: response.headers.get('retry-after'),
        cacheStatus: response.headers.get('cache-status'),
        at: performance.now(),
      };
    },
    async lagMs() {
      const lags = await Promise.all(
        fleet.map((gateway) => gateway.counted('nodejs_eventloop_lag_max_seconds')),
      );
      return Math.max(...lags) * 1_000;
    },
    stop,
  };
}
