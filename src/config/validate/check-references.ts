import type { Field } from '../../contract/fields.ts';
import type { Resource } from '../../contract/resource.ts';
import type { GatewayConfig } from '../schema/gateway.ts';
import type { LoadedSource } from '../schema/loaded-config.ts';
import type { MappingSpec, SameIds, SourceResourceSpec } from '../schema/source.ts';
import type { Problem } from '../yaml/problem.ts';

/** A field, or the element of a list, that refers to a resource, as a source file maps it. */
type MappedReference = {
  /** Its name, after that of its list. */
  readonly name: string;
  readonly to: string;
  /** Where its mapping stands. */
  readonly at: readonly string[];
  /** Whether the file says `ids: same`. */
  readonly isSame: boolean;
  /** What to write for that. */
  readonly line: string;
};

const isSame = (mapping: object) => 'ids' in mapping && mapping.ids === 'same';

/** The references that one field has, whose mapping has a path. */
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

/** All references of a resource in the maps of its views. */
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

/** Whether a resource is served from a source, or moves there: then both sources have the same public ids. */
function isServedFrom({ resources }: GatewayConfig, name: string, source: string): boolean {
  const served = resources[name];
  return served?.source === source || served?.migration?.to === source;
}

/** A source that knows the ids of resources which other sources serve. */
export function withSameIds(source: LoadedSource, sameIds: SameIds | undefined): LoadedSource {
  return sameIds === undefined ? source : { ...source, spec: { ...source.spec, sameIds } };
}

/**
 * Refuses references to a resource that another source serves: the number 7 may be somebody else there. If the file says
 * `ids: same`, the source learns how the other one has its ids.
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
        // The text around an id is that of the other service.
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

/** What is wrong with a reference to a resource that its source does not serve. */
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
  // If this source does not describe the resource, that is told where the mapping is compiled.
  if (reference.isSame || spec.resources[to] === undefined) return undefined;
  return [
    `${name} refers to ${to}, which "${served.source}" serves and not this source`,
    `${line}, if both sources have the same ids for ${to}; else no source can name them`,
  ];
}
