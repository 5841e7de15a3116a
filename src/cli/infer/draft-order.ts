import type { Resource } from '../../contract/resource.ts';

/**
 * Sorts resources so that each comes after those that its fields refer to, because `infer` must know their ids first (a
 * topological sort by depth). In a circle of references, the one that was named first comes last.
 */
export function sortByReferences<T extends { readonly resource: Resource }>(
  targets: readonly T[],
): readonly T[] {
  const sorted = new Set<T>();
  function add(target: T, referring: readonly T[]): void {
    if (referring.includes(target)) return;
    const { itemFields, detailFields } = target.resource;
    const referredTo = [...itemFields, ...detailFields].map((field) => field.to);
    for (const other of targets)
      if (other !== target && referredTo.includes(other.resource.name)) add(other, [...referring, target]);
    sorted.add(target);
  }
  for (const target of targets) add(target, []);
  return [...sorted];
}
