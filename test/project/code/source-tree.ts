import { readFileSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import ts from 'typescript';

/** One TypeScript file of a checkout, parsed without its types. */
export type SourceFile = {
  /** Relative to the root of the checkout, as `src/gateway/gateway.ts`. */
  readonly path: string;
  readonly text: string;
  readonly syntax: ts.SourceFile;
};

/** A folder and how many files and folders lie in it. */
export type Folder = { readonly path: string; readonly entries: number };

/** Parses one file; its nodes know their parents. */
export function parseSource(path: string, text: string): SourceFile {
  return { path, text, syntax: ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true) };
}

/** All folders at or below `top`, installed packages excepted. */
export function readFolders(root: string, top: string): readonly Folder[] {
  const entries = readdirSync(join(root, top), { withFileTypes: true }).filter(
    (entry) => entry.name !== 'node_modules',
  );
  const below = entries.filter((entry) => entry.isDirectory()).map((entry) => join(top, entry.name));
  return [{ path: top, entries: entries.length }, ...below.flatMap((folder) => readFolders(root, folder))];
}

/** All TypeScript files below `top`, in the order of their paths. */
export function readSources(root: string, top: string): readonly SourceFile[] {
  return readdirSync(join(root, top), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .filter((path) => !path.includes('node_modules'))
    .sort()
    .map((path) => parseSource(path, readFileSync(join(root, path), 'utf8')));
}

/** How many lines hold code: the others are blank or hold nothing but a comment. */
export function codeLines({ syntax }: SourceFile): number {
  const lines = new Set<number>();
  function visit(node: ts.Node): void {
    if (ts.isJSDoc(node)) return;
    const children = node.getChildren(syntax);
    for (const child of children) visit(child);
    if (children.length > 0 || node.getWidth(syntax) === 0) return;
    const first = syntax.getLineAndCharacterOfPosition(node.getStart(syntax)).line;
    const last = syntax.getLineAndCharacterOfPosition(node.end).line;
    for (let line = first; line <= last; line += 1) lines.add(line);
  }
  visit(syntax);
  return lines.size;
}
