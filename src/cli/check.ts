import { ConfigError } from '../config/problem.ts';
import { checkFixtures } from '../fixtures/check-fixtures.ts';
import { sourceNotes } from '../pipeline/compile-sources.ts';
import { type CliContext, ExitError, exitCodes } from './context.ts';
import { type CheckedConfig, checkReport } from '../explain/report/check-report.ts';
import { printReport } from './output/print-report.ts';
import { printProblems, readConfig, readSource } from './input/read-config.ts';
import { redisNotes } from './input/redis-notes.ts';

/** The options of `portico check`. */
export type CheckOptions = {
  /** One source file, to be checked alone, with placeholders for what it lacks. */
  readonly source?: string;
  /** `false`: recorded cases are not replayed. */
  readonly fixtures?: boolean;
  readonly json?: boolean;
};

async function readChecked(
  { source }: CheckOptions,
  configFile: string,
  context: CliContext,
): Promise<Omit<CheckedConfig, 'replayed'>> {
  if (source !== undefined) {
    const sources = readSource(source);
    const notes = sourceNotes(new Set(sources.map((one) => one.source)));
    return { compiled: sources, sources, passthrough: [], notes, verdict: 'The source is sound.' };
  }
  const { gateway, compiled, sources, notes } = readConfig(configFile, context.env);
  const passthrough = gateway.passthrough.map(({ path, name }) => ({ path, name }));
  const all = [...notes, ...(await redisNotes(configFile, gateway))];
  return { compiled, sources, passthrough, notes: all, verdict: 'The configuration is sound.' };
}

/** Reads, compiles and replays. @throws ConfigError with every problem */
async function check(options: CheckOptions, configFile: string, context: CliContext): Promise<CheckedConfig> {
  const checked = await readChecked(options, configFile, context);
  if (options.fixtures === false) return { ...checked, replayed: 0 };
  const { passed, problems } = await checkFixtures(checked.sources);
  if (problems.length > 0) throw new ConfigError(problems);
  return { ...checked, replayed: passed };
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
  try {
    printReport(checkReport(await check(options, configFile, context)), options.json, context);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    if (options.json === true) printReport({ json: { problems: error.problems }, blocks: [] }, true, context);
    else printProblems(error, context);
    throw new ExitError(exitCodes.config);
  }
}
