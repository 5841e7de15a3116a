import type { MappingSpec } from '../../../config/schema/source.ts';
import type { Field, Value } from '../../../contract/fields.ts';
import { matches } from '../../../contract/order.ts';
import type { ListQuery } from '../../../contract/query.ts';
import { UNREADABLE } from '../map/coercion/step.ts';
import { fixedValue } from '../map/map-record.ts';
import { mappingOf } from '../map/row-fields.ts';

/**
 * Compiles constant folding of queries: filters on fields with the same value in all records, and sorts by them, are
 * resolved without the source. Returns the rest of a query; `undefined` if no record can match.
 */
export function compileFixedFields(
  mapping: MappingSpec,
  fields: readonly Field[],
): (query: ListQuery) => ListQuery | undefined {
  const fixed = new Map<string, Value>();
  for (const field of fields) {
    const value = fixedValue(field, mappingOf(mapping, field));
    if (value !== undefined && value !== UNREADABLE) fixed.set(field.name, value);
  }
  return (query) => {
    if (fixed.size === 0) return query;
    const resolved = query.filters.filter(({ field }) => fixed.has(field));
    if (!resolved.every((filter) => matches(fixed.get(filter.field) ?? null, filter))) return undefined;
    return {
      ...query,
      filters: query.filters.filter((filter) => !resolved.includes(filter)),
      // All records have the same value, so ids decide the order, ascending in both directions.
      sort:
        query.sort !== null && fixed.has(query.sort.field) ? { field: 'id', descending: false } : query.sort,
    };
  };
}
