// Loads the contract of a configuration, and reads what a gateway file promises to clients for `portico check --against`.

import * as z from 'zod';
import { compileContract } from '../contract/compile-contract.ts';
import { contractSchema } from '../contract/contract-schema.ts';
import { builtInContract } from '../contract/reference-contract.ts';
import type { Contract } from '../contract/resource.ts';
import { withContractHint } from './contract-hints.ts';
import { checkShape } from './validate/check-shape.ts';
import type { Problem } from './yaml/problem.ts';
import type { Environment } from './yaml/substitute.ts';
import { type FileText, parseYamlFile, type YamlFile } from './yaml/yaml-file.ts';

/** A compiled contract and the file that it was read from. The built-in contract has no file. */
export type LoadedContract = { readonly contract: Contract; readonly yaml?: YamlFile };

/**
 * Compiles a contract file, or the built-in contract if there is no file. The result is `undefined` if the file has
 * problems, which are added to `problems`.
 */
export function loadContract(
  file: FileText | undefined,
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

/** An environment that leaves each variable as its name, for files that are read only for a few keys. */
const asWritten: Environment = {
  variables: {},
  readFile: (path) => path,
  placeholder: (variable) => variable,
};

const overflow = z.enum(['reject', 'clamp']).optional();

const readers = z.looseObject({
  portico: z.unknown(),
  contract: z
    .looseObject({ limitOverflow: overflow.catch(undefined) })
    .optional()
    .catch(undefined),
  resources: z.record(
    z.string(),
    z.looseObject({ permission: z.string().optional(), public: z.unknown().optional() }),
  ),
});

/** The settings of a gateway file that clients depend on, in addition to the contract file. */
export type GatewayPromise = NonNullable<ReturnType<typeof gatewayPromiseIn>>;

/** What a gateway file promises to clients, with its variables not filled in; `undefined` if it is no gateway file. */
export function gatewayPromiseIn({ file, text }: FileText) {
  const yaml = parseYamlFile(file, text, asWritten, []);
  const found = readers.safeParse(yaml.content()).data;
  if (found?.portico === undefined) return undefined;
  const permissions = Object.entries(found.resources).map(
    ([name, own]) =>
      [name, String(own.public) === 'true' ? null : (own.permission ?? `${name}:read`)] as const,
  );
  return {
    yaml,
    /** The permission of each resource that it serves; `null` if everybody may read the resource. */
    permissions: new Map(permissions),
    /** What happens to a `limit` above the largest, if the file says so. */
    limitOverflow: found.contract?.limitOverflow,
  };
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined);

/**
 * The paths of the contract file and of the module that a gateway file names, with its variables not filled in; `undefined` for
 * what it does not name, or if the file cannot be read as YAML.
 */
export function namedFilesIn({ file, text }: FileText) {
  const content = parseYamlFile(file, text, asWritten, []).content() as
    { contract?: unknown; coercions?: unknown } | null | undefined;
  const contract = content?.contract;
  return {
    contract: textOf(contract) ?? textOf((contract as { file?: unknown } | null | undefined)?.file),
    coercions: textOf(content?.coercions),
  };
}
