/** Replaces the leaves of a JSON tree, which are its texts, numbers, booleans and nulls. `key` is the nearest key above one. */
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

/** A tree with a value at a path; objects that are missing on the way are made. */
export function setIn(tree: unknown, [key, ...rest]: readonly (string | number)[], value: unknown): unknown {
  if (key === undefined) return value;
  if (Array.isArray(tree)) {
    return (tree as unknown[]).map((one, index) => (index === key ? setIn(one, rest, value) : one));
  }
  const object = typeof tree === 'object' && tree !== null ? (tree as Record<string, unknown>) : {};
  return { ...object, [key]: setIn(object[key], rest, value) };
}

/** The leaves of a JSON tree, with their paths. */
export function leavesOf(
  tree: unknown,
  path: readonly (string | number)[] = [],
): readonly { readonly path: readonly (string | number)[]; readonly value: unknown }[] {
  if (typeof tree !== 'object' || tree === null) return [{ path, value: tree }];
  return Object.entries(tree).flatMap(([key, inner]) =>
    leavesOf(inner, [...path, Array.isArray(tree) ? Number(key) : key]),
  );
}
