import { dirname, join } from 'node:path';
import ts from 'typescript';
import type { SourceFile } from './source-tree.ts';

type Edge = readonly [from: string, to: string];

/** The names that a file exports, those that it only hands on included; a type and a value of one name count once. */
export function exportsOf({ syntax }: SourceFile): readonly string[] {
  const names = syntax.statements.flatMap((statement) => {
    if (ts.isExportDeclaration(statement)) {
      const { exportClause } = statement;
      if (exportClause === undefined) return [];
      return ts.isNamedExports(exportClause)
        ? exportClause.elements.map(({ name }) => name.text)
        : [exportClause.name.text];
    }
    if (!isExported(statement)) return [];
    if (ts.isVariableStatement(statement))
      return statement.declarationList.declarations.flatMap(({ name }) => boundNames(name));
    const { name } = statement as ts.DeclarationStatement;
    return name === undefined ? [] : [name.text];
  });
  return [...new Set(names)];
}

/** Whether a statement says itself that it exports what it declares. */
function isExported(statement: ts.Statement): boolean {
  const modifiers = ts.canHaveModifiers(statement) ? (ts.getModifiers(statement) ?? []) : [];
  return modifiers.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
}

/** The names that a declaration binds, by a pattern, too. */
function boundNames(name: ts.BindingName): readonly string[] {
  if (ts.isIdentifier(name)) return [name.text];
  return name.elements.flatMap((element) => (ts.isBindingElement(element) ? boundNames(element.name) : []));
}

/** Names that more than one file exports, each with its files. */
export function namesExportedTwice(
  files: readonly SourceFile[],
): readonly { readonly name: string; readonly paths: readonly string[] }[] {
  const pathsByName = new Map<string, string[]>();
  for (const file of files)
    for (const name of exportsOf(file)) pathsByName.set(name, [...(pathsByName.get(name) ?? []), file.path]);
  return [...pathsByName]
    .filter(([, paths]) => paths.length > 1)
    .map(([name, paths]) => ({ name, paths }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The files that a file imports or hands on from, for their types alone, too. */
export function importsOf({ path, syntax }: SourceFile): readonly string[] {
  const specifiers: ts.Node[] = [];
  function visit(node: ts.Node): void {
    if ((ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) && node.moduleSpecifier !== undefined)
      specifiers.push(node.moduleSpecifier);
    else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument))
      specifiers.push(node.argument.literal);
    else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
      specifiers.push(...node.arguments.slice(0, 1));
    ts.forEachChild(node, visit);
  }
  visit(syntax);
  return specifiers
    .filter(ts.isStringLiteralLike)
    .filter(({ text }) => text.startsWith('.'))
    .map(({ text }) => join(dirname(path), text));
}

/** The imports between files, as pairs. */
function importPairs(files: readonly SourceFile[]): readonly Edge[] {
  return files.flatMap((file) => importsOf(file).map((imported) => [file.path, imported] as const));
}

/** All that can be reached from one end of the edges. */
function reachedFrom(start: string, targets: ReadonlyMap<string, readonly Edge[]>): ReadonlySet<string> {
  const reached = new Set<string>();
  const open = [start];
  for (let next = open.pop(); next !== undefined; next = open.pop())
    for (const [, to] of targets.get(next) ?? [])
      if (!reached.has(to)) {
        reached.add(to);
        open.push(to);
      }
  return reached;
}

/** Groups of names that lead to each other, in the order of the alphabet. */
function circlesOf(edges: readonly Edge[]): readonly (readonly string[])[] {
  const targets = Map.groupBy(edges, ([from]) => from);
  const reached = new Map([...targets.keys()].map((from) => [from, reachedFrom(from, targets)]));
  const circles = [...reached]
    .filter(([name, others]) => others.has(name))
    .map(([name, others]) => [...others].filter((other) => reached.get(other)?.has(name)).sort());
  return [...new Map(circles.map((circle) => [circle.join(' '), circle])).values()];
}

/** Groups of files that import each other in a circle, types counted. */
export function importCircles(files: readonly SourceFile[]): readonly (readonly string[])[] {
  return circlesOf(importPairs(files));
}

/** Entries of one folder that import each other in a circle; `.` are the files that lie in the folder itself. */
export type FolderCircle = {
  readonly folder: string;
  readonly entries: readonly string[];
  /** The imports between the entries, as `from > to`. */
  readonly imports: readonly string[];
};

/** The entry of a folder in which a file lies; `undefined` where it lies elsewhere. */
function entryIn(folder: string, path: string): string | undefined {
  if (!path.startsWith(`${folder}/`)) return undefined;
  const [first = '', ...below] = path.slice(folder.length + 1).split('/');
  return below.length === 0 ? '.' : first;
}

/** The folders around a file, the nearest first. */
function parentsOf(path: string): readonly string[] {
  const parent = dirname(path);
  return parent === '.' ? [] : [parent, ...parentsOf(parent)];
}

/**
 * The circles between folders that lie beside each other, and between a folder and the files of its parent. Types count:
 * somebody who reads one has to know the other.
 */
export function folderCircles(files: readonly SourceFile[]): readonly FolderCircle[] {
  const pairs = importPairs(files);
  const folders = new Set(files.flatMap(({ path }) => parentsOf(path)));
  return [...folders].sort().flatMap((folder) => {
    const between = pairs.flatMap(([file, imported]) => {
      const [from, to] = [entryIn(folder, file), entryIn(folder, imported)];
      return from === undefined || to === undefined || from === to
        ? []
        : [{ edge: [from, to] as const, imports: `${file} > ${imported}` }];
    });
    return circlesOf(between.map(({ edge }) => edge)).map((entries) => ({
      folder,
      entries,
      imports: between
        .filter(({ edge }) => edge.every((entry) => entries.includes(entry)))
        .map(({ imports }) => imports),
    }));
  });
}
