import { resourceNames } from '../../../support/reference.ts';
import { pino } from 'pino';
import { createMetrics } from '../../../../src/admin/metrics/metrics.ts';
import { readConfig } from '../../../../src/cli/input/read-config.ts';
import { configJsonSchema } from '../../../../src/workbench/docs/generate/documents.ts';
import type { GatewayConfig } from '../../../../src/config/schema/gateway.ts';
import { parseGateway } from '../../../support/gateway/parse-gateway.ts';
import { createApp } from '../../../../src/http/app.ts';
import { systemClock } from '../../../../src/kernel/clock.ts';
import { chooseSources, type CompiledSource } from '../../../../src/source/compile-sources.ts';
import { findChanges } from '../../../../src/gateway/reload/find-changes.ts';
import { findFixed } from '../../../../src/gateway/reload/next-config.ts';
import { openMigrations } from '../../../../src/gateway/reload/open-migrations.ts';
import { openStores } from '../../../../src/gateway/reload/open-stores.ts';
import { configDigest, createSnapshot } from '../../../../src/gateway/reload/snapshot.ts';
import { createLocalQuotas } from '../../../../src/source/client/bulkhead/shared-quota.ts';
import { watchParts } from '../../../support/pipeline/watched-parts.ts';
import { writtenMigration } from '../../../support/pipeline/written-migration.ts';
import { changeAt, leavesOf, trackReads } from '../../../support/pipeline/tracked-config.ts';

const HOUR = '1h';
const URL = 'http://127.0.0.1:9';
const breaker = { calls: 20, window: HOUR, failures: 50, open: HOUR };
const resource = (source: string) => ({
  ...{ source, public: false, permission: 'records:read', deadline: '60s' },
  cache: { fresh: '10s', staleWhileRevalidate: '1s', staleIfError: '1s', notFound: '2s' },
});

/** A configuration that sets every key, but for those that a restart alone can change. */
const written = {
  portico: 1,
  workers: 1,
  listen: { host: '127.0.0.1', port: 0, trustProxy: ['10.0.0.0/8'], connectionsMax: 100, drain: '1s' },
  admin: {
    ...{ host: '127.0.0.1', port: 0, token: 'a-token-of-the-tests', slowRequests: HOUR },
    tokens: [
      { name: 'first', role: 'viewer', token: 'another-token-of-tests' },
      { name: 'second', role: 'operator', hash: 'ab'.repeat(32) },
    ],
  },
  log: { level: 'silent' },
  telemetry: {},
  webhooks: [{ url: URL, secret: 'a-secret-of-the-tests', events: ['breaker.opened'] }],
  redis: {},
  auth: {
    host: true,
    apiKeys: {
      pepper: 'a-pepper-of-the-tests-only',
      keys: [
        {
          ...{ id: 'abcdef', hash: 'a'.repeat(43), label: 'one', permissions: ['users:read'] },
          ...{ tier: 'standard', expiresAt: '2100-01-01T00:00:00Z' },
          ...{ addresses: ['10.0.0.0/8'], operations: ['users.list'] },
        },
      ],
    },
    jwt: {
      ...{ issuer: URL, audience: 'portico', jwksUrl: `${URL}/jwks`, tls: { ca: 'a PEM text' } },
      ...{ algorithms: ['ES256'], permissionsClaim: 'scope', tierClaim: 'tier', tier: 'standard' },
      ...{ clockTolerance: '30s', keysFresh: HOUR, keysStale: HOUR },
    },
  },
  limits: {
    tiers: { standard: { windows: ['20 per 1s'], onStoreFailure: 'open', dryRun: false } },
    ...{ anonymousTier: 'standard', failedCredentials: '100 per 60s' },
  },
  cache: { localBytes: '1MiB', localSeconds: '5s', jitter: 10, compression: 'auto' },
  overload: { eventLoopDelayMax: HOUR, inFlightMax: 100 },
  contract: { file: 'contract.yaml', limitOverflow: 'reject' },
  ...{ coercions: './coercions.js', docs: true },
  reload: 'asked',
  state: { dir: '/var/lib/portico' },
  errors: { serverStatus: 'precise' },
  cors: { origins: ['https://app.example'], maxAge: '10s' },
  resources: { users: { ...resource('crm'), migration: writtenMigration }, products: resource('catalog') },
  passthrough: [
    {
      ...{ name: 'orders', path: '/legacy/orders', subpaths: true, methods: ['GET'], upstream: URL },
      ...{ otherUpstreams: ['http://127.0.0.2:9'], stripPath: false, sharedCaching: false },
      ...{ permission: 'orders:read', deadline: '60s', connectTimeout: '2s', bodyMax: '1MiB' },
      ...{ tls: { ca: 'ca', cert: 'cert', key: 'key' }, concurrency: 2, queue: { max: 1, time: '1s' } },
      ...{ breaker, retries: { max: 1, budget: 10 }, outliers: { failures: 5, time: HOUR } },
      health: { path: '/up', interval: HOUR, timeout: '1s', failures: 2 },
      ...{ headers: { 'X-Token': 'a-secret' }, callerHeaders: ['X-User-Id'], purges: ['products'] },
    },
  ],
};

