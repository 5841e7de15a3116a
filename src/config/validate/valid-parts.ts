import type { z } from 'zod';

type Path = readonly PropertyKey[];

/** What of a file's content has the right shape, with the parts that do not left out. */
export type SoundParts<T> = {
  readonly value: T;
  /** Whether something at a path, above it or below it was left out, so that nothing can be said about it. */
  readonly touches: (path: Path) => boolean;
  /** A path of `value` as it is in the file: items of a list move up where others were left out. */
  readonly original: (path: Path) => Path;
};

/** More rounds than parts can be nested in each other. */
const ROUNDS_MAX = 50;

type Container = Record<PropertyKey, unknown>;

/** The value at a path. */
function at(content: unknown, path: Path): unknown {
  let here = content;
  for (const key of path) {
    if (typeof here !== 'object' || here === null) return undefined;
    here = (here as Container)[key];
  }
  return here;
}

/** Whether a path leads to another, or is the same. */
function isAbove(path: Path, other: Path): boolean {
  return path.every((key, depth) => other[depth] === key);
}

/** The places that an issue speaks of. */
function placesOf(issue: z.core.$ZodIssue): readonly Path[] {
  return issue.code === 'unrecognized_keys' ? issue.keys.map((key) => [...issue.path, key]) : [issue.path];
}

/**
 * Leaves out what does not have the right shape, and then what cannot be without it, until the rest has it. `undefined`
 * where nothing is left. The content itself is not changed.
 */
export function soundParts<T>(content: unknown, schema: z.ZodType<T>): SoundParts<T> | undefined {
  if (typeof content !== 'object' || content === null) return undefined;
  const rest = structuredClone(content);
  const removed: Path[] = [];
  /** The numbers that the items of a list had in the file. */
  const numbers = new Map<unknown[], number[]>();

  function original(path: Path): Path {
    return path.map((key, depth) => {
      const list = at(rest, path.slice(0, depth));
      return Array.isArray(list) && typeof key === 'number' ? (numbers.get(list)?.[key] ?? key) : key;
    });
  }

  /** Removes what stands at a path; where nothing does, what it is missing in. */
  function remove(path: Path): boolean {
    const key = path.at(-1);
    if (key === undefined) return false;
    const parent = at(rest, path.slice(0, -1));
    if (typeof parent !== 'object' || parent === null || !(key in parent)) return remove(path.slice(0, -1));
    removed.push(original(path));
    if (!Array.isArray(parent)) return Reflect.deleteProperty(parent, key);
    const kept = numbers.get(parent) ?? parent.map((_, index) => index);
    numbers.set(parent, kept);
    kept.splice(Number(key), 1);
    parent.splice(Number(key), 1);
    return true;
  }

  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const result = schema.safeParse(rest);
    if (result.success) {
      return {
        value: result.data,
        touches: (path) => removed.some((gone) => isAbove(gone, path) || isAbove(path, gone)),
        original,
      };
    }
    // From the end, so that the numbers of earlier items stay true.
    const done: Path[] = [];
    for (const place of result.error.issues.flatMap(placesOf).reverse()) {
      if (done.some((gone) => isAbove(gone, place))) continue;
      if (!remove(place)) return undefined;
      done.push(place);
    }
  }
  return undefined;
}
