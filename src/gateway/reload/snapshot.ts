import { type AdminToken, adminTokens } from '../../admin/access/admin-tokens.ts';
import { isApiPageServed } from '../../config/schema/api-page.ts';
import type { GatewayConfig } from '../../config/schema/gateway.ts';
import { operations } from '../../contract/operations.ts';
import type { App } from '../../http/app.ts';
import type { Routing } from '../../http/routing.ts';
import type { ServerLimits } from '../../http/server.ts';
import { contentDigest } from '../../kernel/secret.ts';
import type { ComponentSet, createSharedComponents } from '../../kernel/shared-components.ts';
import { createReferenceCount, type ReferenceCount } from '../../kernel/reference-count.ts';
import { type AdmissionDeps, createAdmission } from '../assemble/admission.ts';
import { assembleAdmission } from '../assemble/assemble.ts';
import { type CompiledResource, withTargets } from '../../source/compile-sources.ts';
import { createOperations, type OperationsDeps } from '../assemble/create-operations.ts';
import type { ResourceQuality } from '../../pipeline/quality.ts';
import type { Cache } from '../../store/cache/cache.ts';
import type { HeldCount } from '../../store/cache/purges.ts';

/** A configuration that has been checked and compiled. */
export type ServedConfig = {
  readonly gateway: GatewayConfig;
  readonly compiled: readonly CompiledResource[];
};

/** Everything that serves requests by one configuration. It never changes; another configuration has another one. */
export type Snapshot = {
  /** 1 for the configuration of the start; one more with each that was put in force. */
  readonly rev: number;
  /** A digest of all that the configuration says, its secrets and the files of its sources included. */
  readonly digest: string;
  readonly config: GatewayConfig;
  readonly compiled: ServedConfig['compiled'];
  readonly routing: Routing;
  /** The bounds of the public server. */
  readonly limits: ServerLimits;
  /** The names of the endpoints in the metrics. */
  readonly endpoints: readonly string[];
  /** The tokens of the operator's listener. */
  readonly tokens: readonly AdminToken[];
  readonly quality: () => readonly ResourceQuality[];
  /** The resources that move. */
  readonly migrations: ReturnType<typeof createOperations>['migrations'];
  /** The disabled claims of what is served. */
  readonly disabled: ReturnType<typeof createOperations>['disabled'];
  readonly countHeld: (tag: string) => HeldCount;
  /** What the answers in the memory of this process take. */
  readonly cacheSize: () => Cache['localSize'];
  /** Resolves once no request that began with it is under way, or after the longest deadline. */
  untilUnused(): Promise<void>;
  /** Closes what no other snapshot uses; requests that still need it fail. */
  close(): Promise<void>;
};

/** What snapshots are made from that lives as long as the process. */
export type SnapshotDeps = Omit<AdmissionDeps & OperationsDeps, SnapshotParts> & {
  readonly app: Pick<App, 'route'>;
  readonly kept: ReturnType<typeof createSharedComponents>;
  readonly createCache: (settings: CacheSettings) => Cache;
};

type CacheSettings = Pick<GatewayConfig['cache'], 'localBytes' | 'localSeconds' | 'compression'>;

type SnapshotParts = 'parts' | 'admission' | 'cache' | 'jitterPercent' | 'contract';

const DEADLINE_MS_DEFAULT = 10_000;
/** After its deadline, a request still needs a moment to send its error. */
const AFTER_DEADLINE_MS = 1_000;

function endpointNames(config: GatewayConfig): readonly string[] {
  return [
    ...operations.map(({ name }) => name),
    'openapi',
    ...(isApiPageServed(config) ? ['docs'] : []),
    ...config.passthrough.map(({ name }) => `passthrough.${name}`),
  ];
}

function longestDeadlineMs({ resources, passthrough }: GatewayConfig): number {
  const served = Object.values(resources).map((resource) => resource?.deadline ?? 0);
  return Math.max(DEADLINE_MS_DEFAULT, ...served, ...passthrough.map((route) => route.deadline));
}

