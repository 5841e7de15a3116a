import { dirname } from 'node:path';
import { importsOf } from './modules.ts';
import type { SourceFile } from './source-tree.ts';

/** Entries of one folder that import each other in a circle; `.` are the files that lie in the folder itself. */
export type FolderCircle = {
  readonly folder: string;
  readonly entries: readonly string[];
  /** The imports between the entries, as `from > to`. */
  readonly imports: readonly string[];
};

type Edge = { readonly from: string; readonly to: string; readonly files: string };

/** The entry of a folder in which a file lies; `undefined` where it lies elsewhere. */
function entryIn(folder: string, path: string): string | undefined {
  if (!path.startsWith(`${folder}/`)) return undefined;
  const [first = '', ...below] = path.slice(folder.length + 1).split('/');
  return below.length === 0 ? '.' : first;
}

/** The imports between the entries of a folder. */
function edgesIn(folder: string, imports: readonly (readonly [string, string])[]): readonly Edge[] {
  return imports.flatMap(([file, imported]) => {
    const [from, to] = [entryIn(folder, file), entryIn(folder, imported)];
    return from === undefined || to === undefined || from === to
      ? []
      : [{ from, to, files: `${file} > ${imported}` }];
  });
}

/** All that can be reached from an entry. */
function reachedFrom(entry: string, edges: readonly Edge[]): ReadonlySet<string> {
  const reached = new Set<string>();
  const open = [entry];
  for (let next = open.pop(); next !== undefined; next = open.pop())
    for (const { from, to } of edges)
      if (from === next && !reached.has(to)) {
        reached.add(to);
        open.push(to);
      }
  return reached;
}

/**
 * The circles between folders that lie beside each other, and between a folder and the files of its parent. Types count:
 * somebody who reads one has to know the other.
 */
export function folderCircles(files: readonly SourceFile[]): readonly FolderCircle[] {
  const imports = files.flatMap((file) => importsOf(file).map((imported) => [file.path, imported] as const));
  const folders = new Set(files.flatMap(({ path }) => parentsOf(path)));
  return [...folders].sort().flatMap((folder) => {
    const edges = edgesIn(folder, imports);
    const reached = new Map(edges.map(({ from }) => [from, reachedFrom(from, edges)]));
    const inCircle = [...reached].filter(([entry, others]) => others.has(entry)).map(([entry]) => entry);
    const circles = new Map(
      inCircle.map((entry) => {
        const members = inCircle.filter(
          (other) => reached.get(entry)?.has(other) && reached.get(other)?.has(entry),
        );
        return [members.sort().join(' '), members] as const;
      }),
    );
    return [...circles.values()].map((entries) => ({
      folder,
      entries,
      imports: edges
        .filter(({ from, to }) => entries.includes(from) && entries.includes(to))
        .map(({ files: both }) => both),
    }));
  });
}

/** The folders around a file, the nearest first. */
function parentsOf(path: string): readonly string[] {
  const parent = dirname(path);
  return parent === '.' ? [] : [parent, ...parentsOf(parent)];
}
