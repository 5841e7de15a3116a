// The forms in which services usually take filters, such as `price_gte=` or `price[gte]=`. `infer` tries them.

import { words } from '../detect/usual-names.ts';
import type { DialectFilter, PlainFilter } from '../dialects/dialect.ts';

type Op = DialectFilter['op'];

/** The words of services for an operator, the most common first. */
const WORDS: Readonly<Record<Op, readonly string[]>> = {
  eq: ['eq', 'equals', 'exact', 'is'],
  ge: ['gte', 'ge', 'min', 'from'],
  le: ['lte', 'le', 'max', 'to'],
};

/**
 * How services join a column and an operator in the name of a parameter. Some write the operator into the value, which is what
 * stands behind `=`.
 */
const SPELLINGS =
  words(`<column>_<word> <column>__<word> <column>[<word>] <column>[$<word>] <column>.<word> <column>:<word>
  filter[<column>][<word>] filter[where][<column>][<word>] where[<column>][<word>] filter[<column>_<word>]
  <word>_<column> <word><Column> <column>=<word>:{value} <column>=<word>.{value}`);
/** Spellings whose parameter for an equal value may also be written without the operator: `filter[color]`. */
const OPTIONAL_WORD = /(?<=\])\[<word>\]$/;

/** A form of a filter: its parameter, and the index of its spelling in `SPELLINGS`, if it was made from one. */
type Form = { readonly query: Readonly<Record<string, string>>; readonly spelledBy: number | undefined };

/** A column is put in as it is, whatever it is called: it is a name of the service. */
function spell(spelling: string, column: string, word: string): Form['query'] {
  const marks: Readonly<Record<string, string>> = {
    '<Column>': column.charAt(0).toUpperCase() + column.slice(1),
    '<column>': column,
    '<word>': word,
  };
  const fill = (text: string) => text.replaceAll(/<\w+>/g, (mark) => marks[mark] ?? mark);
  const [name = '', value = '{value}'] = spelling.split('=');
  return { [fill(name)]: fill(value) };
}

/** The usual forms of a filter; the spelling of an operator that worked before comes first. */
export function usualForms(column: string, op: Op, spelledBy: number | undefined): readonly Form[] {
  const named = SPELLINGS.flatMap((spelling, index) => {
    const bare = spelling.replace(OPTIONAL_WORD, '');
    return bare === spelling ? [] : [{ query: spell(bare, column, ''), spelledBy: index }];
  });
  const spelled = SPELLINGS.flatMap((spelling, index) =>
    WORDS[op].map((word) => ({ query: spell(spelling, column, word), spelledBy: index })),
  );
  const plain: readonly Form[] = [{ query: { [column]: '{value}' }, spelledBy: undefined }, ...named];
  return [
    ...(op === 'eq' ? plain : []),
    ...spelled.filter((form) => form.spelledBy === spelledBy),
    ...spelled.filter((form) => form.spelledBy !== spelledBy),
  ];
}

/** Parameters in which services commonly take conditions as a JSON object. */
const NAMES = ['query', 'filter', 'where', 'q'];
const OPERATORS = { ge: '$gte', le: '$lte' };

/** The forms of a filter that is a JSON object in one parameter, as MongoDB writes it. */
export function jsonFilterCandidates({ field, op, column }: PlainFilter): readonly DialectFilter[] {
  const name = JSON.stringify(column);
  const condition = op === 'eq' ? '{value}' : `{${JSON.stringify(OPERATORS[op])}:{value}}`;
  return NAMES.map((parameter) => ({
    ...{ field, op, expr: `{${name}:${condition}}`, escape: op === 'eq' ? 'json' : 'number' },
    joined: { query: { [parameter]: '{"$and":[{filter}]}' }, by: ',' },
  }));
}
