import type { Resource } from '../../contract/resource.ts';

/** Resources in an order in which those that others refer to come first: their ids must be known. */
export function inOrder<T extends { readonly resource: Resource }>(targets: readonly T[]): readonly T[] {
  const sorted = new Set<T>();
  function add(target: T, above: readonly T[]): void {
    if (above.includes(target)) return;
    const { itemFields, detailFields } = target.resource;
    const to = [...itemFields, ...detailFields].map((field) => field.to);
    for (const other of targets)
      if (other !== target && to.includes(other.resource.name)) add(other, [...above, target]);
    sorted.add(target);
  }
  for (const target of targets) add(target, []);
  return [...sorted];
}
