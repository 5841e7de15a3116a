// Loads a configuration from the texts of its files: the gateway file, the contract and the sources.

import { basename } from 'node:path';
import * as z from 'zod';
import type { Steps } from '../kernel/yield-to-loop.ts';
import { checkShape } from './validate/check-shape.ts';
import { lintGateway } from './validate/lint-gateway.ts';
import { checkReferences } from './validate/check-references.ts';
import { crossCheck } from './validate/cross-check.ts';
import type { LoadedConfig, LoadedSource } from './schema/loaded-config.ts';
import { admin } from './schema/access.ts';
import { state } from './schema/files.ts';
import { type GatewayConfig, type GatewayFile, gatewaySchema } from './schema/gateway.ts';
import { loadContract, type LoadedContract } from './load-contract.ts';
import { bindCalls, loadFunctions, type OwnFunctions } from './own-coercions.ts';
import type { Problem } from './yaml/problem.ts';
import { sourceSchema } from './schema/source.ts';
import type { Environment } from './yaml/substitute.ts';
import { withTextLiterals } from './text-literals.ts';
import { type FileText, parseYamlFile, type YamlFile } from './yaml/yaml-file.ts';

/** The files of one configuration: the gateway file, the contract file, and one file per source. */
export type ConfigFiles = {
  readonly gateway: FileText;
  /** Absent: the built-in contract is used. */
  readonly contract?: FileText | undefined;
  /** The module with own coercions; absent if the gateway file names none, or one that cannot be read. */
  readonly coercions?: FileText | undefined;
  readonly sources: readonly FileText[];
};

/** All files of a configuration. */
export const allFiles = ({ gateway, contract, coercions, sources }: ConfigFiles): readonly FileText[] =>
  [gateway, contract ?? [], coercions ?? [], sources].flat();

/** Every text that a configuration was read from, so that a worker process can load the same configuration. */
export type ConfigTexts = {
  readonly files: ConfigFiles;
  /** The contents of the files named by `${file:…}`, by path. */
  readonly references: Readonly<Record<string, string>>;
};

/**
 * Reads source files, by source name. A file with a mistake in its YAML or shape is left out and added to `problems`.
 * `functions`: those that the files may call.
 */
export function loadSources(
  files: readonly FileText[],
  env: Environment,
  problems: Problem[],
  functions?: OwnFunctions,
): Map<string, LoadedSource> {
  const sources = new Map<string, LoadedSource>();
  for (const file of files) loadSource(file, sources, env, problems, functions);
  return sources;
}

function loadSource(
  { file, text }: FileText,
  sources: Map<string, LoadedSource>,
  env: Environment,
  problems: Problem[],
  functions: OwnFunctions | undefined,
): void {
  const yaml = parseYamlFile(file, text, env, problems);
  const spec = checkShape(yaml, sourceSchema, problems);
  if (spec === undefined) return;
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
  bindCalls(spec, yaml, functions, problems);
  sources.set(spec.name, { spec: withTextLiterals(spec, yaml), yaml, coercions: functions?.module });
}

/** The functions of the module that a gateway file names; `undefined` if it names none. */
function functionsOf(
  { coercions: module }: ConfigFiles,
  named: string | undefined,
  yaml: YamlFile,
  problems: Problem[],
): OwnFunctions | undefined {
  if (module !== undefined) return loadFunctions(module, problems);
  if (named === undefined) return undefined;
  const hint = 'a path from the folder of this file; in a configuration without files, an absolute one';
  problems.push(yaml.problemAt(['coercions'], `the file ${named} cannot be read`, hint));
  return { module: { file: named, text: '' }, digest: '' };
}

