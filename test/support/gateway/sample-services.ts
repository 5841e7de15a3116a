import { createCatalogService } from '../../../src/cli/demo/catalog-service.ts';
import { sampleCredentials } from '../../../src/cli/demo/serve.ts';
import { generateOrders } from '../../../src/cli/demo/data/generate-orders.ts';
import { generateProducts, type SampleProduct } from '../../../src/cli/demo/data/generate-products.ts';
import { generateUsers, type SampleUser } from '../../../src/cli/demo/data/generate-users.ts';
import type { LegacyService } from '../../../src/cli/demo/legacy-service.ts';
import { createOrdersService } from '../../../src/cli/demo/orders-service.ts';
import { createUsersService } from '../../../src/cli/demo/users-service.ts';
import { MARKER } from '../secret-markers/marker-watch.ts';

/** What the sample services of a stack serve, where the defaults will not do. */
export type ServicesOptions = {
  readonly users?: readonly SampleUser[];
  readonly products?: readonly SampleProduct[];
  /** Planted in every secret of the sample services; one that no output may hold by default. */
  readonly secretMarker?: string;
  /** What the services ask of the gateway; the usual ones by default. */
  readonly credentials?: typeof sampleCredentials;
};

/** The sample services of a stack. */
export type SampleServices = {
  readonly users: LegacyService;
  readonly catalog: LegacyService;
  readonly orders: LegacyService;
  /** Starts them; the variables of the configuration that name their addresses. */
  listen(): Promise<Readonly<Record<string, string>>>;
  /** The same variables for one origin that takes the place of all. */
  at(origin: string): Readonly<Record<string, string>>;
  close(): Promise<void>;
};

/** Forty users and as many products: enough for every dirt, and quick to scan. */
export const fewUsers = generateUsers({ seed: 1, count: 40 });
export const fewProducts = generateProducts({ seed: 1, count: 40 });

/** Makes the sample services with their usual credentials; small ones by default. */
export function createSampleServices({
  users,
  products,
  secretMarker = MARKER,
  credentials = sampleCredentials,
}: ServicesOptions): SampleServices {
  const services = {
    users: createUsersService({
      users: users ?? fewUsers,
      credentials: credentials.users,
      secretMarker,
    }),
    catalog: createCatalogService({
      products: products ?? fewProducts,
      credentials: credentials.catalog,
      secretMarker,
    }),
    orders: createOrdersService({
      orders: generateOrders({ seed: 1 }),
      credentials: credentials.orders,
      secretMarker,
    }),
  };
  return {
    ...services,
    async listen() {
      const [users, catalog, orders] = await Promise.all([
        services.users.listen(),
        services.catalog.listen(),
        services.orders.listen(),
      ]);
      return { USERS_URL: users.url, CATALOG_URL: catalog.url, ORDERS_URL: orders.url };
    },
    at: (origin) => ({ USERS_URL: origin, CATALOG_URL: origin, ORDERS_URL: origin }),
    async close() {
      await Promise.all(Object.values(services).map((service) => service.close()));
    },
  };
}
