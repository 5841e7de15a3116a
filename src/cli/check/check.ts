// `portico check`: says whether a configuration is sound before a gateway is given it.

import { ConfigError } from '../../config/yaml/problem.ts';
import { sourceNotes } from '../../source/compile-sources.ts';
import { type CliContext, ExitError, exitCodes } from '../context/context.ts';
import { type CheckedConfig, checkReport } from '../../workbench/explain/report/check-report.ts';
import { changesAgainst } from './against.ts';
import { printReport } from '../output/print-report.ts';
import { readInThread } from '../input/config-check-client.ts';
import { readContract, readSource } from '../input/read-config.ts';
import { checkFixtures } from '../input/check-fixtures.ts';
import { redisNotes } from '../input/redis-notes.ts';

/** The options of `portico check`. */
export type CheckOptions = {
  /** One source file, to be checked alone, with placeholders for what it lacks. */
  readonly source?: string;
  /** `false`: recorded cases are not replayed. */
  readonly fixtures?: boolean;
  readonly json?: boolean;
  /** An older contract or gateway file, whose clients the contract in force must not break. */
  readonly against?: string;
};

/** Checks one source file alone. @throws ConfigError with every problem */
async function checkSource(file: string, { fixtures }: CheckOptions): Promise<CheckedConfig> {
  const sources = readSource(file);
  const notes = sourceNotes(new Set(sources.map((one) => one.source)), readContract(file));
  const checked = { compiled: sources, sources, passthrough: [], notes, verdict: 'The source is sound.' };
  return { ...checked, replayed: fixtures === false ? 0 : await checkFixtures(sources) };
}

/** Reads and compiles the files, and replays recorded cases. @throws ConfigError with every problem */
async function check(options: CheckOptions, configFile: string, context: CliContext): Promise<CheckedConfig> {
  if (options.source !== undefined) return checkSource(options.source, options);
  const { ready, replayed } = await readInThread(configFile, context, options);
  const { gateway, compiled, sources, notes } = ready;
  const passthrough = gateway.passthrough.map(({ path, name }) => ({ path, name }));
  const all = [...notes, ...(await redisNotes(configFile, gateway))];
  const against =
    options.against === undefined ? undefined : changesAgainst(options.against, ready.texts.files);
  const verdict = 'The configuration is sound.';
  return { compiled, sources, passthrough, notes: all, verdict, replayed, against };
}

/**
 * `portico check`: reads and compiles the configuration, or one source file, replays its recorded cases without
 * asking a source, says what each kind of query will cost, and whether Redis may evict API keys. Exit code 78 on problems, and
 * 1 if the contract breaks clients of the one that it is compared with.
 */
export async function runCheck(
  options: CheckOptions,
  configFile: string,
  context: CliContext,
): Promise<void> {
  try {
    const checked = await check(options, configFile, context);
    printReport(checkReport(checked), options.json, context);
    if ((checked.against?.breaks.length ?? 0) > 0) throw new ExitError(exitCodes.failure);
  } catch (error) {
    if (!(error instanceof ConfigError) || options.json !== true) throw error;
    printReport({ json: { problems: error.problems }, blocks: [] }, true, context);
    throw new ExitError(exitCodes.config);
  }
}
