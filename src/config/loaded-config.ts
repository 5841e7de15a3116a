import type { Problem } from './problem.ts';
import type { GatewayConfig } from './schema/gateway.ts';
import type { SourceSpec } from './schema/source.ts';
import type { YamlFile } from './yaml/yaml-file.ts';

/** A source as its file says, with the file for reporting problems. */
export type LoadedSource = { readonly spec: SourceSpec; readonly yaml: YamlFile };

/** A configuration as far as its shape is right. */
export type LoadedConfig = {
  /** `undefined` where the shape of the gateway file is wrong. */
  readonly gateway: GatewayConfig | undefined;
  /** By name; those whose shape is wrong are left out. */
  readonly sources: ReadonlyMap<string, LoadedSource>;
  /** Warnings: what is valid, but hardly meant. */
  readonly notes: readonly Problem[];
};
