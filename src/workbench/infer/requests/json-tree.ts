/** Replaces the leaves of a JSON tree: what is no list and no object. `key` is the nearest key above a leaf. */
export function mapLeaves(
  tree: unknown,
  replace: (leaf: unknown, key: string) => unknown,
  key = '',
): unknown {
  if (Array.isArray(tree)) return tree.map((item) => mapLeaves(item, replace, key));
  if (typeof tree !== 'object' || tree === null) return replace(tree, key);
  return Object.fromEntries(
    Object.entries(tree).map(([name, value]) => [name, mapLeaves(value, replace, name)]),
  );
}

/** Replaces the texts of a JSON tree, and keeps its form. */
export function mapTexts<T>(tree: T, replace: (text: string, key: string) => string): T {
  return mapLeaves(tree, (leaf, key) => (typeof leaf === 'string' ? replace(leaf, key) : leaf)) as T;
}
