import { ConfigError } from '../../config/yaml/problem.ts';
import { sourceNotes } from '../../source/compile-sources.ts';
import { type CliContext, ExitError, exitCodes } from '../context/context.ts';
import { type CheckedConfig, checkReport } from '../../workbench/explain/report/check-report.ts';
import { printReport } from '../output/print-report.ts';
import { readInThread } from '../input/config-check-client.ts';
import { readContract, readSource } from '../input/read-config.ts';
import { checkFixtures } from '../../workbench/recordings/check-fixtures.ts';
import { hasReference, NO_REFERENCE } from '../../http/api-page/page-files.ts';
import { isApiPageServed } from '../../config/schema/gateway.ts';
import { redisNotes } from '../input/redis-notes.ts';

/** The options of `portico check`. */
export type CheckOptions = {
  /** One source file, to be checked alone, with placeholders for what it lacks. */
  readonly source?: string;
  /** `false`: recorded cases are not replayed. */
  readonly fixtures?: boolean;
  readonly json?: boolean;
};

/** Checks one source file alone. @throws ConfigError with every problem */
async function checkSource(file: string, { fixtures }: CheckOptions): Promise<CheckedConfig> {
  const sources = readSource(file);
  const notes = sourceNotes(new Set(sources.map((one) => one.source)), readContract(file));
  const checked = { compiled: sources, sources, passthrough: [], notes, verdict: 'The source is sound.' };
  return { ...checked, replayed: fixtures === false ? 0 : await checkFixtures(sources) };
}

/** Reads, compiles and replays. @throws ConfigError with every problem */
async function check(options: CheckOptions, configFile: string, context: CliContext): Promise<CheckedConfig> {
  if (options.source !== undefined) return checkSource(options.source, options);
  const { ready, replayed } = await readInThread(configFile, context, options);
  const { gateway, compiled, sources, notes } = ready;
  const passthrough = gateway.passthrough.map(({ path, name }) => ({ path, name }));
  const noReference = isApiPageServed(gateway) && !hasReference();
  const pageNotes = noReference ? [{ file: configFile, path: 'docs', message: NO_REFERENCE }] : [];
  const all = [...notes, ...pageNotes, ...(await redisNotes(configFile, gateway))];
  return { compiled, sources, passthrough, notes: all, verdict: 'The configuration is sound.', replayed };
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
    if (!(error instanceof ConfigError) || options.json !== true) throw error;
    printReport({ json: { problems: error.problems }, blocks: [] }, true, context);
    throw new ExitError(exitCodes.config);
  }
}
