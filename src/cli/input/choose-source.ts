// Finds the source that is named on the command line, for `portico doctor`, `quality` and `test`.

import { closest } from '../../config/validate/closest.ts';
import type { CompiledSource } from '../../source/compile-sources.ts';
import { type CliContext, ExitError, exitCodes } from '../context/context.ts';
import { liveEnvironment, readSource } from './read-config.ts';

/** The compiled resources of the source with this name, at least one. @throws ExitError with a suggestion, if there is no such source */
export function resourcesOfSource(
  name: string,
  compiled: readonly CompiledSource[],
): readonly [CompiledSource, ...CompiledSource[]] {
  const [first, ...others] = compiled.filter(({ source }) => source.spec.name === name);
  if (first !== undefined) return [first, ...others];
  const names = [...new Set(compiled.map(({ source }) => source.spec.name))];
  const near = closest(name, names);
  const hint = near === undefined ? `sources: ${names.join(', ')}` : `did you mean "${near}"?`;
  throw new ExitError(exitCodes.usage, `no source is named "${name}"; ${hint}`);
}

/** The same, read again with the secrets of the environment, so that the source can be called. @throws ExitError */
export function liveResourcesOfSource(
  name: string,
  compiled: readonly CompiledSource[],
  context: CliContext,
): readonly [CompiledSource, ...CompiledSource[]] {
  const [known] = resourcesOfSource(name, compiled);
  const { source } = known;
  const [first = known, ...others] = readSource(source.yaml.file, liveEnvironment(context.env), source);
  return [first, ...others];
}