/** Joins the gateway file and its contract. Reports it if both files say what a `limit` above the largest means. */
function withContract(
  { contract: own, ...gateway }: GatewayFile,
  { contract, yaml: contractFile }: LoadedContract,
  yaml: YamlFile,
  problems: Problem[],
): GatewayConfig {
  // Only its file and line are used, for the message.
  const said = contractFile?.problemAt(['pages', 'overflow'], '');
  if (own.limitOverflow !== undefined && contract.saysOverflow)
    problems.push(
      yaml.problemAt(
        ['contract', 'limitOverflow'],
        `${said?.file ?? ''}:${said?.line ?? 1} says pages.overflow, too`,
        'keep one of the two',
      ),
    );
  const limitOverflow = own.limitOverflow ?? contract.limitOverflow;
  const toJSON = () => ({ ...contract.toJSON(), limitOverflow });
  return { ...gateway, contract: { ...contract, limitOverflow, toJSON } };
}

/**
 * Loads a configuration, one file in each step. Each file passes these stages: YAML, references to the environment, shape,
 * meaning. Each stage adds all its problems to `problems`. A part whose shape is wrong is not checked for meaning. The
 * sources may have another environment than the gateway file (`sourceEnv`).
 */
export function* loadConfig(
  files: ConfigFiles,
  env: Environment,
  problems: Problem[],
  sourceEnv = env,
): Steps<LoadedConfig> {
  const yaml = parseYamlFile(files.gateway.file, files.gateway.text, env, problems);
  const parsed = checkShape(yaml, gatewaySchema, problems);
  const loaded = loadContract(files.contract, env, problems);
  const sources = new Map<string, LoadedSource>();
  const functions = functionsOf(files, parsed?.coercions, yaml, problems);
  for (const file of files.sources) {
    yield;
    loadSource(file, sources, sourceEnv, problems, functions);
  }
  yield;
  const gateway = parsed && loaded && withContract(parsed, loaded, yaml, problems);
  const contract = gateway?.contract ?? loaded?.contract;
  if (gateway === undefined) return { gateway, contract, sources, notes: [] };
  checkReferences(gateway, sources, problems);
  const isComplete = sources.size === files.sources.length;
  crossCheck(gateway, { sources, isComplete }, (path, message, hint) =>
    problems.push(yaml.problemAt(path, message, hint)),
  );
  return { gateway, contract, sources, notes: lintGateway(gateway, sources, yaml) };
}

/**
 * Loads a gateway file without its broken sections, for commands that work on Redis: a key must be revocable even then.
 * `undefined` if the file is no YAML, or a `needed` section is broken.
 */
export function loadUsableGateway(
  { file, text }: FileText,
  env: Environment,
  needed: readonly string[],
): GatewayFile | undefined {
  const problems: Problem[] = [];
  const content = sections.safeParse(parseYamlFile(file, text, env, problems).content()).data;
  if (content === undefined) return undefined;
  const whole = gatewaySchema.safeParse(content);
  const broken = new Set(problems.map(({ path }) => path.split(/[.[]/, 1)[0]));
  for (const issue of whole.error?.issues ?? [])
    for (const key of issue.code === 'unrecognized_keys' && issue.path.length === 0
      ? issue.keys
      : issue.path.slice(0, 1))
      broken.add(String(key));
  if (needed.some((name) => broken.has(name))) return undefined;
  const usable = Object.entries(content).filter(([name]) => !broken.has(name));
  return gatewaySchema.safeParse({ resources: {}, ...Object.fromEntries(usable), portico: 1 }).data;
}

/** The sections of a gateway file that a start needs even if other sections are broken; `undefined` if broken themselves. */
export type UsableSections = { readonly [Key in 'admin' | 'state']: GatewayConfig[Key] | undefined };

const sections = z.looseObject({ admin: z.unknown().optional(), state: z.unknown().optional() });

/** Reads the sections `admin` and `state`, whatever else is wrong in the file. Both are `undefined` if it is no YAML. */
export function loadUsableSections({ file, text }: FileText, env: Environment): UsableSections {
  const found = sections.safeParse(parseYamlFile(file, text, env, []).content()).data;
  return {
    admin: found && admin.safeParse(found.admin ?? {}).data,
    state: found && state.safeParse(found.state ?? {}).data,
  };
}
