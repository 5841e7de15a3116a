import type { CompiledSource } from '../pipeline/compile-sources.ts';
import { type CliContext, ExitError, exitCodes } from './context.ts';
import { sourceNamed } from './input/choose-source.ts';
import { orExit, readConfig, readConfigOrExit, readSource } from './input/read-config.ts';
import { type FixtureCase, readFixtures } from '../fixtures/read-fixtures.ts';
import { type RecordOptions, runRecord } from './record.ts';
import { type Outcome, replayFixture } from '../fixtures/replay-fixture.ts';

/** What `portico test` may be told: a source file to be tested alone, and the form of what it says. */
export type TestOptions = RecordOptions & { readonly source?: string; readonly record?: boolean };

type Result = Pick<FixtureCase, 'source' | 'name' | 'file'> & Outcome;

async function replayAll(cases: readonly FixtureCase[]): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (const { source, name, file, fixture, compiled } of cases)
    results.push({ source, name, file, ...(await replayFixture(fixture, compiled)) });
  return results;
}

function resultText({ passed, source, name, ...result }: Result): string {
  const lines = [`${passed ? 'ok  ' : 'FAIL'} ${source} ${name}`];
  for (const capability of result.contradicted) lines.push(`the replies contradict the claim ${capability}`);
  if (!passed) {
    for (const request of result.unexpected) lines.push(`asked, but not expected: ${request}`);
    for (const request of result.unasked) lines.push(`expected, but not asked: ${request}`);
    for (const { path, expected, actual } of result.differences)
      lines.push(`${path}: expected ${expected ?? 'nothing'}, got ${actual ?? 'nothing'}`);
    if (result.reason !== undefined) lines.push(`the answer is an error: ${result.reason}`);
  }
  return `${lines.join('\n     ')}\n`;
}

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
    const ready = readConfigOrExit(configFile, context);
    await runRecord(names, options, ready.sources, context);
    return;
  }
  const cases = orExit(context, () => {
    const file = options.source;
    const compiled = file === undefined ? readConfig(configFile, context.env).sources : readSource(file);
    return readFixtures(choose(compiled, names, context));
  });
  const results = await replayAll(cases);
  const failed = results.filter(({ passed }) => !passed).length;
  if (options.json === true) context.out(`${JSON.stringify(results, null, 2)}\n`);
  else {
    for (const result of results) context.out(resultText(result));
    context.out(`${results.length - failed} passed, ${failed} failed\n`);
  }
  if (failed > 0 || results.length === 0) throw new ExitError(exitCodes.failure);
}
