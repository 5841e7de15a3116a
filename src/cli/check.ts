import { ConfigError, type Problem, problemText } from '../config/problem.ts';
import type { CompiledSource } from '../pipeline/compile-sources.ts';
import { checkFixtures } from '../fixtures/check-fixtures.ts';
import { type CliContext, ExitError, exitCodes } from './context.ts';
import { costLines, queryCosts } from '../explain/query-costs.ts';
import { readConfig, readSource } from './input/read-config.ts';
import { redisNotes } from './input/redis-notes.ts';

/** What `portico check` is told. */
export type CheckOptions = {
  /** One source file, to be checked alone, with placeholders for what it lacks. */
  readonly source?: string;
  /** `false`: recorded cases are not replayed. */
  readonly fixtures?: boolean;
  readonly json?: boolean;
};

type Route = { readonly path: string; readonly name: string };

/** What was read, and how it ends where it is sound. */
type Checked = {
  /** What is served. */
  readonly compiled: readonly CompiledSource[];
  /** Every source. */
  readonly sources: readonly CompiledSource[];
  readonly passthrough: readonly Route[];
  readonly notes: readonly Problem[];
  readonly verdict: string;
};

/** A sound configuration, and how many recorded cases were replayed. */
type Sound = Checked & { readonly replayed: number };

async function readChecked(
  { source }: CheckOptions,
  configFile: string,
  context: CliContext,
): Promise<Checked> {
  if (source !== undefined) {
    const sources = readSource(source);
    return { compiled: sources, sources, passthrough: [], notes: [], verdict: 'The source is sound.' };
  }
  const { gateway, compiled, sources, notes } = readConfig(configFile, context.env);
  const passthrough = gateway.passthrough.map(({ path, name }) => ({ path, name }));
  const all = [...notes, ...(await redisNotes(configFile, gateway))];
  return { compiled, sources, passthrough, notes: all, verdict: 'The configuration is sound.' };
}

/** Reads, compiles and replays. @throws ConfigError with every problem */
async function check(options: CheckOptions, configFile: string, context: CliContext): Promise<Sound> {
  const checked = await readChecked(options, configFile, context);
  if (options.fixtures === false) return { ...checked, replayed: 0 };
  const { passed, problems } = await checkFixtures(checked.sources);
  if (problems.length > 0) throw new ConfigError(problems);
  return { ...checked, replayed: passed };
}

function printJson(value: object, context: CliContext): void {
  context.out(`${JSON.stringify(value, null, 2)}\n`);
}

function printProblems({ problems, message }: ConfigError, asJson: boolean, context: CliContext): void {
  if (asJson) {
    printJson({ problems }, context);
    return;
  }
  for (const problem of problems) context.err(`${problemText(problem)}\n`);
  context.err(`${message}\n`);
}

function printSound({ compiled, passthrough, notes, replayed, verdict }: Sound, context: CliContext): void {
  for (const one of compiled) {
    context.out(`${one.resource.name}: ${one.source.spec.name} (${one.source.yaml.file})\n`);
    for (const line of costLines(queryCosts(one))) context.out(line);
  }
  for (const { path, name } of passthrough) context.out(`${path}: passed through to ${name}\n`);
  for (const note of notes) context.out(`note: ${problemText(note)}\n`);
  if (replayed > 0) context.out(`${replayed} recorded case${replayed === 1 ? '' : 's'} replayed\n`);
  context.out(`${verdict}\n`);
}

function soundJson({ compiled, passthrough, notes, replayed }: Sound): object {
  const resources = compiled.map((one) => ({
    resource: one.resource.name,
    source: one.source.spec.name,
    file: one.source.yaml.file,
    queries: queryCosts(one),
  }));
  return { problems: [], notes, resources, passthrough, replayed };
}

/**
 * `portico check`: reads and compiles the configuration, or one source file, replays its recorded cases without
 * asking a source, says what each kind of query will cost, and whether Redis may evict API keys. Exit code 78 on problems.
 */
export async function runCheck(
  options: CheckOptions,
  configFile: string,
  context: CliContext,
): Promise<void> {
  const asJson = options.json === true;
  try {
    const sound = await check(options, configFile, context);
    if (asJson) printJson(soundJson(sound), context);
    else printSound(sound, context);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    printProblems(error, asJson, context);
    throw new ExitError(exitCodes.config);
  }
}