/** The headers by which callers choose the source of a resource that moves; an upstream must not go by them. */
function overrideHeaders({ resources }: GatewayConfig): readonly string[] {
  return Object.values(resources).flatMap((resource) => resource?.migration?.overrideHeader ?? []);
}

async function unusedOrLate(uses: ReferenceCount, deadlineMs: number): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => resolve(undefined), deadlineMs + AFTER_DEADLINE_MS).unref();
  await Promise.race([uses.untilUnused(), late]);
  clearTimeout(timer);
}

function makeCache(settings: CacheSettings, { createCache }: Pick<SnapshotDeps, 'createCache'>) {
  return { value: createCache(settings) };
}

/** Puts together what serves. It takes over what did not change since an earlier snapshot. */
function assemble(
  { gateway: config, compiled }: ServedConfig,
  parts: ComponentSet,
  uses: ReferenceCount,
  deps: SnapshotDeps,
) {
  const { localBytes, localSeconds, compression, jitter } = config.cache;
  const cache = parts.acquire(makeCache, { localBytes, localSeconds, compression }, deps);
  const admission = createAdmission(config, { ...deps, parts });
  const { contract } = config;
  const served = createOperations(compiled, {
    ...{ ...deps, parts, admission, cache, contract },
    jitterPercent: jitter,
  });
  const spec = {
    operations: served.operations,
    passthrough: {
      routes: config.passthrough,
      admit: assembleAdmission(admission),
      gatewayHeaders: overrideHeaders(config),
    },
    trustProxy: config.listen.trustProxy,
    serverStatus: config.errors.serverStatus,
    cors: config.cors,
    compression,
    overload: config.overload,
    docs: isApiPageServed(config),
  };
  const routing = deps.app.route(spec, { parts, uses });
  const countHeld = (tag: string) => ({
    processes: 1,
    answers: cache.countLocal(tag),
    scanCaches: served.countScanCaches(tag),
  });
  const { quality, disabled, migrations } = served;
  return {
    serving: { routing, quality, disabled, migrations, countHeld, cacheSize: () => cache.localSize },
    endAdmission: () => admission.close(),
  };
}

/** A gateway file without what may differ between replicas: addresses to listen on, number of workers, folder of the state. */
function withoutPlace(gateway: ServedConfig['gateway']): object {
  const nowhere = { host: undefined, port: undefined };
  const { listen, admin } = gateway;
  return {
    ...gateway,
    ...{ workers: undefined, state: undefined },
    ...{ listen: { ...listen, ...nowhere }, admin: { ...admin, ...nowhere } },
  };
}

/** A digest of a configuration: equal for processes that serve the same, whatever its files look like. */
export function configDigest({ gateway, compiled }: ServedConfig): string {
  return contentDigest([
    withoutPlace(gateway),
    withTargets(compiled).map(({ resource, digest }) => [resource.name, digest]),
  ]);
}

/** Puts a snapshot together. Nothing is served by it yet. @throws Error if that fails; nothing is left open then */
export function createSnapshot(served: ServedConfig, rev: number, deps: SnapshotDeps): Snapshot {
  const config = served.gateway;
  const parts = deps.kept.open();
  const uses = createReferenceCount();
  const deadlineMsMax = longestDeadlineMs(config);
  let assembled: ReturnType<typeof assemble>;
  try {
    assembled = assemble(served, parts, uses, deps);
  } catch (error) {
    void parts.release();
    throw error;
  }
  const { serving, endAdmission } = assembled;
  return {
    rev,
    digest: configDigest(served),
    config,
    compiled: served.compiled,
    ...serving,
    limits: { connectionsMax: config.listen.connectionsMax, deadlineMsMax },
    endpoints: endpointNames(config),
    tokens: adminTokens(config.admin),
    untilUnused: () => unusedOrLate(uses, deadlineMsMax),
    async close() {
      endAdmission();
      await parts.release();
    },
  };
}
