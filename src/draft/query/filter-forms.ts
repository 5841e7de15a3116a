import type { DialectFilter } from '../dialects/dialect.ts';

type Op = DialectFilter['op'];

/** The words of services for an operator, the most common first. */
const WORDS: Readonly<Record<Op, readonly string[]>> = {
  eq: ['eq', 'equals', 'exact', 'is'],
  ge: ['gte', 'ge', 'min', 'from'],
  le: ['lte', 'le', 'max', 'to'],
};

type Spelling = (column: string, word: string) => Readonly<Record<string, string>>;

/** How services join a column and an operator in the name of a parameter, or write the operator into its value. */
const SPELLINGS: readonly Spelling[] = [
  (column, word) => ({ [`${column}_${word}`]: '{value}' }),
  (column, word) => ({ [`${column}__${word}`]: '{value}' }),
  (column, word) => ({ [`${column}[${word}]`]: '{value}' }),
  (column, word) => ({ [`${column}[$${word}]`]: '{value}' }),
  (column, word) => ({ [`${column}.${word}`]: '{value}' }),
  (column, word) => ({ [`${column}:${word}`]: '{value}' }),
  (column, word) => ({ [`filter[${column}][${word}]`]: '{value}' }),
  (column, word) => ({ [`filter[${column}_${word}]`]: '{value}' }),
  (column, word) => ({ [`${word}_${column}`]: '{value}' }),
  (column, word) => ({ [word + (column[0]?.toUpperCase() ?? '') + column.slice(1)]: '{value}' }),
  (column, word) => ({ [column]: `${word}:{value}` }),
  (column, word) => ({ [column]: `${word}.{value}` }),
];

/** The usual forms of a filter; the spelling of an operator that worked before comes first. */
export function usualForms(
  column: string,
  op: Op,
  spelledBy: number | undefined,
): readonly { readonly query: Readonly<Record<string, string>>; readonly spelledBy: number | undefined }[] {
  const plain = op !== 'eq' ? [] : [column, `filter[${column}]`].map((name) => ({ [name]: '{value}' }));
  const spelled = SPELLINGS.flatMap((spell, index) =>
    WORDS[op].map((word) => ({ query: spell(column, word), spelledBy: index })),
  );
  return [
    ...plain.map((query) => ({ query, spelledBy: undefined })),
    ...spelled.filter((form) => form.spelledBy === spelledBy),
    ...spelled.filter((form) => form.spelledBy !== spelledBy),
  ];
}
