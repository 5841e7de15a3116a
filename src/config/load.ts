import { basename } from 'node:path';
import { checkShape } from './validate/check-shape.ts';
import { findNotes } from './validate/find-notes.ts';
import { crossCheck } from './validate/cross-check.ts';
import type { LoadedConfig, LoadedSource } from './loaded-config.ts';
import { gatewaySchema } from './schema/gateway.ts';
import type { Problem } from './problem.ts';
import { sourceSchema } from './schema/source.ts';
import type { Environment } from './yaml/substitute.ts';
import { withTextLiterals } from './yaml/text-literals.ts';
import { parseYamlFile } from './yaml/yaml-file.ts';

/** A configuration file as it stands on disk. */
export type FileText = { readonly file: string; readonly text: string };

/** The files of one configuration: the gateway's, and one for each source. */
export type ConfigFiles = { readonly gateway: FileText; readonly sources: readonly FileText[] };

/** All that a configuration was read from, so that another process can read the same. */
export type ConfigTexts = {
  readonly files: ConfigFiles;
  /** The texts behind `${file:…}` by their paths. */
  readonly references: Readonly<Record<string, string>>;
};

/** Reads source files, by the name of the source; those with problems of YAML or shape are left out. Adds to `problems`. */
export function loadSources(
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
    sources.set(spec.name, { spec: withTextLiterals(spec, yaml), yaml });
  }
  return sources;
}

/**
 * Reads a configuration in stages: YAML, references to the environment, shape, and what its parts must agree on. All
 * problems of a stage are added to `problems`; what has the wrong shape is not judged further.
 */
export function loadConfig(files: ConfigFiles, env: Environment, problems: Problem[]): LoadedConfig {
  const yaml = parseYamlFile(files.gateway.file, files.gateway.text, env, problems);
  const gateway = checkShape(yaml, gatewaySchema, problems);
  const sources = loadSources(files.sources, env, problems);
  if (gateway === undefined) return { gateway, sources, notes: [] };
  const isComplete = sources.size === files.sources.length;
  crossCheck(gateway, { sources, isComplete }, (path, message, hint) =>
    problems.push(yaml.problemAt(path, message, hint)),
  );
  return { gateway, sources, notes: findNotes(gateway, sources, yaml) };
}
