// Reads the files of a configuration and compiles them, for every command: all files, one source file alone, or with
// placeholders for the variables that a command does not need.

import { loadContract, type LoadedContract } from '../../config/load-contract.ts';
import type { Contract } from '../../contract/resource.ts';
import type { GatewayConfig } from '../../config/schema/gateway.ts';
import type { LoadedSource } from '../../config/schema/loaded-config.ts';
import {
  type ConfigFiles,
  type ConfigTexts,
  loadConfig,
  loadUsableSections,
  type UsableSections,
} from '../../config/load.ts';
import { ConfigError, type Problem, problemText } from '../../config/yaml/problem.ts';
import {
  chooseSources,
  type CompiledResource,
  type CompiledSource,
  compileSources,
  compileSourceText,
  sourceNotes,
} from '../../source/compile-sources.ts';
import { openEdits } from '../../config/yaml/open-edits.ts';
import type { Environment } from '../../config/yaml/substitute.ts';
import type { FileText } from '../../config/yaml/yaml-file.ts';
import { finishSteps, type Steps } from '../../kernel/yield-to-loop.ts';
import type { CliContext } from '../context/context.ts';
import { findContract, findFiles, findNearCoercions, findNearContract, readText } from './config-files.ts';
import { isRegularFile, readRegularFile } from './regular-file.ts';

/** A configuration that was read from files, checked and compiled, so that a gateway can run it. */
export type ReadyConfig = {
  readonly gateway: GatewayConfig;
  readonly compiled: readonly CompiledResource[];
  /** Every source, also those that nothing is served from. */
  readonly sources: readonly CompiledSource[];
  /** Settings that are valid, but probably a mistake. */
  readonly notes: readonly Problem[];
  readonly texts: ConfigTexts;
};

/**
 * The contract of a gateway file that may not be there yet: the file beside it, or else the built-in one.
 * @throws ConfigError with every problem of the contract file
 */
export function readGatewayContract(gatewayFile: string): Contract {
  const gateway = isRegularFile(gatewayFile) ? readText(gatewayFile) : { file: gatewayFile, text: '' };
  return contractIn(findContract(gateway)).contract;
}

/** The contract in a file; the built-in one without a file. @throws ConfigError with every problem */
export function contractIn(file: FileText | undefined): LoadedContract {
  const problems: Problem[] = [];
  const loaded = loadContract(file, placeholderEnvironment, problems);
  if (loaded === undefined) throw new ConfigError(problems);
  return loaded;
}

/**
 * The contract of a source file that is read alone: the contract file in the folder of the source or above it, else the
 * built-in one.
 * @throws ConfigError with every problem of the contract file
 */
export function readContract(sourceFile: string): Contract {
  return contractIn(findNearContract(sourceFile)).contract;
}

function* compileConfig(
  files: ConfigFiles,
  environment: Environment,
  references = {},
  sourceEnvironment = environment,
): Steps<ReadyConfig> {
  const problems: Problem[] = [];
  const loaded = yield* loadConfig(files, environment, problems, sourceEnvironment);
  const { gateway, contract, sources, notes } = loaded;
  const compiled = contract === undefined ? [] : compileSources(sources, contract, problems);
  if (gateway === undefined || problems.length > 0) throw new ConfigError(problems);
  const texts = { files, references };
  const all = [...notes, ...sourceNotes(sources.values(), gateway.contract)];
  return { gateway, compiled: chooseSources(gateway, compiled), sources: compiled, notes: all, texts };
}

/** The variables and files of this process, as a source that is asked needs them. */
export function liveEnvironment(variables: CliContext['env']): Environment {
  return { variables, readFile: readRegularFile };
}

/** The valid sections of a gateway file that may be broken; none if the file cannot be read. */
export function readUsableSections(
  gatewayFile: string,
  variables: CliContext['env'],
): Partial<UsableSections> {
  try {
    const text = readRegularFile(gatewayFile);
    return loadUsableSections({ file: gatewayFile, text }, liveEnvironment(variables));
  } catch {
    return {};
  }
}

