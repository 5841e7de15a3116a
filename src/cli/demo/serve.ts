// Starts the sample services, for `portico demo`, `portico samples` and tests.

import { once } from 'node:events';
import { createCatalogService } from './catalog-service.ts';
import { generateOrders } from './data/generate-orders.ts';
import { generateProducts } from './data/generate-products.ts';
import { generateUsers, type SampleUser } from './data/generate-users.ts';
import type { LegacyService, Trouble } from './legacy-service.ts';
import { createOrdersService } from './orders-service.ts';
import { createPeopleService } from './people-service.ts';
import { createUsersService } from './users-service.ts';

/** The names of the sample services, in the order in which they start. */
export const sampleNames = ['users', 'catalog', 'orders', 'people'] as const;

/** One of `sampleNames`. */
export type SampleName = (typeof sampleNames)[number];

/** The default ports of the services. */
export const samplePorts: Readonly<Record<SampleName, number>> = {
  users: 7101,
  catalog: 7102,
  orders: 7103,
  people: 7104,
};

/** The credentials of the demo and of docker-compose. They protect generated data only, so they are no secret. */
export const sampleCredentials = {
  users: { user: 'portico', password: 'crm-sample-password' },
  catalog: { key: 'catalogue-sample-key' },
  orders: { token: 'orders-sample-token' },
  people: { token: 'people-sample-token' },
};

/** Any free port for each service. */
export const anyPorts: Readonly<Record<SampleName, number>> = { users: 0, catalog: 0, orders: 0, people: 0 };

/** The services to start, their addresses, data and credentials. */
export type SamplesOptions = {
  /** `all` by default. */
  readonly which?: SampleName | 'all';
  /** 127.0.0.1 by default. */
  readonly host?: string;
  /** `samplePorts` by default; 0 is any free port. */
  readonly ports?: Partial<Readonly<Record<SampleName, number>>>;
  /** `sampleCredentials` by default. */
  readonly credentials?: typeof sampleCredentials;
  /** The seed of the data; 1 by default. */
  readonly seed?: number;
  /** The number of records of each service; thousands by default. */
  readonly count?: number;
  /** Whether `people` is a copy without mistakes; not by default. */
  readonly cleanPeople?: boolean;
};

/** Sample services that listen. */
export type RunningSamples = {
  /** The base URL of each started service. */
  readonly urls: Partial<Readonly<Record<SampleName, string>>>;
  /** Makes a started service answer late or fail from now on. */
  readonly disturb: (name: SampleName, trouble: Trouble) => void;
  /** Drops every connection and resolves when all ports are free. */
  readonly close: () => Promise<void>;
};

/** Starts the chosen services. Rejects, and stops all of them, if one cannot listen. */
export async function startSamples(options: SamplesOptions = {}): Promise<RunningSamples> {
  const {
    which = 'all',
    host = '127.0.0.1',
    ports,
    credentials = sampleCredentials,
    seed = 1,
    count,
    cleanPeople,
  } = options;
  const data = { seed, ...(count !== undefined && { count }) };
  let users: readonly SampleUser[] | undefined;
  // Two services have the same people, which take a fifth of a second to generate.
  const usersOnce = () => (users ??= generateUsers(data));
  const create: Record<SampleName, () => LegacyService> = {
    users: () => createUsersService({ users: usersOnce(), credentials: credentials.users }),
    catalog: () =>
      createCatalogService({ products: generateProducts(data), credentials: credentials.catalog }),
    orders: () => createOrdersService({ orders: generateOrders(data), credentials: credentials.orders }),
    people: () =>
      createPeopleService({
        users: usersOnce(),
        credentials: credentials.people,
        isClean: cleanPeople,
      }),
  };
  const urls: Partial<Record<SampleName, string>> = {};
  const services = new Map<SampleName, LegacyService>();

  async function close(): Promise<void> {
    await Promise.all([...services.values()].map((service) => service.close()));
  }

  try {
    for (const name of which === 'all' ? sampleNames : [which]) {
      const service = create[name]();
      services.set(name, service);
      urls[name] = (await service.listen(ports?.[name] ?? samplePorts[name], host)).url;
    }
  } catch (error) {
    await close();
    throw error;
  }
  return { urls, disturb: (name, trouble) => services.get(name)?.disturb(trouble), close };
}

/**
 * Starts the chosen services, writes the address of each as a line to `log`, and resolves when they are closed after
 * the signal has aborted.
 */
export async function serveSamples(
  options: SamplesOptions & { readonly signal: AbortSignal; readonly log: (line: string) => void },
): Promise<void> {
  const { signal, log, ...rest } = options;
  const samples = await startSamples(rest);
  for (const [name, url] of Object.entries(samples.urls)) log(`sample ${name} service on ${url}`);
  if (!signal.aborted) await once(signal, 'abort');
  await samples.close();
}
