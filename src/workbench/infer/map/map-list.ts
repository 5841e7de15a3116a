// Maps fields of the contract that are lists, for the `map` of a draft: their elements are values or objects.

import type { Field } from '../../../contract/fields.ts';
import { isList, isObject } from '../../../kernel/json/values.ts';
import { type Remark, toEdit } from '../notes/note.ts';
import type { ColumnChoice } from './column-tests.ts';
import { type Column, columnsOf, knownValues } from './columns.ts';

/** The mapping of one field in a source file. */
export type FieldDraft =
  | null
  | string
  | { readonly from: string | readonly string[]; readonly as: readonly unknown[] }
  | { readonly from: string | readonly string[]; readonly each: Readonly<Record<string, unknown>> };

/** The mapping of a field to a path. The elements of a list of objects need paths, too. */
export function mappedTo({ list }: Field, path: string): FieldDraft {
  if (list === undefined || 'kind' in list.of) return path;
  return { from: path, each: { map: Object.fromEntries(list.of.map((one) => [one.name, unmapped(one)])) } };
}

/**
 * The mapping of a field without a column. A field that is never null needs a path, or the file is refused. So its own
 * name is the path, and every answer is an error until the operator has written another one.
 */
export function unmapped(field: Field, path = field.name): FieldDraft {
  return field.required ? mappedTo(field, path) : null;
}

/** The paths and the steps of a field, however its mapping is written. */
export function pathsAndSteps(draft: NonNullable<FieldDraft>) {
  if (typeof draft === 'string') return { from: draft, as: [] };
  return 'each' in draft ? { from: draft.from, as: [] } : draft;
}

/** The drafted mapping of a field, with the remarks on it; `within` has those on the fields of a list's elements. */
export type MappedField = {
  readonly draft: FieldDraft;
  readonly remarks: readonly Remark[];
  readonly within?: readonly (readonly [field: string, remarks: readonly Remark[]])[];
};

/** Maps a field of an element to one of some columns, or to the one that is given. */
type MapElement = (field: Field, columns: readonly Column[], given?: ColumnChoice) => MappedField;

/** The steps of elements that are values. */
function mapValues(
  of: Field,
  column: Column,
  elements: Column['values'],
  mapElement: MapElement,
): MappedField {
  const own = { ...column, values: elements };
  const given: ColumnChoice = { columns: [own], others: [], level: 'sure', isGiven: true };
  const { draft, remarks } = mapElement(of, [own], given);
  const as = draft === null ? [] : pathsAndSteps(draft).as;
  const { path } = column;
  return { draft: draft && (as.length === 0 ? path : { from: path, each: { as } }), remarks };
}

/** Maps a field that is a list: its elements, by what all records have in them. */
export function mapList(
  field: Field,
  chosen: ColumnChoice | undefined,
  lists: readonly Column[],
  mapElement: MapElement,
): MappedField {
  const { name, required, list } = field;
  const ask = (text: string, path = name): MappedField => ({
    draft: unmapped(field, path),
    remarks: [toEdit(text)],
  });
  const [column] = chosen?.columns ?? [];
  const leave = required ? 'the contract requires it' : 'or leave it null';
  if (column === undefined || list === undefined) {
    const paths = lists.length === 0 ? 'no lists' : lists.map(({ path }) => path).join(', ');
    return ask(
      `no list looks like ${name}: give its path, ${leave}; with --map ${name}=<path>, infer drafts its elements (the records have ${paths})`,
    );
  }
  const { path } = column;
  const elements = knownValues(column).flatMap((value) => (isList(value) ? value : []));
  if (elements.length === 0)
    return ask(`the name matches, but ${path} is empty in every record: say how its elements are read`, path);
  const doubts = chosen?.doubt === undefined ? [] : [toEdit(chosen.doubt)];
  const { of } = list;
  const objects = elements.filter((element) => isObject(element));
  const isOther = 'kind' in of ? elements.some((one) => isObject(one) || isList(one)) : false;
  if (isOther || (!('kind' in of) && objects.length < elements.length))
    return ask(`the elements of ${path} are not those of ${name}: is it this list?`, path);
  if ('kind' in of) {
    const { draft, remarks } = mapValues(of, column, elements, mapElement);
    return { draft, remarks: [...doubts, ...remarks] };
  }
  const columns = columnsOf(objects);
  const mapped = of.map((one) => [one.name, mapElement(one, columns)] as const);
  // A field that is never null has no draft if it refers to what the file does not describe.
  const [open] = mapped.filter(([, { draft }], index) => draft === null && of[index]?.required);
  if (open !== undefined) return { draft: null, remarks: open[1].remarks };
  if (mapped.every(([, { draft }]) => draft === null))
    return ask(`the elements of ${path} have no field of ${name}: is it this list?`, path);
  const map = Object.fromEntries(mapped.map(([inner, { draft }]) => [inner, draft]));
  const within = mapped.map(([inner, { remarks }]) => [inner, remarks] as const);
  return { draft: { from: path, each: { map } }, remarks: doubts, within };
}
