import type { DialectFilter, PlainFilter } from '../dialects/dialect.ts';

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
