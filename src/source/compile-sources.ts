// Compiles the source files, and chooses the source that serves each resource: for the gateway at its start and at each
// reload, and for the commands that read source files.

import { type Adapter, compileAdapter } from './adapter/compile.ts';
import { lintSource } from './adapter/lint-source.ts';
import type { GatewayConfig, ResourceConfig } from '../config/schema/gateway.ts';
import type { MigrationConfig } from '../config/schema/migration.ts';
import type { LoadedConfig, LoadedSource } from '../config/schema/loaded-config.ts';
import { loadSources } from '../config/load.ts';
import { loadFunctions } from '../config/own-coercions.ts';
import { ConfigError, type Problem } from '../config/yaml/problem.ts';
import { withSameIds } from '../config/validate/check-references.ts';
import type { SameIds } from '../config/schema/source.ts';
import { openEdits } from '../config/yaml/open-edits.ts';
import type { Environment } from '../config/yaml/substitute.ts';
import type { FileText } from '../config/yaml/yaml-file.ts';
import type { Contract, Resource } from '../contract/resource.ts';
import { unknownResource } from '../config/validate/cross-check.ts';
import { contentDigest } from '../kernel/secret.ts';

/** What a source file says of one resource, compiled. */
export type CompiledSource = {
  readonly resource: Resource;
  readonly source: LoadedSource;
  readonly adapter: Adapter;
};

/** A compiled source with a digest that identifies it. */
export type DigestedSource = CompiledSource & {
  /** Part of every cache key. It changes with the source file (variables filled in), the contract, and `CONTRACT_VERSION`. */
  readonly digest: string;
  /** Components are kept over a reload if their settings are equal as JSON (`kernel/shared-components.ts`): here, the digest. */
  toJSON(): string;
};

/** A resource that the gateway serves, with the source it is served from. */
export type CompiledResource = DigestedSource & {
  readonly config: ResourceConfig;
  /** The source that the resource moves to; absent: it stays. */
  readonly migration?: CompiledMigration | undefined;
};

/** A migration: its settings, and the resource as its new source will serve it. */
export type CompiledMigration = { readonly config: MigrationConfig; readonly to: CompiledResource };

/** Raise it with every change of code that changes the bytes of an answer, because cached answers have the old bytes. */
const CONTRACT_VERSION = 1;

/** Compiles every resource of every source; problems are added with the lines of the source files. */
export function compileSources(
  sources: LoadedConfig['sources'],
  contract: Contract,
  problems: Problem[],
): readonly CompiledSource[] {
  const compiled: CompiledSource[] = [];
  for (const source of sources.values()) {
    for (const name of Object.keys(source.spec.resources))
      if (!contract.resources.has(name))
        problems.push(source.yaml.problemAt(['resources', name], ...unknownResource(name, contract)));
    for (const resource of contract.resources.values()) {
      const adapter = compileAdapter(source.spec, resource, (path, message, hint) =>
        problems.push(source.yaml.problemAt(path, message, hint)),
      );
      if (adapter !== undefined) compiled.push({ resource, source, adapter });
    }
  }
  return compiled;
}

/** What a source file uses of other files: the ids of resources, for fields with `ids: same`, and the module for `call`. */
export type UsedOfOthers = {
  readonly sameIds?: SameIds | undefined;
  readonly coercions?: FileText | undefined;
};

/**
 * Compiles the text of one source file, which may be in no file yet.
 * @throws ConfigError with every problem
 */
export function compileSourceText(
  text: FileText,
  environment: Environment,
  contract: Contract,
  { sameIds, coercions }: UsedOfOthers = {},
): readonly CompiledSource[] {
  const problems: Problem[] = [];
  const functions = coercions && loadFunctions(coercions, problems);
  const loaded = loadSources([text], environment, problems, functions);
  for (const [name, source] of loaded) loaded.set(name, withSameIds(source, sameIds));
  const compiled = compileSources(loaded, contract, problems);
  if (problems.length > 0) throw new ConfigError(problems);
  return compiled;
}

/** Notes about source files, with their lines: what is valid but probably a mistake. */
export function sourceNotes(sources: Iterable<LoadedSource>, contract: Contract): readonly Problem[] {
  return [...sources].flatMap(({ spec, yaml }) => {
    const notes = [...openEdits(yaml)];
    lintSource(spec, contract, (path, message, hint) => notes.push(yaml.problemAt(path, message, hint)));
    return notes;
  });
}

function withDigest(compiled: CompiledSource): DigestedSource {
  const {
    resource,
    source: { yaml, spec },
  } = compiled;
  // Answers belong to the credential they were read with, so it is part of what is hashed. Numbers that are compared as
  // they are written, such as 1.50, are in `spec` alone.
  const digest = contentDigest([CONTRACT_VERSION, resource.digest, yaml.content(), spec]);
  return { ...compiled, digest, toJSON: () => digest };
}

/** The resource as the new source of a migration serves it, with the settings of the gateway file. */
function serveFrom(
  compiled: CompiledSource,
  { migration: _, ...settings }: ResourceConfig,
): CompiledResource {
  const config = { ...settings, source: compiled.source.spec.name };
  return { ...withDigest(compiled), config };
}

/**
 * The resources that a gateway serves, each with the source that the gateway file names, and with the target of its migration.
 */
export function chooseSources(
  { resources: served }: GatewayConfig,
  compiled: readonly CompiledSource[],
): readonly CompiledResource[] {
  return compiled.flatMap((one) => {
    const config = served[one.resource.name];
    if (config?.source !== one.source.spec.name) return [];
    const resource = { ...withDigest(one), config };
    const { migration } = config;
    const to = compiled.find(
      ({ resource, source }) => resource === one.resource && source.spec.name === migration?.to,
    );
    if (migration === undefined || to === undefined) return [resource];
    return [{ ...resource, migration: { config: migration, to: serveFrom(to, config) } }];
  });
}

/** All resources. A resource that migrates comes twice, the second time as its new source serves it. */
export function withTargets(compiled: readonly CompiledResource[]): readonly CompiledResource[] {
  return compiled.flatMap((one) => (one.migration === undefined ? [one] : [one, one.migration.to]));
}
