// A snapshot: everything that serves requests by one configuration. A reload makes a new snapshot and reuses unchanged parts.

import { adminTokens } from '../../admin/access/admin-tokens.ts';
import { storedTag } from '../../admin/actions/cache-actions.ts';
import { isApiPageServed, type GatewayConfig } from '../../config/schema/gateway.ts';
import { resultWithin } from '../../kernel/result-within.ts';
import type { App } from '../../http/app.ts';
import { contentDigest } from '../../kernel/secret.ts';
import type { ComponentSet, createSharedComponents } from '../../kernel/shared-components.ts';
import { createReferenceCount, type ReferenceCount } from '../../http/operation-endpoint.ts';
import { type AdmissionDeps, createAdmission } from '../assemble/admission.ts';
import { assembleAdmission } from '../assemble/assemble.ts';
import { type CompiledResource, withTargets } from '../../source/compile-sources.ts';
import { createOperations, type OperationsDeps } from '../assemble/create-operations.ts';
import type { RoutingSpec } from '../../http/routing.ts';
import type { Cache } from '../../store/cache/cache.ts';

/** A checked and compiled configuration: the gateway's file, and its resources with their sources. */
export type ServedConfig = {
  readonly gateway: GatewayConfig;
  readonly compiled: readonly CompiledResource[];
};

/** Everything that serves requests by one configuration. It never changes; a new configuration needs a new snapshot. */
export type Snapshot = ReturnType<typeof createSnapshot>;

/** What a snapshot needs; all of it lives as long as the process. */
export type SnapshotDeps = Omit<AdmissionDeps & OperationsDeps, SnapshotParts> & {
  readonly app: Pick<App, 'route'>;
  readonly purges: RoutingSpec['passthrough']['purges'];
  readonly kept: ReturnType<typeof createSharedComponents>;
  readonly createCache: (settings: CacheSettings) => Cache;
};

/** The part of the configuration that a cache depends on. */
export type CacheSettings = Pick<GatewayConfig['cache'], 'localBytes' | 'localSeconds' | 'compression'>;

type SnapshotParts = 'parts' | 'admission' | 'cache' | 'jitterPercent' | 'contract';

const DEADLINE_MS_DEFAULT = 10_000;
/** The time that a request may need after its deadline to send its error. */
const AFTER_DEADLINE_MS = 1_000;

function endpointNames(config: GatewayConfig): readonly string[] {
  return [
    ...config.contract.operations.map(({ name }) => name),
    'openapi',
    ...(isApiPageServed(config) ? ['docs'] : []),
    ...config.passthrough.map(({ name }) => `passthrough.${name}`),
  ];
}

function longestDeadlineMs({ resources, passthrough }: GatewayConfig): number {
  const served = Object.values(resources).map((resource) => resource.deadline);
  return Math.max(DEADLINE_MS_DEFAULT, ...served, ...passthrough.map((route) => route.deadline));
}

/** The headers by which callers choose the source of a resource that moves. They are not passed to upstreams. */
function overrideHeaders({ resources }: GatewayConfig): readonly string[] {
  return Object.values(resources).flatMap(({ migration }) => migration?.overrideHeader ?? []);
}

function makeCache(settings: CacheSettings, { createCache }: Pick<SnapshotDeps, 'createCache'>) {
  return { value: createCache(settings) };
}

/** Assembles everything that serves, and reuses the parts that did not change since an earlier snapshot. */
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
    ...deps,
    parts,
    admission,
    cache,
    contract,
    jitterPercent: jitter,
  });
  const spec = {
    operations: served.operations,
    passthrough: {
      routes: config.passthrough,
      admit: assembleAdmission(admission),
      gatewayHeaders: overrideHeaders(config),
      purges: deps.purges,
    },
    trustProxy: config.listen.trustProxy,
    serverStatus: config.errors.serverStatus,
    cors: config.cors,
    compression,
    overload: config.overload,
    docs: isApiPageServed(config),
    variesByCookie: deps.host !== undefined,
    contract,
  };
  const routing = deps.app.route(spec, { parts, uses });
  const countHeld = (asked: string) => {
    const tag = storedTag(asked, contract) ?? asked;
    return {
      processes: 1,
      answers: cache.countLocal(tag),
      scanCaches: served.countScanCaches(tag),
    };
  };
  const { quality, disabled, migrations } = served;
  return {
    ...{ routing, quality, disabled, countHeld, canServe: admission.canServe },
    /** The resources that move. */
    migrations,
    /** The size of the answers in the memory of this process. */
    cacheSize: () => cache.localSize,
    endAdmission: () => admission.close(),
  };
}

/** A gateway file without the keys that may differ between replicas: addresses to listen on, workers, folder of the state. */
function withoutPlace(gateway: ServedConfig['gateway']): object {
  const nowhere = { host: undefined, port: undefined };
  const { listen, admin } = gateway;
  return {
    ...gateway,
    workers: undefined,
    state: undefined,
    listen: { ...listen, ...nowhere },
    admin: { ...admin, ...nowhere },
  };
}

/** A digest of a configuration. It is equal for processes that serve the same, even if their files look different. */
export function configDigest({ gateway, compiled }: ServedConfig): string {
  return contentDigest([
    withoutPlace(gateway),
    withTargets(compiled).map(({ resource, digest }) => [resource.name, digest]),
  ]);
}

/** Creates a snapshot, which serves nothing yet. @throws Error if it cannot be assembled; then nothing is left open */
export function createSnapshot(served: ServedConfig, rev: number, deps: SnapshotDeps) {
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
  const { endAdmission, ...serving } = assembled;
  return {
    /** The number of the configuration: 1 at the start, and one more with each configuration that was put in force. */
    rev,
    /** A digest of the whole configuration, including its secrets and the files of its sources. */
    digest: configDigest(served),
    config,
    compiled: served.compiled,
    ...serving,
    /** The limits of the public server. */
    limits: { connectionsMax: config.listen.connectionsMax, deadlineMsMax },
    endpoints: endpointNames(config),
    /** The tokens of the operator's listener. */
    tokens: adminTokens(config.admin),
    /** Resolves once no request that began with this snapshot is running, or after the longest deadline. */
    untilUnused: () => resultWithin(deadlineMsMax + AFTER_DEADLINE_MS, uses.untilUnused()),
    /** Closes the parts that no other snapshot uses. Requests that still need them fail. */
    async close(): Promise<void> {
      endAdmission();
      await parts.release();
    },
  };
}
