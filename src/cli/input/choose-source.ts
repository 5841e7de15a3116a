import { closest } from '../../config/validate/closest.ts';
import type { CompiledSource } from '../../source/compile-sources.ts';
import { type CliContext, ExitError, exitCodes } from '../context/context.ts';
import { liveEnvironment, readSource } from './read-config.ts';

/** The resources of the source with this name. @throws ExitError with a suggestion, if there is no such source */
export function sourceNamed(
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

/** The same, with the variables that are needed to ask the source. @throws ExitError */
export function liveSourceNamed(
  name: string,
  compiled: readonly CompiledSource[],
  context: CliContext,
): readonly [CompiledSource, ...CompiledSource[]] {
  const [known] = sourceNamed(name, compiled);
  const { spec, yaml } = known.source;
  const [first = known, ...others] = readSource(yaml.file, liveEnvironment(context.env), spec.sameIds);
  return [first, ...others];
}
