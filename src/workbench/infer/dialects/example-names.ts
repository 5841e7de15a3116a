// Translates resources of any contract into the names of the examples, which are written for the built-in contract.

import { builtInContract } from '../../../contract/reference-contract.ts';
import type { Resource } from '../../../contract/resource.ts';
import type { Dialect } from './dialect.ts';

/** The resource of the built-in contract whose records mean the same. */
const exampleOf = ({ means }: Resource): Resource | undefined =>
  means && [...builtInContract().resources.values()].find((one) => one.means === means);

/** The name that examples have for a resource; empty if they have none like it. */
export const exampleName = (resource: Resource): string => exampleOf(resource)?.name ?? '';

/** The paths of columns that a dialect knows, by the fields of a resource that mean the same. */
export function knownPaths(
  dialect: Pick<Dialect, 'paths'> | undefined,
  resource: Resource,
): Readonly<Record<string, string>> {
  const example = exampleOf(resource);
  const paths = example && dialect?.paths[example.name];
  if (example === undefined || paths === undefined) return {};
  const known = [...example.itemFields, ...example.detailFields];
  const own = [...resource.itemFields, ...resource.detailFields];
  return Object.fromEntries(
    Object.entries(paths).flatMap(([name, path]) => {
      if (name === 'id') return [[name, path] as const];
      const means = known.find((field) => field.name === name)?.means;
      const field = means && own.find((one) => one.means === means);
      return field ? [[field.name, path] as const] : [];
    }),
  );
}