/** Reads and compiles a configuration. @throws ConfigError with every problem of all files */
export function readConfig(gatewayFile: string, variables: CliContext['env']): ReadyConfig {
  return compileFiles(findFiles(gatewayFile), variables);
}

/**
 * Compiles the texts of files with the variables and the referenced files of now.
 * @throws ConfigError with every problem of all files
 */
export function compileFiles(files: ConfigFiles, variables: CliContext['env']): ReadyConfig {
  const references: Record<string, string> = {};
  const readFile = (path: string) => (references[path] ??= readRegularFile(path));
  return finishSteps(compileConfig(files, { variables, readFile }, references));
}

/** Which part of a configuration a command uses. The variables of the rest may be missing. */
type Used = {
  /** Whether the command uses the gateway file itself: a pepper, a token, an address of Redis. */
  readonly gateway: boolean;
};

/**
 * `readConfig` for a command that asks at most one source: what it does not use gets placeholders for variables and
 * files that are missing. A source that it asks is to be read again by `readLive`.
 * @throws ConfigError with every problem of all files
 */
export function readPartialConfig(
  gatewayFile: string,
  variables: CliContext['env'],
  { gateway }: Used,
): ReadyConfig {
  const live = liveEnvironment(variables);
  const readFile = (path: string) => (isRegularFile(path) ? live.readFile(path) : 'placeholder');
  const lenient = { variables, readFile, placeholder };
  return finishSteps(compileConfig(findFiles(gatewayFile), gateway ? live : lenient, {}, lenient));
}

/**
 * The resources of a source with the variables and files that it names.
 * @throws ConfigError if one is missing
 */
export function readLive<T extends CompiledSource>(compiled: T, variables: CliContext['env']): T {
  const { resource, source } = compiled;
  const live = readSource(source.yaml.file, liveEnvironment(variables), source);
  return { ...compiled, ...live.find((one) => one.resource.name === resource.name) };
}

/** Compiles texts that another process or thread has read, in steps and without reading a file. */
export function readConfigTexts(
  { files, references }: ConfigTexts,
  variables: CliContext['env'],
): Steps<ReadyConfig> {
  function readFile(path: string): string {
    const text = references[path];
    if (text === undefined) throw new Error('not read before');
    return text;
  }
  return compileConfig(files, { variables, readFile }, references);
}

/** The value for a variable that has none. Addresses, ports and peppers must have the right form. */
function placeholder(variable: string): string {
  if (variable.includes('URL')) return 'http://placeholder.invalid';
  return variable.includes('PORT') ? '8080' : 'placeholder-placeholder';
}

/** Placeholders for what a source file takes from its surroundings. */
const placeholderEnvironment: Environment = { variables: {}, readFile: () => 'placeholder', placeholder };

/**
 * Reads and compiles one source file alone. By default its variables have their defaults, or placeholders if they have
 * none. `known`: the source as it was read with the other files, whose ids and functions it uses.
 * @throws ConfigError with every problem
 */
export function readSource(
  file: string,
  environment = placeholderEnvironment,
  known?: LoadedSource,
): readonly CompiledSource[] {
  const { coercions } = known ?? { coercions: findNearCoercions(file) };
  const used = { sameIds: known?.spec.sameIds, coercions };
  return compileSourceText(readText(file), environment, readContract(file), used);
}

/** Prints what people must still confirm in source files that were drafted; such files can be served already. */
export function printOpenEdits(sources: readonly CompiledSource[], context: CliContext): void {
  for (const { yaml } of new Set(sources.map(({ source }) => source)))
    for (const edit of openEdits(yaml)) context.err(`portico: ${problemText(edit)}\n`);
}

/** Prints every problem of a configuration. */
export function printProblems({ problems, message }: ConfigError, context: CliContext): void {
  for (const problem of problems) context.err(`${problemText(problem)}\n`);
  context.err(`${message}\n`);
}
