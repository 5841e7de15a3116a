import { compileContract } from '../contract/compile-contract.ts';
import { contractSchema } from '../contract/contract-schema.ts';
import { builtInContract } from '../contract/reference-contract.ts';
import type { Contract } from '../contract/resource.ts';
import { withContractHint } from './contract-hints.ts';
import { checkShape } from './validate/check-shape.ts';
import type { Problem } from './yaml/problem.ts';
import type { Environment } from './yaml/substitute.ts';
import { parseYamlFile, type YamlFile } from './yaml/yaml-file.ts';

/** A contract with the file that it stands in; the built-in one stands in none. */
export type LoadedContract = { readonly contract: Contract; readonly yaml?: YamlFile };

/** Compiles a contract file; `undefined` if it has problems, which are added to `problems`. */
export function loadContract(
  file: { readonly file: string; readonly text: string } | undefined,
  env: Environment,
  problems: Problem[],
): LoadedContract | undefined {
  if (file === undefined) return { contract: builtInContract() };
  const before = problems.length;
  const yaml = parseYamlFile(file.file, file.text, env, problems);
  const spec = checkShape(yaml, contractSchema, problems);
  problems.push(...problems.splice(before).map(withContractHint));
  if (spec === undefined) return undefined;
  const contract = compileContract(spec, (path, message, hint) =>
    problems.push(yaml.problemAt(path, message, hint)),
  );
  return problems.length > before ? undefined : { contract, yaml };
}

/**
 * The path of the contract file as a gateway file names it; `undefined` if it names none, or is too broken to be read. Variables
 * have no value here.
 */
export function contractPathIn({
  file,
  text,
}: {
  readonly file: string;
  readonly text: string;
}): string | undefined {
  const asWritten: Environment = {
    variables: {},
    readFile: (path) => path,
    placeholder: (variable) => variable,
  };
  const content = parseYamlFile(file, text, asWritten, []).content() as
    { contract?: unknown } | null | undefined;
  const contract = content?.contract;
  if (typeof contract === 'string') return contract;
  const named = (contract as { file?: unknown } | null | undefined)?.file;
  return typeof named === 'string' ? named : undefined;
}