/** What another part of the process takes note of whenever a configuration comes in force. */
const TAKEN_NOTE_OF = ['portico', 'coercions', 'admin.slowRequests', 'log.level', 'reload', 'listen.drain'];
/** What routes a resource that moves is read with its handlers; what compares and judges takes note of the rest. */
const isTakenNoteOf = (name: string) =>
  TAKEN_NOTE_OF.includes(name) ||
  name.startsWith('webhooks.') ||
  (name.startsWith('resources.users.migration.') && !/\.migration\.(?:to|stage|percent)$/.test(name));
/** Read while a request is served, and not before: what is around them counts. */
const READ_LATER = [
  ...['bucketBy', 'overrideHeader'].map((key) => `resources.users.migration.${key}`),
  'listen.trustProxy.0',
  'auth.apiKeys.keys.0.label',
  ...['algorithms.0', 'permissionsClaim', 'tierClaim', 'tier'].map((key) => `auth.jwt.${key}`),
  'contract.limitOverflow',
  'resources.users.cache.notFound',
  'resources.products.cache.notFound',
  ...['methods.0', 'queue.max', 'queue.time', 'purges.0'].map((key) => `passthrough.0.${key}`),
];
/** Refused as a whole, whatever is below. */
const REFUSED_WHOLE = ['redis', 'telemetry'];

const services = {
  log: pino({ level: 'silent' }),
  clock: systemClock,
  version: 'test',
  nodeVersion: 'test',
};

type Schema = {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
};

const schema = configJsonSchema('gateway', resourceNames) as Schema;

/** The keys of a schema that none of these values sets. */
function unsetKeys(of: Schema, values: readonly unknown[], path = ''): readonly string[] {
  const trees = values.filter((value) => typeof value === 'object' && value !== null);
  const inside = trees.flatMap((tree): unknown[] => Object.values(tree));
  const members = [of.items, of.additionalProperties].filter((one) => typeof one === 'object');
  const properties = Object.entries(of.properties ?? {}).flatMap(([key, child]) => {
    const at = path === '' ? key : `${path}.${key}`;
    if (REFUSED_WHOLE.includes(at)) return [];
    const set = trees.flatMap((tree) => Object.entries(tree).filter(([name]) => name === key));
    return set.length === 0
      ? [at]
      : unsetKeys(
          child,
          set.map(([, value]): unknown => value),
          at,
        );
  });
  return [
    ...(of.anyOf ?? []).flatMap((one) => unsetKeys(one, values, path)),
    ...(inside.length === 0 ? [] : members.flatMap((one) => unsetKeys(one, inside, path))),
    ...properties,
  ];
}

/** The sources, and one more of the users, for them to move to. */
function withSecondUsers(sources: readonly CompiledSource[]): readonly CompiledSource[] {
  const second = sources.flatMap((one) => {
    if (one.resource.name !== 'users') return [];
    return [{ ...one, source: { ...one.source, spec: { ...one.source.spec, name: 'people' } } }];
  });
  return [...sources, ...second];
}

describe('a reload that changes one key', () => {
  const base = parseGateway(written);
  const sources = withSecondUsers(readConfig('config/portico.yaml', {}).sources);
  const metrics = createMetrics({ ...services, operations: [] });
  const stores = openStores(base, services, metrics);
  const app = createApp({ ...services, ...stores, metrics });
  const webhooks = { tell: () => undefined };
  const deps = { ...stores, redis: stores.redis.of, metrics, webhooks, instance: 'test' };
  const migrations = openMigrations(base, { ...services, ...deps });
  const watch = watchParts();
  const reads = new Set<string>();
  function note(path: string): void {
    reads.add(path);
    watch.note(path);
  }
  const served = (gateway: GatewayConfig) => ({ gateway, compiled: chooseSources(gateway, sources) });

  function snapshotOf(config: GatewayConfig) {
    const quotaOf = createLocalQuotas();
    const parts = { ...services, ...deps, migrations, quotaOf, app, kept: watch.parts };
    return createSnapshot(served(trackReads(config, note)), 1, parts);
  }

  const first = snapshotOf(base);
  const paths = leavesOf(base).filter(([top]) => !REFUSED_WHOLE.includes(top ?? ''));
  afterAll(async () => {
    await first.close();
    await migrations.close();
    stores.purges.close();
    await stores.redis.close();
  });

  it('is tried with every key of the schema', () => {
    const unset = unsetKeys(schema, [written]);
    expect(unset.filter((path) => !/^resources\.\w+(?:\.migration)?$/.test(path))).toEqual([]);
  });

  it.each(paths.map((path) => [path.join('.'), path] as const))(
    'is refused by name, or makes anew whatever was made from it: %s',
    async (name, path) => {
      const changed = changeAt(base, path);
      if (findFixed(findChanges(served(base), served(changed))).length > 0) return;
      expect(configDigest(served(changed))).not.toBe(configDigest(served(base)));
      reads.clear();
      const read = READ_LATER.includes(name) ? path.slice(0, -1).join('.') : name;
      watch.keptFrom(read);
      const next = snapshotOf(changed);
      expect(watch.keptFrom(read)).toEqual([]);
      if (!isTakenNoteOf(name)) expect(reads).toContain(read);
      await next.close();
    },
  );
});
