/** Takes at most `size` items from all parts of a list, at even distances. */
export function pickEvenly<T>(all: readonly T[], size: number): readonly T[] {
  if (all.length <= size) return all;
  return Array.from({ length: size }, (_, index) => all[Math.floor((index * all.length) / size)] as T);
}
