import type { MappingSpec } from '../../config/schema/source.ts';
import type { Field, Value } from '../../contract/fields.ts';
import { matches } from '../../contract/order.ts';
import type { ListQuery } from '../../contract/query.ts';
import { UNREADABLE } from '../map/coercion/flow.ts';
import { fixedValue } from '../map/map-record.ts';

/** Answers a question of what is the same in all records; `undefined` where no record can match. */
export type Simplify = (query: ListQuery) => ListQuery | undefined;

/** Compiles what is known of a list before it is asked: filters on constants, and sorts by them, need no source. */
export function compileSimplify(mapping: MappingSpec, fields: readonly Field[]): Simplify {
  const fixed = new Map<string, Value>();
  for (const field of fields) {
    const spec = mapping[field.name];
    const value = spec === undefined ? undefined : fixedValue(field, spec);
    if (value !== undefined && value !== UNREADABLE) fixed.set(field.name, value);
  }
  return (query) => {
    if (fixed.size === 0) return query;
    const decided = query.filters.filter(({ field }) => fixed.has(field));
    if (!decided.every(({ field, op, value }) => matches(fixed.get(field) ?? null, op, value)))
      return undefined;
    return {
      ...query,
      filters: query.filters.filter((filter) => !decided.includes(filter)),
      // All records are equal in it, so it is their ids that order them, ascending whatever the direction.
      sort:
        query.sort !== null && fixed.has(query.sort.field) ? { field: 'id', descending: false } : query.sort,
    };
  };
}
