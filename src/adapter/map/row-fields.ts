import type { GetSpec, ListSpec, MappingSpec, SourceResourceSpec } from '../../config/schema/source.ts';
import type { Field } from '../../contract/fields.ts';
import type { Resource } from '../../contract/resources.ts';

/** How the details of a row are asked for and read; `undefined` where the rows of the list have all fields. */
export function detailsSpec({ list, get }: SourceResourceSpec): GetSpec | undefined {
  if (list.hydrate === undefined) return undefined;
  return list.hydrate === 'get' ? get : { ...list.hydrate, dropWhen: [] };
}

/** Where the mapping of the details stands, below the resource. */
export function detailsPlace({ list }: SourceResourceSpec): readonly string[] {
  return list.hydrate === 'get' ? ['get'] : ['list', 'hydrate'];
}

/** The fields of a list's records that its rows have; the id is one of them. */
export function rowFields({ list }: SourceResourceSpec, { itemFields }: Resource): readonly Field[] {
  if (list.hydrate === undefined) return itemFields;
  return itemFields.filter(({ kind, name }) => kind === 'id' || list.map[name] !== undefined);
}

/** The fields of a list's records that only their details have. */
export function detailFields(spec: SourceResourceSpec, resource: Resource): readonly Field[] {
  const there = rowFields(spec, resource);
  return resource.itemFields.filter((field) => !there.includes(field));
}

/** What is read of a resource: rows of its list, what only their details have, single records. */
export type RecordView = 'list' | 'details' | 'get';

/** How a view is asked for and read, its fields, and where it stands below the resource. */
export type ViewSpec = {
  readonly spec: ListSpec | GetSpec;
  readonly fields: readonly Field[];
  readonly place: readonly string[];
};

/** What a source's file says of a view; `undefined` where it has none of the kind. */
export function viewSpecOf(
  spec: SourceResourceSpec,
  resource: Resource,
  view: RecordView,
): ViewSpec | undefined {
  if (view === 'list') return { spec: spec.list, fields: rowFields(spec, resource), place: ['list'] };
  if (view === 'get') return spec.get && { spec: spec.get, fields: resource.detailFields, place: ['get'] };
  const details = detailsSpec(spec);
  const ids = resource.itemFields.filter(({ kind }) => kind === 'id');
  const fields = [...ids, ...detailFields(spec, resource)];
  return details && { spec: details, fields, place: detailsPlace(spec) };
}

/** Where the fields of a list's records come from, be it the row or its details. */
export function wholeMapping(spec: SourceResourceSpec): MappingSpec {
  return { ...detailsSpec(spec)?.map, ...spec.list.map };
}
