import type { Contract } from '../../contract/resource.ts';
import type { Problem } from '../yaml/problem.ts';
import type { GatewayConfig } from './gateway.ts';
import type { SourceSpec } from './source.ts';
import type { FileText, YamlFile } from '../yaml/yaml-file.ts';

/** A source file whose shape is right, and its YAML file, which gives problems their lines. */
export type LoadedSource = {
  readonly spec: SourceSpec;
  readonly yaml: YamlFile;
  /** The module whose functions it may call, for reading the file again. */
  readonly coercions?: FileText | undefined;
};

/** The parts of a configuration that have the right shape. */
export type LoadedConfig = {
  /** `undefined` if the shape of the gateway file is wrong. */
  readonly gateway: GatewayConfig | undefined;
  /** `undefined` if the contract file has problems. */
  readonly contract: Contract | undefined;
  /** By name; sources with a wrong shape are left out. */
  readonly sources: ReadonlyMap<string, LoadedSource>;
  /** Warnings: settings that are valid but probably a mistake. */
  readonly notes: readonly Problem[];
};
