// Compares the values of documents with the literals of source files, such as those under `equals` and `nullIf`.

import { Decimal } from '../../../kernel/decimal.ts';
import { type Json, NumberText } from '../../../kernel/json/json.ts';

/** A literal in a source file, compared with values in the source's documents. */
export type Literal = string | number | boolean | null;

/** Whether a value of a document equals the literal. Numbers are compared by value: -1, -1.0 and -10e-1 are equal. */
function isLiteral(value: unknown, literal: Literal): boolean {
  if (!(value instanceof NumberText)) return value === literal;
  if (typeof literal === 'string') return value.text === literal;
  if (typeof literal !== 'number') return false;
  const left = Decimal.parseJson(value.text);
  const right = Decimal.parseJson(String(literal));
  return left !== undefined && right !== undefined && left.compare(right) === 0;
}

/** Compiles a predicate: whether a value of a document equals one of some literals. */
export function compileOneOf(
  literals: readonly Literal[],
): (value: Json | Decimal | symbol | undefined) => boolean {
  return (value) => {
    // `some` would make a closure for each value of each row.
    for (const literal of literals) if (isLiteral(value, literal)) return true;
    return false;
  };
}
