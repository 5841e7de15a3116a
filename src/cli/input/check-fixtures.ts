// Replays the recorded cases of sources as a part of `portico check`.

import { readFileSync } from 'node:fs';
import { ConfigError, type Problem } from '../../config/yaml/problem.ts';
import { parseYamlFile } from '../../config/yaml/yaml-file.ts';
import type { CompiledSource } from '../../source/compile-sources.ts';
import { type FixtureCase, readFixtures } from '../../workbench/recordings/read-fixtures.ts';
import { type ReplayOutcome, replayFixture } from '../../workbench/recordings/replay-fixture.ts';

/** The keys of a path such as `body.data[0].name`. */
function keysOf(path: string): readonly PropertyKey[] {
  return [...path.matchAll(/[^.[\]]+/g)].map(([key]) => (/^\d+$/.test(key) ? Number(key) : key));
}

/** The first difference of a case, with its path in the file. */
function firstMistake({ unexpected, unasked, differences, reason }: ReplayOutcome) {
  const why = reason === undefined ? '' : `; the answer is an error: ${reason}`;
  if (unexpected[0] !== undefined)
    return { path: ['upstream'], message: `asked, but not recorded: ${unexpected[0]}${why}` };
  if (unasked[0] !== undefined)
    return { path: ['upstream'], message: `recorded, but not asked: ${unasked[0]}${why}` };
  const [{ path, expected = 'nothing', actual = 'nothing' } = { path: '' }] = differences;
  return { path: ['expect', ...keysOf(path)], message: `expected ${expected}, got ${actual}${why}` };
}

function problemOf({ file, source }: FixtureCase, outcome: ReplayOutcome): Problem {
  const { path, message } = firstMistake(outcome);
  const yaml = parseYamlFile(file, readFileSync(file, 'utf8'), undefined, []);
  return yaml.problemAt(
    path,
    `the recorded case does not replay: ${message}`,
    `portico test ${source} shows all that differs; --no-fixtures leaves recorded cases out`,
  );
}

/**
 * Replays the recorded cases of sources, and returns how many there are.
 * @throws ConfigError with a problem for each case that fails, or for files that cannot be read
 */
export async function checkFixtures(sources: readonly CompiledSource[]): Promise<number> {
  const cases = readFixtures(sources);
  const problems: Problem[] = [];
  for (const one of cases) {
    const outcome = await replayFixture(one.fixture, one.compiled);
    if (!outcome.passed) problems.push(problemOf(one, outcome));
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return cases.length;
}
