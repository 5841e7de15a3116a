import { basename } from 'node:path';
import { crossCheck } from './cross-check.ts';
import { type GatewayConfig, gatewaySchema } from './gateway-schema.ts';
import { ConfigError, type Problem } from './problem.ts';
import { type SourceSpec, sourceSchema } from './source-schema.ts';
import type { Environment } from './substitute.ts';
import { checkShape, parseYamlFile, type YamlFile } from './yaml-file.ts';

/** A configuration file as it stands on disk. */
export type FileText = { readonly file: string; readonly text: string };

/** The files of one configuration: the gateway's, and one for each source. */
export type ConfigFiles = { readonly gateway: FileText; readonly sources: readonly FileText[] };

/** A source as its file says, with the file for reporting problems. */
export type LoadedSource = { readonly spec: SourceSpec; readonly yaml: YamlFile };

/** A configuration whose shape is right. */
export type LoadedConfig = {
  readonly gateway: GatewayConfig;
  readonly gatewayYaml: YamlFile;
  readonly sources: ReadonlyMap<string, LoadedSource>;
};

function loadSources(
  files: readonly FileText[],
  env: Environment,
  problems: Problem[],
): Map<string, LoadedSource> {
  const sources = new Map<string, LoadedSource>();
  for (const { file, text } of files) {
    const yaml = parseYamlFile(file, text, env, problems);
    const spec = checkShape(yaml, sourceSchema, problems);
    if (spec === undefined) continue;
    const other = sources.get(spec.name);
    if (other !== undefined) {
      problems.push(
        yaml.problemAt(
          ['name'],
          `the name "${spec.name}" is taken by ${basename(other.yaml.file)}`,
          'give each source a name of its own',
        ),
      );
    }
    sources.set(spec.name, { spec, yaml });
  }
  return sources;
}

/**
 * Reads a configuration: YAML, references to the environment, shape. What it means is checked by `crossCheck`.
 * @throws ConfigError with every problem of all files
 */
export function loadConfig(files: ConfigFiles, env: Environment, problems: Problem[] = []): LoadedConfig {
  const gatewayYaml = parseYamlFile(files.gateway.file, files.gateway.text, env, problems);
  const gateway = checkShape(gatewayYaml, gatewaySchema, problems);
  const sources = loadSources(files.sources, env, problems);
  if (gateway === undefined) throw new ConfigError(problems);
  crossCheck({ gateway, gatewayYaml, sources }, files.sources.length, problems);
  return { gateway, gatewayYaml, sources };
}
