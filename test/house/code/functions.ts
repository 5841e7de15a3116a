import ts from 'typescript';
import type { SourceFile } from './source-tree.ts';

/** A function, a method, an accessor or an arrow, with the functions in it. */
export type FunctionSize = {
  readonly path: string;
  readonly name: string;
  /** The line it starts on, from 1. */
  readonly line: number;
  readonly lines: number;
};

/** What a test file groups its tests with: its callback is a list of tests and no function to be read at once. */
const GROUPS = /^describe/;

/** Whether a node is a function that has a body. */
export function isFunction(node: ts.Node): node is ts.FunctionLikeDeclaration & { body: ts.ConciseBody } {
  return ts.isFunctionLike(node) && 'body' in node && node.body !== undefined;
}

/** The name that a reader would give a function: its own, that of the variable or property, or what it is given to. */
export function nameOf(node: ts.FunctionLikeDeclaration): string {
  if (ts.isConstructorDeclaration(node)) return 'constructor';
  if (node.name !== undefined) return node.name.getText();
  const { parent } = node;
  if (ts.isVariableDeclaration(parent) || ts.isPropertyAssignment(parent) || ts.isPropertyDeclaration(parent))
    return parent.name.getText();
  if (ts.isCallExpression(parent)) return `${parent.expression.getText().split('\n', 1)[0] ?? ''}(…)`;
  return '(anonymous)';
}

/** Every function of a file, from its first to its last line; a nested one counts in the outer one, too. */
export function functionsOf({ path, syntax }: SourceFile): readonly FunctionSize[] {
  const found: FunctionSize[] = [];
  function visit(node: ts.Node): void {
    if (isFunction(node)) {
      const name = nameOf(node);
      const first = syntax.getLineAndCharacterOfPosition(node.getStart(syntax)).line;
      const last = syntax.getLineAndCharacterOfPosition(node.end).line;
      if (!GROUPS.test(name)) found.push({ path, name, line: first + 1, lines: last - first + 1 });
    }
    ts.forEachChild(node, visit);
  }
  visit(syntax);
  return found;
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
