// Reads the recorded cases of sources from their files, for `portico test` and `portico check`.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type Fixture, readFixture } from '../../config/fixture/fixture-schema.ts';
import { ConfigError, type Problem } from '../../config/yaml/problem.ts';
import type { CompiledSource } from '../../source/compile-sources.ts';

/** A recorded case of one source, with what the source file says of each resource. */
export type FixtureCase = {
  readonly source: string;
  /** The file's name without its ending. */
  readonly name: string;
  readonly file: string;
  readonly fixture: Fixture;
  readonly compiled: readonly CompiledSource[];
};

/** The folder of a source's cases: `fixtures/<source>` beside the folder `sources`, or else beside the file. */
export function fixtureFolder({ source }: CompiledSource): string {
  const folder = dirname(source.yaml.file);
  const parent = basename(folder) === 'sources' ? dirname(folder) : folder;
  return join(parent, 'fixtures', source.spec.name);
}

/**
 * Reads the recorded cases of sources, in the order of their names.
 * @throws ConfigError with every problem of all files
 */
export function readFixtures(compiled: readonly CompiledSource[]): readonly FixtureCase[] {
  const problems: Problem[] = [];
  const bySource = Map.groupBy(compiled, ({ source }) => source.spec.name);
  const cases = [...bySource].flatMap(([source, resources]) => {
    const [first] = resources;
    const folder = first === undefined ? '' : fixtureFolder(first);
    const names = existsSync(folder) ? readdirSync(folder).filter((name) => /\.ya?ml$/.test(name)) : [];
    return names.sort().flatMap((name): readonly FixtureCase[] => {
      const file = join(folder, name);
      const fixture = readFixture({ file, text: readFileSync(file, 'utf8') }, problems);
      if (fixture === undefined) return [];
      return [{ source, name: name.replace(/\.ya?ml$/, ''), file, fixture, compiled: resources }];
    });
  });
  if (problems.length > 0) throw new ConfigError(problems);
  return cases;
}
