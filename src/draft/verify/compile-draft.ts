import { loadSources } from '../../config/load.ts';
import { ConfigError, type Problem } from '../../config/problem.ts';
import { type CompiledSource, compileSources } from '../../pipeline/compile-sources.ts';

/**
 * Compiles the text of a draft as `portico check` does. A draft has no problem, whatever the service was.
 * @throws ConfigError if it has one, which is a mistake of infer
 */
export function compileDraft(
  name: string,
  text: string,
  variables: Readonly<Record<string, string>>,
): CompiledSource {
  const problems: Problem[] = [];
  const file = { file: `${name}.yaml`, text };
  const [compiled] = compileSources(
    loadSources([file], { variables, readFile: () => '' }, problems),
    problems,
  );
  if (problems.length > 0) throw new ConfigError(problems);
  if (compiled === undefined) throw new Error('a draft describes a resource');
  return compiled;
}
