import { createHash } from 'node:crypto';
import { type Adapter, compileAdapter } from '../adapter/compile.ts';
import type { ResourceConfig } from '../config/gateway-schema.ts';
import type { LoadedConfig, LoadedSource } from '../config/load.ts';
import type { Problem } from '../config/problem.ts';
import { resources } from '../contract/operations.ts';
import type { ResourceName } from '../contract/query.ts';
import type { Resource } from '../contract/resource.ts';

/** A resource that the gateway serves, with its source compiled. */
export type CompiledResource = {
  readonly resource: Resource;
  readonly config: ResourceConfig;
  readonly source: LoadedSource;
  readonly adapter: Adapter;
  /** Changes with everything that can change an answer's bytes; part of every cache key. */
  readonly digest: string;
};

/** Raised when the shape of cached bodies changes without a change of configuration. */
const CONTRACT_VERSION = 1;

function digestOf(source: LoadedSource, config: ResourceConfig): string {
  // Cached answers belong to the credential they were read with, so it is part of the digest, which hides it.
  const content = JSON.stringify([CONTRACT_VERSION, source.yaml.content, config.source]);
  return createHash('sha256').update(content).digest('base64url').slice(0, 16);
}

/**
 * Compiles every resource that the configuration serves, and every other resource its sources describe, so that
 * their problems are found as well. Problems are added with the lines of the source files.
 */
export function compileSources(
  { gateway, sources }: LoadedConfig,
  problems: Problem[],
): readonly CompiledResource[] {
  const compiled: CompiledResource[] = [];
  for (const source of sources.values()) {
    for (const name of Object.keys(resources) as ResourceName[]) {
      const resource = resources[name];
      const adapter = compileAdapter(source.spec, resource, (path, message, hint) =>
        problems.push(source.yaml.problemAt(path, message, hint)),
      );
      const config = gateway.resources[name];
      if (adapter === undefined || config?.source !== source.spec.name) continue;
      compiled.push({ resource, config, source, adapter, digest: digestOf(source, config) });
    }
  }
  return compiled;
}
