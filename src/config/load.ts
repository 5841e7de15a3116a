import { basename } from 'node:path';
import { checkShape } from './validate/check-shape.ts';
import { findNotes } from './validate/find-notes.ts';
import { crossCheck, type Report, type SoundSources } from './validate/cross-check.ts';
import { type GatewayConfig, gatewaySchema } from './schema/gateway.ts';
import type { Problem } from './problem.ts';
import { soundParts } from './validate/valid-parts.ts';
import { type SourceSpec, sourceSchema } from './schema/source.ts';
import type { Environment } from './yaml/substitute.ts';
import { withTextLiterals } from './yaml/text-literals.ts';
import { parseYamlFile, type YamlFile } from './yaml/yaml-file.ts';

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

/** A source as its file says, with the file for reporting problems. */
export type LoadedSource = { readonly spec: SourceSpec; readonly yaml: YamlFile };

/** A configuration as far as its shape is right. */
export type LoadedConfig = {
  /** `undefined` where the gateway file has problems of its own. */
  readonly gateway: GatewayConfig | undefined;
  readonly sources: ReadonlyMap<string, LoadedSource>;
  /** What may be meant so, but hardly is. */
  readonly notes: readonly Problem[];
};

/** Reads source files by their names, as far as their shape is right; problems are added to `problems`. */
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
 * Reads a configuration: YAML, references to the environment, shape, and what its parts must agree on. It goes on
 * after a problem as far as it can, so that all of them are found; they are added to `problems`.
 */
export function loadConfig(files: ConfigFiles, env: Environment, problems: Problem[]): LoadedConfig {
  const yaml = parseYamlFile(files.gateway.file, files.gateway.text, env, problems);
  const gateway = checkShape(yaml, gatewaySchema, problems);
  const sources = loadSources(files.sources, env, problems);
  const soundSources = { sources, files: files.sources.length };
  const report: Report = (path, message, hint) => problems.push(yaml.problemAt(path, message, hint));
  if (gateway !== undefined) crossCheck(gateway, soundSources, report);
  else crossCheckParts(yaml, soundSources, report);
  const notes = gateway === undefined ? [] : findNotes(gateway, sources, yaml);
  return { gateway, sources, notes };
}

/** Judges what has the right shape of a gateway file that has not. */
function crossCheckParts(yaml: YamlFile, sources: SoundSources, report: Report): void {
  const sound = soundParts(yaml.content(), gatewaySchema);
  if (sound === undefined) return;
  crossCheck(sound.value, sources, (path, message, hint, needs = []) => {
    const place = sound.original(path);
    // What was left out has been reported, and may be what is missed here.
    if (![place, ...needs].some(sound.touches)) report(place, message, hint);
  });
}
