import { ConfigError } from '../config/problem.ts';
import type { CompiledSource } from '../pipeline/compile-sources.ts';
import { type CliContext, ExitError, exitCodes } from './context.ts';
import { costLines, queryCosts } from './query-costs.ts';
import { orExit, readConfig, readSource } from './read-config.ts';

/** What `portico check` is told. */
export type CheckOptions = {
  /** One source file, to be checked alone, with placeholders for what it lacks. */
  readonly source?: string;
  readonly json?: boolean;
};

type Route = { readonly path: string; readonly name: string };

/** What was read, and how it ends where it is sound. */
type Checked = {
  readonly compiled: readonly CompiledSource[];
  readonly passthrough: readonly Route[];
  readonly verdict: string;
};

function readChecked({ source }: CheckOptions, configFile: string, context: CliContext): Checked {
  if (source !== undefined)
    return { compiled: readSource(source), passthrough: [], verdict: 'The source is sound.' };
  const { gateway, compiled } = readConfig(configFile, context.env);
  const passthrough = gateway.passthrough.map(({ path, name }) => ({ path, name }));
  return { compiled, passthrough, verdict: 'The configuration is sound.' };
}

function printJson(value: object, context: CliContext): void {
  context.out(`${JSON.stringify(value, null, 2)}\n`);
}

function checkAsJson(read: () => Checked, context: CliContext): void {
  try {
    const { compiled, passthrough } = read();
    const resources = compiled.map((one) => ({
      resource: one.resource.name,
      source: one.source.spec.name,
      file: one.source.yaml.file,
      queries: queryCosts(one),
    }));
    printJson({ problems: [], resources, passthrough }, context);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    printJson({ problems: error.problems }, context);
    throw new ExitError(exitCodes.config);
  }
}

/**
 * `portico check`: reads and compiles the configuration, or one source file, without starting anything, and says what
 * each kind of query will cost. Exit code 78 on problems.
 */
export function runCheck(options: CheckOptions, configFile: string, context: CliContext): void {
  const read = () => readChecked(options, configFile, context);
  if (options.json === true) {
    checkAsJson(read, context);
    return;
  }
  const { compiled, passthrough, verdict } = orExit(context, read);
  for (const one of compiled) {
    context.out(`${one.resource.name}: ${one.source.spec.name} (${one.source.yaml.file})\n`);
    for (const line of costLines(queryCosts(one))) context.out(line);
  }
  for (const { path, name } of passthrough) context.out(`${path}: passed through to ${name}\n`);
  context.out(`${verdict}\n`);
}
