// Sorts, and filters with example values, for calls that no client asked for: edge cases, probes and estimates of costs.

import { Decimal } from '../kernel/decimal.ts';
import { idStartOf } from './fields.ts';
import type { KnownValue } from './list-value.ts';
import type { Filter, Sort } from './query.ts';
import type { FilterParameter, Resource } from './resource.ts';

/** Values that hardly any record has. */
const UNKNOWN_TEXT = 'no record has this value 7f3a';
const BEYOND = new Decimal(10n ** 12n, 0);

/** All sorts of a resource, in both directions, each with its text, such as `sort=-name`. */
export function sortsOf({ sorts }: Resource): readonly { readonly text: string; readonly sort: Sort }[] {
  return sorts.flatMap((field) =>
    [false, true].map((descending) => ({
      text: `sort=${descending ? '-' : ''}${field}`,
      sort: { field, descending },
    })),
  );
}

/** Makes the filter of a parameter with a value. With the operator `known`, it asks for records that have a value. */
export function filterWith({ field, op }: Pick<FilterParameter, 'field' | 'op'>, value: KnownValue): Filter {
  switch (op) {
    case 'eq':
    case 'has':
      return { field, op, value };
    case 'in':
      return { field, op, value: [value] };
    case 'known':
      return { field, op, value: true };
    default:
      return { field, op, value: typeof value === 'boolean' ? String(value) : value };
  }
}

/** A value of the parameter's kind that a source can probably be asked for; records need not have it. */
export function typicalValue({ kind, values = [], idPrefix = '' }: FilterParameter): KnownValue {
  switch (kind) {
    case 'integer':
    case 'decimal':
      return new Decimal(10n, 0);
    case 'boolean':
      return true;
    case 'datetime':
      return '2020-05-01T00:00:00Z';
    case 'date':
      return '2020-05-01';
    case 'enum':
      return values[0] ?? '';
    case 'id':
    case 'reference':
      return `${idStartOf(idPrefix)}1`;
    case 'text':
    case 'list':
      return 'sample';
  }
}

/** Makes a filter that matches few records or none; for a kind with few values (enum, boolean), it may match many. */
export function filterWithFewMatches(parameter: FilterParameter): Filter {
  const { kind, op } = parameter;
  const isUpper = op === 'le' || op === 'lt';
  if (kind === 'text') return filterWith(parameter, UNKNOWN_TEXT);
  if (kind === 'integer' || kind === 'decimal')
    return filterWith(parameter, isUpper ? new Decimal(-BEYOND.digits, 0) : BEYOND);
  if (kind === 'datetime')
    return filterWith(parameter, isUpper ? '0001-01-01T00:00:00Z' : '9999-12-31T00:00:00Z');
  if (kind === 'date') return filterWith(parameter, isUpper ? '0001-01-01' : '9999-12-31');
  return filterWith(parameter, typicalValue(parameter));
}
