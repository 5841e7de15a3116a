import ts from 'typescript';
import { parseSource } from '../code/source-tree.ts';

/** The global function that every instrumented function calls first, with its file, its name and where it stands. */
export const ENTRY_HOOK = '__enterFunction';

/** A source text in which every function first reports that it was entered. No line moves. */
export function instrument(path: string, text: string): string {
  const insertions: { readonly at: number; readonly text: string }[] = [];
  function visit(node: ts.Node): void {
    if (isFunction(node)) {
      const call = `${ENTRY_HOOK}(${JSON.stringify(path)}, ${JSON.stringify(nameOf(node))}, ${String(node.pos)})`;
      const { body } = node;
      if (ts.isBlock(body)) insertions.push({ at: body.getStart() + 1, text: ` ${call};` });
      else insertions.push({ at: body.getStart(), text: `(${call}, ` }, { at: body.end, text: ')' });
    }
    ts.forEachChild(node, visit);
  }
  visit(parseSource(path, text).syntax);
  let result = '';
  let from = 0;
  for (const [at, texts] of grouped(insertions)) {
    result += text.slice(from, at) + texts;
    from = at;
  }
  return result + text.slice(from);
}

/** Whether a node is a function that has a body. */
function isFunction(node: ts.Node): node is ts.FunctionLikeDeclaration & { body: ts.ConciseBody } {
  return ts.isFunctionLike(node) && 'body' in node && node.body !== undefined;
}

/** The name that a reader would give a function: its own, that of the variable or property, or what it is given to. */
function nameOf(node: ts.FunctionLikeDeclaration): string {
  if (ts.isConstructorDeclaration(node)) return 'constructor';
  if (node.name !== undefined) return node.name.getText();
  const { parent } = node;
  if (ts.isVariableDeclaration(parent) || ts.isPropertyAssignment(parent) || ts.isPropertyDeclaration(parent))
    return parent.name.getText();
  if (ts.isCallExpression(parent)) return `${parent.expression.getText().split('\n', 1)[0] ?? ''}(…)`;
  return '(anonymous)';
}

/** The insertions in the order of the text. Of two at one place the outer function's comes first: it was found first. */
function grouped(
  insertions: readonly { readonly at: number; readonly text: string }[],
): readonly (readonly [number, string])[] {
  const byPlace = new Map<number, string>();
  for (const { at, text } of insertions) byPlace.set(at, (byPlace.get(at) ?? '') + text);
  return [...byPlace].sort(([a], [b]) => a - b);
}
