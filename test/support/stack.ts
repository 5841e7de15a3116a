import { pino } from 'pino';
import type { GatewayConfig } from '../../src/config/gateway-schema.ts';
import { servedOpenapi } from '../../src/cli/documents.ts';
import { readConfig } from '../../src/cli/read-config.ts';
import { createGateway, type Gateway } from '../../src/gateway.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { hashApiKey } from '../../src/policy/api-key.ts';
import { Secret } from '../../src/kernel/secret.ts';
import { createCatalogService } from '../../src/samples/catalog-service.ts';
import { sampleCredentials } from '../../src/samples/credentials.ts';
import { generateOrders } from '../../src/samples/generate-orders.ts';
import { generateProducts, type SampleProduct } from '../../src/samples/generate-products.ts';
import { generateUsers, type SampleUser } from '../../src/samples/generate-users.ts';
import type { LegacyService } from '../../src/samples/legacy-service.ts';
import { createOrdersService } from '../../src/samples/orders-service.ts';
import { createUsersService } from '../../src/samples/users-service.ts';

/** The pepper of every stack. */
export const PEPPER = 'a-pepper-of-the-tests-only';

/** A key with every permission and the roomy tier. */
export const KEY = 'a-test-key-with-every-permission';

/** A key that may read users only. */
export const USERS_KEY = 'a-test-key-that-may-read-users-only';

/** What a stack is made of, where the defaults will not do. */
export type StackOptions = {
  readonly users?: readonly SampleUser[];
  readonly products?: readonly SampleProduct[];
  /** Absent: the embedded mode. */
  readonly redis?: { readonly url: string; readonly prefix: string };
  /** Planted in every secret of the sample services. */
  readonly canary?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Changes the configuration before the gateway is made. */
  configure?(config: GatewayConfig): void;
};

/** The three sample services and a gateway in front of them, all in this process, on free ports. */
export type Stack = {
  readonly url: string;
  readonly adminUrl: string;
  readonly gateway: Gateway;
  readonly services: {
    readonly users: LegacyService;
    readonly catalog: LegacyService;
    readonly orders: LegacyService;
  };
  /** The gateway's log lines so far. */
  readonly log: readonly string[];
  /** A request with `KEY`, unless the headers name another credential. */
  get(path: string, init?: RequestInit): Promise<Response>;
  close(): Promise<void>;
};

function startServices({ users, products, canary }: StackOptions) {
  const planted = canary === undefined ? {} : { canary };
  return {
    users: createUsersService({
      users: users ?? generateUsers({ seed: 1 }),
      credentials: sampleCredentials.users,
      ...planted,
    }),
    catalog: createCatalogService({
      products: products ?? generateProducts({ seed: 1 }),
      credentials: sampleCredentials.catalog,
      ...planted,
    }),
    orders: createOrdersService({
      orders: generateOrders({ seed: 1 }),
      credentials: sampleCredentials.orders,
      ...planted,
    }),
  };
}

function addKeys(config: GatewayConfig): void {
  const key = (id: string, text: string, permissions: string[]) => ({
    id,
    hash: hashApiKey(new Secret(PEPPER), text),
    label: id,
    permissions,
    tier: 'roomy',
  });
  config.auth.apiKeys?.keys.push(
    key('everything', KEY, ['users:read', 'products:read', 'orders:read']),
    key('usersonly', USERS_KEY, ['users:read']),
  );
}

/** Starts a stack. The rate limit is out of the way unless `configure` says otherwise. */
export async function startStack(options: StackOptions = {}): Promise<Stack> {
  const services = startServices(options);
  const [users, catalog, orders] = await Promise.all([
    services.users.listen(),
    services.catalog.listen(),
    services.orders.listen(),
  ]);
  const env = {
    HOST: '127.0.0.1',
    PORT: '0',
    ADMIN_PORT: '0',
    PORTICO_KEY_PEPPER: PEPPER,
    USERS_URL: users.url,
    CATALOG_URL: catalog.url,
    ORDERS_URL: orders.url,
    REDIS_URL: options.redis?.url ?? '',
    ...options.env,
  };
  const { gateway: gatewayConfig, compiled } = readConfig('config/portico.yaml', env);
  gatewayConfig.listen.drain = 0;
  if (options.redis !== undefined) gatewayConfig.redis.prefix = options.redis.prefix;
  gatewayConfig.limits.tiers['roomy'] = {
    windows: [{ points: 1_000_000, seconds: 1 }],
    onStoreFailure: 'open',
  };
  addKeys(gatewayConfig);
  options.configure?.(gatewayConfig);

  const log: string[] = [];
  const gateway = createGateway(gatewayConfig, compiled, {
    log: pino({ base: null }, { write: (line: string) => void log.push(line) }),
    clock: systemClock,
    openapi: servedOpenapi(),
    version: 'test',
    nodeVersion: 'test',
  });
  const { port, adminPort } = await gateway.listen();
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    adminUrl: `http://127.0.0.1:${adminPort}`,
    gateway,
    services,
    log,
    get(path, init = {}) {
      const headers = new Headers(init.headers);
      if (!headers.has('authorization') && !headers.has('x-api-key'))
        headers.set('authorization', `Bearer ${KEY}`);
      return fetch(url + path, { ...init, headers });
    },
    async close() {
      await gateway.close();
      await Promise.all(Object.values(services).map((service) => service.close()));
    },
  };
}
