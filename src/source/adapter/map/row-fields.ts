// Says which part of a source file (`list`: rows; `details`: what rows lack; `get`: the single record) has which fields of a
// resource. Such a part is called a view.

import { isDeepStrictEqual } from 'node:util';
import type {
  GetSpec,
  ListSpec,
  MappingSpec,
  SourceResourceSpec,
  SourceSpec,
} from '../../../config/schema/source.ts';
import type { Field } from '../../../contract/fields.ts';
import type { Resource } from '../../../contract/resource.ts';

/** The mapping of a field that a source file does not name: its value is always `null`. */
const UNMAPPED: MappingSpec[string] = { from: [], as: [] };

/** The mapping of a field. A field that the source file does not name is `null` in every record. */
export function mappingOf(map: MappingSpec, { name }: Pick<Field, 'name'>): MappingSpec[string] {
  return map[name] ?? UNMAPPED;
}

/** The spec of the details, which are the fields that rows lack; `undefined` if the rows have all fields. */
export function detailsSpec({ list, get }: SourceResourceSpec): GetSpec | undefined {
  if (list.hydrate === undefined) return undefined;
  return list.hydrate === 'get' ? get : { ...list.hydrate, dropWhen: [] };
}

/** The path of the details in the source file, below the resource. */
export function detailsPlace({ list }: SourceResourceSpec): readonly string[] {
  return list.hydrate === 'get' ? ['get'] : ['list', 'hydrate'];
}

/** The fields that the rows of a list have; the id is one of them. */
export function rowFields({ list }: SourceResourceSpec, { itemFields }: Resource): readonly Field[] {
  if (list.hydrate === undefined) return itemFields;
  return itemFields.filter(({ kind, name }) => kind === 'id' || list.map[name] !== undefined);
}

/** The fields that only the details of a row have. */
export function detailFields(spec: SourceResourceSpec, resource: Resource): readonly Field[] {
  const there = rowFields(spec, resource);
  return resource.itemFields.filter((field) => !there.includes(field));
}

/** Whether the details of a row may say that the row is no record. */
export function dropsDetails({ list, get }: SourceResourceSpec): boolean {
  return list.hydrate === 'get' && get !== undefined && get.dropWhen.length > 0;
}

/** Whether Portico must fetch the details of all rows to know which rows are records. */
export function countsByDetails(spec: SourceResourceSpec, resource: Resource): boolean {
  if (dropsDetails(spec)) return true;
  return spec.onInvalidRecord === 'drop' && detailFields(spec, resource).some(({ required }) => required);
}

/** The views of a resource: rows of its list, details that rows lack, single records. */
export type RecordView = 'list' | 'details' | 'get';

/** A view's spec, its fields, and its path below the resource. */
export type ViewSpec = {
  readonly spec: ListSpec | GetSpec;
  readonly fields: readonly Field[];
  readonly place: readonly string[];
};

/** The spec of a view in a source file; `undefined` if there is no such view. */
export function viewSpecOf(
  spec: SourceResourceSpec,
  resource: Resource,
  view: RecordView,
): ViewSpec | undefined {
  if (view === 'list' && !resource.hasList) return undefined;
  if (view === 'list') return { spec: spec.list, fields: rowFields(spec, resource), place: ['list'] };
  if (view === 'get') return spec.get && { spec: spec.get, fields: resource.detailFields, place: ['get'] };
  const details = detailsSpec(spec);
  const ids = resource.itemFields.filter(({ kind }) => kind === 'id');
  const fields = [...ids, ...detailFields(spec, resource)];
  return details && { spec: details, fields, place: detailsPlace(spec) };
}

/** The mapping of all fields of a list's records, from rows and details. */
export function wholeMapping(spec: SourceResourceSpec): MappingSpec {
  return { ...detailsSpec(spec)?.map, ...spec.list.map };
}

/**
 * The operations whose answers have a field from the same place as the list. A single record may have it from another one, and
 * then it can be there although the rows of the list have lost it.
 */
export function operationsWithField(
  served: { readonly source: { readonly spec: SourceSpec }; readonly resource: Resource } | undefined,
  field: string,
): readonly string[] {
  const spec = served?.source.spec.resources[served.resource.name];
  if (served === undefined || spec === undefined) return [];
  const isSame = spec.get === undefined || isDeepStrictEqual(spec.get.map[field], wholeMapping(spec)[field]);
  return served.resource.operations.flatMap(({ kind, name }) => (kind === 'list' || isSame ? [name] : []));
}
