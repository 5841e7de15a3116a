// Compiles the filters and orders of a list, and reports those that do not fit their fields.

import type {
  ContractSpec,
  FilterSpecOfContract,
  ReportContractProblem,
  ResourceSpec,
} from './contract-schema.ts';
import type { Field, FieldKind } from './fields.ts';
import type { FilterOp, Sort } from './query.ts';
import type { FilterParameter } from './resource.ts';

type Relation = FilterSpecOfContract['is'];

/** The operator of each relation, as source files name it. */
const OPS: Readonly<Record<Relation, FilterOp>> = {
  equal: 'eq',
  one_of: 'in',
  at_least: 'ge',
  at_most: 'le',
  above: 'gt',
  below: 'lt',
  after: 'gt',
  before: 'lt',
  known: 'known',
  has: 'has',
};

const BOUNDS = ['at_least', 'at_most'] as const;
const NUMBER = ['equal', 'one_of', ...BOUNDS, 'above', 'below', 'known'] as const;
const TIME = ['equal', ...BOUNDS, 'after', 'before', 'known'] as const;
const ID = ['equal', 'one_of', 'known'] as const;

/** The relations that a filter can use for a field of each kind. */
const RELATIONS: Readonly<Record<FieldKind, readonly Relation[]>> = {
  id: ['one_of'],
  text: ['equal', 'known'],
  integer: NUMBER,
  decimal: NUMBER,
  boolean: ['equal', 'known'],
  datetime: TIME,
  date: TIME,
  enum: ID,
  reference: ID,
  list: ['has', 'known'],
};

/** The relations that a filter can use for a list of objects. */
const OBJECTS: readonly Relation[] = ['known'];

/** Parameters that every list has, or that are reserved for later versions. */
const RESERVED: ReadonlySet<string> = new Set([
  'page',
  'limit',
  'sort',
  'expand',
  'fields',
  'cursor',
  'q',
  'filter',
  'include',
]);

const namesOf = (fields: readonly Field[]) => fields.map(({ name }) => name).join(', ');

/** Compiles the filter parameters of a list. A filter with a mistake is reported and left out. */
export function compileFilterParameters(
  contract: ContractSpec,
  name: string,
  { filters, id }: ResourceSpec,
  fields: readonly Field[],
  report: ReportContractProblem,
): readonly FilterParameter[] {
  const taken = new Map<string, string>();
  return Object.entries(filters).flatMap(
    ([parameter, { field: fieldName, is, description, deprecated, sunset }]): FilterParameter[] => {
      const at = ['resources', name, 'filters', parameter];
      if (RESERVED.has(parameter))
        report(at, `"${parameter}" is a parameter of every list`, 'choose another name');
      const field = fields.find((one) => one.name === fieldName);
      if (field === undefined) {
        report([...at, 'field'], `the list has no field ${fieldName}`, `fields: ${namesOf(fields)}`);
        return [];
      }
      const element = field.list && 'kind' in field.list.of ? field.list.of : undefined;
      const isObjects = field.list !== undefined && element === undefined;
      const allowed = isObjects ? OBJECTS : RELATIONS[field.kind];
      if (!allowed.includes(is)) {
        report(
          [...at, 'is'],
          `a filter cannot ask for ${is} of a ${isObjects ? 'list of objects' : `field of the kind ${field.kind}`}`,
          `is: ${allowed.join(', ')}`,
        );
        return [];
      }
      const op = OPS[is];
      const other = taken.get(`${fieldName} ${op}`);
      if (other !== undefined) report(at, `the filter ${other} asks for the same`, 'keep one of them');
      taken.set(`${fieldName} ${op}`, parameter);
      const { kind, to, values, minimum } = is === 'has' && element !== undefined ? element : field;
      const target =
        kind === 'id' ? id.prefix : to === undefined ? undefined : contract.resources[to]?.id.prefix;
      return [
        {
          ...{ name: parameter, field: fieldName, op, description, kind },
          deprecation: { deprecated, sunset },
          isSigned: minimum === undefined || minimum < 0,
          minimum,
          values,
          idPrefix: target,
        },
      ];
    },
  );
}

/** Compiles the orders of a list: the fields that `sort` may name, and the order if a client gives no `sort`. */
export function compileOrderings(
  name: string,
  { sort, order }: ResourceSpec,
  fields: readonly Field[],
  report: ReportContractProblem,
): { readonly sorts: readonly string[]; readonly order: Sort | null } {
  const at = ['resources', name];
  const known = (field: string, place: readonly PropertyKey[]) => {
    const found = fields.find((one) => one.name === field);
    if (found?.kind === 'list') report(place, `${field} is a list, which has no order`, 'leave it out');
    if (found !== undefined) return;
    report(place, `the list has no field ${field}`, `fields: ${namesOf(fields)}`);
  };
  sort.forEach((field, index) => {
    known(field, [...at, 'sort', index]);
    if (sort.indexOf(field) !== index)
      report([...at, 'sort', index], `${field} stands there twice`, 'keep one of them');
  });
  const [first] = order ?? [];
  if (first === undefined) return { sorts: sort, order: null };
  const descending = first.startsWith('-');
  const field = descending ? first.slice(1) : first;
  known(field, [...at, 'order']);
  return { sorts: sort, order: field === 'id' && !descending ? null : { field, descending } };
}
