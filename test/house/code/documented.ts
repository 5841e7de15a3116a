import ts from 'typescript';
import { isExported } from './modules.ts';
import type { SourceFile } from './source-tree.ts';

/** An exported declaration: its name and the line that it starts on, from 1. */
export type Export = { readonly path: string; readonly name: string; readonly line: number };

/**
 * The exported declarations of a file without a doc comment directly above them, in the order of the file. A re-export
 * needs none: its sentence stands where the symbol is declared. Neither does an overload behind the first one, which speaks
 * for all of them.
 */
export function undocumentedExports({ path, syntax }: SourceFile): readonly Export[] {
  const listed = namesInLists(syntax);
  const exported = syntax.statements.flatMap((statement) => {
    if (ts.isExportAssignment(statement)) return [{ statement, name: 'default' }];
    const names = namesOf(statement).filter((name) => isExported(statement) || listed.has(name));
    return names.length === 0 ? [] : [{ statement, name: names.join(', ') }];
  });
  return exported
    .filter(({ statement, name }, index) => {
      const overloads = ts.isFunctionDeclaration(statement) && exported[index - 1]?.name === name;
      return !overloads && !isDocumented(statement, syntax);
    })
    .map(({ statement, name }) => ({ path, name, line: lineAt(statement.getStart(syntax), syntax) + 1 }));
}

/** The local names in `export { a, b as c }`; those that an import brought have no declaration in the file. */
function namesInLists({ statements }: ts.SourceFile): ReadonlySet<string> {
  const lists = statements
    .filter(ts.isExportDeclaration)
    .filter(({ moduleSpecifier }) => moduleSpecifier === undefined)
    .map(({ exportClause }) => exportClause)
    .filter((clause) => clause !== undefined && ts.isNamedExports(clause));
  return new Set(
    lists.flatMap(({ elements }) => elements.map(({ name, propertyName }) => (propertyName ?? name).text)),
  );
}

/** What a statement declares: `const { a, b } = …` is one declaration under both names. */
function namesOf(statement: ts.Statement): readonly string[] {
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.map(({ name }) => name.getText());
  if (ts.isExportDeclaration(statement) || ts.isImportDeclaration(statement)) return [];
  const { name } = statement as ts.DeclarationStatement;
  return [name?.text ?? 'default'];
}

/** Whether the last doc comment of a statement has more than tags, and no blank line behind it. */
function isDocumented(statement: ts.Statement, syntax: ts.SourceFile): boolean {
  const comment = ts.getJSDocCommentsAndTags(statement).filter(ts.isJSDoc).at(-1);
  if (comment?.comment === undefined) return false;
  return !/\n\s*\n/.test(syntax.text.slice(comment.end, statement.getStart(syntax)));
}

function lineAt(position: number, syntax: ts.SourceFile): number {
  return syntax.getLineAndCharacterOfPosition(position).line;
}
