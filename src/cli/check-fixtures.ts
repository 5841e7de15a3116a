import { readFileSync } from 'node:fs';
import { ConfigError, type Problem } from '../config/problem.ts';
import { parseYamlFile } from '../config/yaml-file.ts';
import type { CompiledSource } from '../pipeline/compile-sources.ts';
import { type FixtureCase, readFixtures } from './read-fixtures.ts';
import { type Outcome, replayFixture } from './replay-fixture.ts';

/** What became of the recorded cases of a configuration. */
export type CheckedFixtures = { readonly passed: number; readonly problems: readonly Problem[] };

/** The keys of a path such as `body.data[0].name`. */
function keysOf(path: string): readonly PropertyKey[] {
  return [...path.matchAll(/[^.[\]]+/g)].map(([key]) => (/^\d+$/.test(key) ? Number(key) : key));
}

/** The first thing that is wrong with a case, and where in its file. */
function firstMistake({ unexpected, unasked, differences, reason }: Outcome) {
  const why = reason === undefined ? '' : `; the answer is an error: ${reason}`;
  if (unexpected[0] !== undefined)
    return { path: ['upstream'], message: `asked, but not recorded: ${unexpected[0]}${why}` };
  if (unasked[0] !== undefined)
    return { path: ['upstream'], message: `recorded, but not asked: ${unasked[0]}${why}` };
  const [{ path, expected = 'nothing', actual = 'nothing' } = { path: '' }] = differences;
  return { path: ['expect', ...keysOf(path)], message: `expected ${expected}, got ${actual}${why}` };
}

function problemOf({ file, source }: FixtureCase, outcome: Outcome): Problem {
  const { path, message } = firstMistake(outcome);
  const yaml = parseYamlFile(file, readFileSync(file, 'utf8'), undefined, []);
  return yaml.problemAt(
    path,
    `the recorded case does not replay: ${message}`,
    `portico test ${source} shows all that differs; --no-fixtures leaves recorded cases out`,
  );
}

/** Replays the recorded cases of sources; each that fails is a problem. */
export async function checkFixtures(sources: readonly CompiledSource[]): Promise<CheckedFixtures> {
  let cases: readonly FixtureCase[];
  try {
    cases = readFixtures(sources);
  } catch (error) {
    if (error instanceof ConfigError) return { passed: 0, problems: error.problems };
    throw error;
  }
  const problems: Problem[] = [];
  for (const one of cases) {
    const outcome = await replayFixture(one.fixture, one.compiled);
    if (!outcome.passed) problems.push(problemOf(one, outcome));
  }
  return { passed: cases.length - problems.length, problems };
}
