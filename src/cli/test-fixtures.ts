import type { CompiledSource } from '../pipeline/compile-sources.ts';
import { type CliContext, ExitError, exitCodes } from './context.ts';
import { sourceNamed } from './input/choose-source.ts';
import { orExit, readPartialConfig, readPartialConfigOrExit, readSource } from './input/read-config.ts';
import { type ReplayResult, replayReport } from '../explain/report/fixtures-report.ts';
import { printReport } from './output/print-report.ts';
import { readFixtures } from '../fixtures/read-fixtures.ts';
import { type RecordingOptions, runRecord } from './record.ts';
import { replayFixture } from '../fixtures/replay-fixture.ts';

/** The options of `portico test`. */
export type TestOptions = RecordingOptions & { readonly source?: string; readonly record?: boolean };

function choose(compiled: readonly CompiledSource[], names: readonly string[], context: CliContext) {
  if (names.length === 0) return compiled;
  return names.flatMap((name) => sourceNamed(name, compiled, context));
}

/**
 * `portico test`: replays the recorded cases of the sources, offline. Exit code 1 where one fails, and where there
 * is none.
 */
export async function runTest(
  names: readonly string[],
  options: TestOptions,
  configFile: string,
  context: CliContext,
): Promise<void> {
  if (options.record === true) {
    const ready = readPartialConfigOrExit(configFile, context, { gateway: false });
    await runRecord(names, options, ready.sources, context);
    return;
  }
  const cases = orExit(context, () => {
    const file = options.source;
    const compiled =
      file === undefined
        ? readPartialConfig(configFile, context.env, { gateway: false }).sources
        : readSource(file);
    return readFixtures(choose(compiled, names, context));
  });
  const results: ReplayResult[] = [];
  for (const { source, name, file, fixture, compiled } of cases)
    results.push({ source, name, file, ...(await replayFixture(fixture, compiled)) });
  printReport(replayReport(results), options.json, context);
  if (results.length === 0 || results.some(({ passed }) => !passed)) throw new ExitError(exitCodes.failure);
}
