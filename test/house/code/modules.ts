import { dirname, join } from 'node:path';
import ts from 'typescript';
import type { SourceFile } from './source-tree.ts';

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
export function isExported(statement: ts.Statement): boolean {
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

/**
 * Groups of files that import each other in a circle: the strongly connected components of the graph of imports
 * (Tarjan, SIAM J. Comput. 1972), types counted.
 */
export function importCircles(files: readonly SourceFile[]): readonly (readonly string[])[] {
  const imports = new Map(files.map((file) => [file.path, importsOf(file)]));
  const state = new Map<string, { readonly index: number; low: number; onStack: boolean }>();
  const stack: string[] = [];
  const circles: string[][] = [];
  function visit(path: string) {
    const own = { index: state.size, low: state.size, onStack: true };
    state.set(path, own);
    stack.push(path);
    for (const target of imports.get(path) ?? []) {
      if (!imports.has(target)) continue;
      const other = state.get(target);
      if (other === undefined) own.low = Math.min(own.low, visit(target).low);
      else if (other.onStack) own.low = Math.min(own.low, other.index);
    }
    if (own.low === own.index) {
      const circle = stack.splice(stack.indexOf(path));
      for (const member of circle) state.get(member)!.onStack = false;
      if (circle.length > 1) circles.push(circle.sort());
    }
    return own;
  }
  for (const path of imports.keys()) if (!state.has(path)) visit(path);
  return circles;
}
