// Creates the operations of all configured resources: their sources and caches, behind the stages that every call passes.

import type { GatewayConfig } from '../../config/schema/gateway.ts';
import { compileDeprecation } from '../../contract/deprecation.ts';
import { compileParser } from '../../contract/parse-query.ts';
import type { ServedMigration } from '../../migration/migrations.ts';
import type { RedisByRole } from '../../store/redis/redis-roles.ts';
import { type AdmissionStages, assembleOperation } from './assemble.ts';
import { type CompiledResource, withTargets } from '../../source/compile-sources.ts';
import {
  type AssembleMigratingResourceDeps,
  assembleMigratingResource,
} from './assemble-migrating-resource.ts';
import {
  type CachedHandlers,
  type Parts,
  type ResourceSource,
  assembleCachedHandlers,
  assembleSource,
} from './assemble-source.ts';
import { createSourceRates } from './source-rate.ts';
import {
  createSourceUpstreams,
  type QuotaOf,
  type SourceUpstreams,
  type SourceUpstreamsDeps,
} from '../../source/source-upstreams.ts';
import type { ServedOperation } from '../../pipeline/stages/call.ts';

/** What operations need. Without `quotaOf`, this process may use all of `net.concurrency` of each source. */
export type OperationsDeps = AssembleMigratingResourceDeps & {
  /** Reuses the parts of a resource after a reload that does not change the resource and its source. */
  readonly parts: Parts;
  readonly admission: AdmissionStages;
  /** Where calls to sources are counted, and where scan caches are shared; absent in the embedded mode. */
  readonly redis: Pick<RedisByRole, 'limits' | 'cache'>;
  readonly metrics: SourceUpstreamsDeps['metrics'];
  readonly contract: GatewayConfig['contract'];
  readonly quotaOf?: QuotaOf | undefined;
};

/** An assembled resource: a handler for each of its operations, without the stages that every call passes. */
type AssembledResource = {
  readonly handlers: CachedHandlers;
  readonly sources: readonly ResourceSource[];
  /** Present if the resource moves to a new source. */
  readonly served?: ServedMigration;
  countScanCaches(tag: string): number;
};

/** Assembles a resource: its source with a cache in front, or both sources if it moves. */
function assembleResource(
  compiled: CompiledResource,
  upstreams: SourceUpstreams,
  parts: Parts,
  deps: AssembleMigratingResourceDeps,
): AssembledResource {
  const { migration } = compiled;
  if (migration !== undefined) return assembleMigratingResource(compiled, migration, upstreams, parts, deps);
  const source = assembleSource(compiled, upstreams.of(compiled), parts, deps);
  return {
    handlers: assembleCachedHandlers(source, parts, deps),
    sources: [source],
    countScanCaches: (tag) => source.reader.countScanCaches(tag),
  };
}

function serveResource(
  compiled: CompiledResource,
  { handlers }: AssembledResource,
  { admission, contract }: Pick<OperationsDeps, 'admission' | 'contract'>,
): readonly ServedOperation[] {
  const { resource, config } = compiled;
  return resource.operations.flatMap((operation) => {
    const answer = handlers.get(operation.name);
    if (answer === undefined) return [];
    return [
      {
        operation: operation.name,
        path: operation.path,
        permission: config.public ? null : (config.permission ?? resource.permission),
        handler: assembleOperation({
          ...admission,
          deadlineMs: config.deadline,
          parseRequest: compileParser(operation, contract),
          deprecation: compileDeprecation(operation),
          answer,
        }),
      },
    ];
  });
}

/** Creates the operations of all configured resources. */
export function createOperations(
  compiled: readonly CompiledResource[],
  { admission, contract, parts, ...deps }: OperationsDeps,
) {
  const createRate = createSourceRates({
    redis: deps.redis.limits,
    keys: deps.keys,
    clock: deps.clock,
  });
  const upstreams = createSourceUpstreams(withTargets(compiled), parts, { ...deps, createRate });
  const all = compiled.map((resource) => ({
    resource,
    assembled: assembleResource(resource, upstreams, parts, deps),
  }));
  const sources = all.flatMap(({ assembled }) => assembled.sources);
  return {
    operations: all.flatMap(({ resource, assembled }) =>
      serveResource(resource, assembled, { admission, contract }),
    ),
    /** The resources that move to a new source. */
    migrations: all.flatMap(({ assembled }) => assembled.served ?? []),
    /** How well the replies of each source have fitted its file since the file last changed. */
    quality: () => sources.map(({ watched }) => watched.quality.report()),
    /** How many scan caches of this process a purge of the tag would make unusable. */
    countScanCaches: (tag: string) =>
      all.reduce((sum, { assembled }) => sum + assembled.countScanCaches(tag), 0),
    /** The disabled claims of the served resources. */
    disabled: () =>
      sources.flatMap(({ compiled: { source, resource }, watched: { runtime } }) =>
        [...runtime.claims.disabled].map((claim) => ({
          source: source.spec.name,
          resource: resource.name,
          claim,
        })),
      ),
  };
}
