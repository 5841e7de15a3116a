// The forms in which services usually take filters, such as `price_gte=` or `price[gte]=`.

import type { DialectFilter, PlainFilter } from '../dialects/dialect.ts';

type Op = DialectFilter['op'];

/** The words of services for an operator, the most common first. */
const WORDS: Readonly<Record<Op, readonly string[]>> = {
  eq: ['eq', 'equals', 'exact', 'is'],
  ge: ['gte', 'ge', 'min', 'from'],
  le: ['lte', 'le', 'max', 'to'],
};

/** How services join a column and an operator in the name of a parameter, or write the operator into its value. */
type Spelling = {
  readonly of: (column: string, word: string) => Readonly<Record<string, string>>;
  /** The parameter for an equal value, if it is written without an operator. */
  readonly plain?: (column: string) => string;
};

const SPELLINGS: readonly Spelling[] = [
  { of: (column, word) => ({ [`${column}_${word}`]: '{value}' }) },
  { of: (column, word) => ({ [`${column}__${word}`]: '{value}' }) },
  { of: (column, word) => ({ [`${column}[${word}]`]: '{value}' }) },
  { of: (column, word) => ({ [`${column}[$${word}]`]: '{value}' }) },
  { of: (column, word) => ({ [`${column}.${word}`]: '{value}' }) },
  { of: (column, word) => ({ [`${column}:${word}`]: '{value}' }) },
  {
    of: (column, word) => ({ [`filter[${column}][${word}]`]: '{value}' }),
    plain: (column) => `filter[${column}]`,
  },
  {
    of: (column, word) => ({ [`filter[where][${column}][${word}]`]: '{value}' }),
    plain: (column) => `filter[where][${column}]`,
  },
  {
    of: (column, word) => ({ [`where[${column}][${word}]`]: '{value}' }),
    plain: (column) => `where[${column}]`,
  },
  { of: (column, word) => ({ [`filter[${column}_${word}]`]: '{value}' }) },
  { of: (column, word) => ({ [`${word}_${column}`]: '{value}' }) },
  {
    of: (column, word) => ({ [word + (column[0]?.toUpperCase() ?? '') + column.slice(1)]: '{value}' }),
  },
  { of: (column, word) => ({ [column]: `${word}:{value}` }) },
  { of: (column, word) => ({ [column]: `${word}.{value}` }) },
];

/** A form of a filter: its parameter, and the index of its spelling in `SPELLINGS`, if it was made from one. */
type Form = { readonly query: Readonly<Record<string, string>>; readonly spelledBy: number | undefined };

/** The usual forms of a filter; the spelling of an operator that worked before comes first. */
export function usualForms(column: string, op: Op, spelledBy: number | undefined): readonly Form[] {
  const named = SPELLINGS.flatMap(({ plain }, index) =>
    plain === undefined ? [] : [{ query: { [plain(column)]: '{value}' }, spelledBy: index }],
  );
  const spelled = SPELLINGS.flatMap(({ of }, index) =>
    WORDS[op].map((word) => ({ query: of(column, word), spelledBy: index })),
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
