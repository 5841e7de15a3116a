// Checks fields that refer to records of another resource, because two sources may use the same id for
// different records. It notes in the sources which references are of the same ids.

import type { Field } from '../../contract/fields.ts';
import type { Resource } from '../../contract/resource.ts';
import type { GatewayConfig } from '../schema/gateway.ts';
import type { LoadedSource } from '../schema/loaded-config.ts';
import type { MappingSpec, SameIds, SourceResourceSpec } from '../schema/source.ts';
import type { Problem } from '../yaml/problem.ts';

/** The mapping of a field, or of the elements of a list, that refers to a resource. */
type MappedReference = {
  /** The name of the field; inside of a list, the name of the list comes first. */
  readonly name: string;
  readonly to: string;
  /** The path of its mapping in the file. */
  readonly at: readonly string[];
  /** Whether the file says `ids: same`. */
  readonly isSame: boolean;
  /** The line to write in the file so that it says `ids: same`. */
  readonly line: string;
};

const isSame = (mapping: object) => 'ids' in mapping && mapping.ids === 'same';

/** The references of one field. A field whose mapping has no path has none. */
function referencesIn(
  { name, to, list }: Field,
  mapping: MappingSpec[string] | undefined,
): readonly MappedReference[] {
  // An empty path is the record itself; no path is nothing.
  if (mapping === undefined || (typeof mapping.from !== 'string' && mapping.from.length === 0)) return [];
  const from = typeof mapping.from === 'string' ? mapping.from || "''" : `[${mapping.from.join(', ')}]`;
  const own = { name, at: [name], isSame: isSame(mapping) };
  if (to !== undefined) return [{ ...own, to, line: `${name}: { from: ${from}, ids: same }` }];
  if (list === undefined) return [];
  const each = ('each' in mapping ? mapping.each : undefined) ?? {};
  if ('kind' in list.of) {
    const line = `${name}: { from: ${from}, each: { ids: same } }`;
    const element = { name, at: [name, 'each'], isSame: isSame(each), line };
    return list.of.to === undefined ? [] : [{ ...element, to: list.of.to }];
  }
  return list.of.flatMap((inner) =>
    referencesIn(inner, each.map?.[inner.name]).map((found) => ({
      ...found,
      name: `${name}.${inner.name}`,
      at: [name, 'each', 'map', inner.name],
    })),
  );
}

/** All references in the mappings of a resource. */
function referencesOf(
  { hasList, list, get }: SourceResourceSpec,
  { itemFields, detailFields }: Resource,
): readonly MappedReference[] {
  const { hydrate } = list;
  const maps = [
    { at: ['list', 'map'], map: hasList ? list.map : {}, fields: itemFields },
    {
      at: ['list', 'hydrate', 'map'],
      map: typeof hydrate === 'object' ? hydrate.map : {},
      fields: itemFields,
    },
    { at: ['get', 'map'], map: get?.map ?? {}, fields: detailFields },
  ];
  return maps.flatMap(({ at, map, fields }) =>
    fields.flatMap((field) =>
      referencesIn(field, map[field.name]).map((found) => ({ ...found, at: [...at, ...found.at] })),
    ),
  );
}

/** Whether a resource is served from a source, or moves to it. In a move, both sources have the same public ids. */
function isServedFrom({ resources }: GatewayConfig, name: string, source: string): boolean {
  const served = resources[name];
  return served?.source === source || served?.migration?.to === source;
}

/** Adds to a source how other sources write the ids of the resources that they serve. */
export function withSameIds(source: LoadedSource, sameIds: SameIds | undefined): LoadedSource {
  return sameIds === undefined ? source : { ...source, spec: { ...source.spec, sameIds } };
}

/**
 * Reports references to a resource that another source serves, because the id 7 may be another record there. If the file
 * says `ids: same`, there is no problem, and the source learns how the other source writes its ids.
 */
export function checkReferences(
  gateway: GatewayConfig,
  sources: Map<string, LoadedSource>,
  problems: Problem[],
): void {
  for (const source of sources.values()) {
    const sameIds: Record<string, SameIds[string]> = {};
    for (const [name, spec] of Object.entries(source.spec.resources)) {
      const resource = gateway.contract.resources.get(name);
      for (const reference of resource === undefined ? [] : referencesOf(spec, resource)) {
        const { to } = reference;
        if (isServedFrom(gateway, to, source.spec.name)) continue;
        const ids = sources.get(gateway.resources[to]?.source ?? '')?.spec.resources[to]?.id;
        // `pattern` is left out, because the text around an id is special to the other service.
        if (ids !== undefined && reference.isSame) sameIds[to] = { id: { kind: ids.kind, form: ids.form } };
        const problem = isServedFrom(gateway, name, source.spec.name)
          ? problemOf(reference, source, gateway)
          : undefined;
        if (problem !== undefined)
          problems.push(source.yaml.problemAt(['resources', name, ...reference.at], ...problem));
      }
    }
    if (Object.keys(sameIds).length > 0) sources.set(source.spec.name, withSameIds(source, sameIds));
  }
}

/** The problem of a reference to a resource that its source does not serve; `undefined` if there is none. */
function problemOf(
  { name, to, line, ...reference }: MappedReference,
  { spec }: LoadedSource,
  { resources }: GatewayConfig,
): readonly [message: string, hint: string] | undefined {
  const served = resources[to];
  if (served === undefined)
    return reference.isSame
      ? [
          `no source serves ${to}, so nothing says which ids are the same`,
          `resources.${to} in the gateway file; or remove ids: same, and add resources.${to} with its id to this file`,
        ]
      : undefined;
  // If this source does not describe the resource, the compiler of the mapping reports it.
  if (reference.isSame || spec.resources[to] === undefined) return undefined;
  return [
    `${name} refers to ${to}, which "${served.source}" serves and not this source`,
    `${line}, if both sources have the same ids for ${to}; else no source can name them`,
  ];
}
