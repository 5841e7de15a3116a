// Gives each path that a list program reads a slot (the number under which the projection keeps its value), and lets the mapping
// read values from slots. So rows are mapped without parsing the reply into objects.

import type { MappingSpec, SourceSpec } from '../../../config/schema/source.ts';
import type { Field } from '../../../contract/fields.ts';
import type { Projection } from '../../../kernel/json/projection.ts';
import { ABSENT } from '../../../kernel/json/scan-json.ts';
import type { PathCompiler } from '../map/map-record.ts';
import { mappingOf } from '../map/row-fields.ts';
import { proofPaths } from '../read/credential-proof.ts';
import { keysOfPath } from '../spec/path.ts';
import type { Json } from '../../../kernel/json/json.ts';
import { createPlace, type WantedPlace } from '../../../kernel/json/learned-keys.ts';

/** The fields of a record, and the mapping of the source file for them. */
export type FieldMapping = { readonly fields: readonly Field[]; readonly map: MappingSpec };

/** The slots of each field's paths, in the order of the paths. */
export type FieldSlots = ReadonlyMap<string, readonly number[]>;

/** The paths of a reply that its response rules and the credential proof look at. */
export function outcomePaths(source: SourceSpec, on: 'list' | 'get'): readonly string[] {
  const rules = source.outcomes.filter((rule) => rule.on === undefined || rule.on === on);
  return [...rules.flatMap(({ at }) => at ?? []), ...proofPaths(source)];
}

/** The slots of some paths below the keys `below`; `undefined` if a path does not consist of keys alone. */
export function slotsAt(
  from: string | readonly string[],
  slots: KeySlots,
  below: readonly string[] = [],
): readonly number[] | undefined {
  const found: number[] = [];
  for (const path of [from].flat()) {
    const keys = keysOfPath(path);
    if (keys === undefined) return undefined;
    found.push(slots.at([...below, ...keys]));
  }
  return found;
}

/** The slots of all fields, below the keys `below`; `undefined` if a path of a field does not consist of keys alone. */
export function fieldSlots(
  { fields, map }: FieldMapping,
  slots: KeySlots,
  below: readonly string[] = [],
): FieldSlots | undefined {
  const slotsOf = new Map<string, readonly number[]>();
  for (const field of fields) {
    const found = slotsAt(mappingOf(map, field).from, slots, below);
    if (found === undefined) return undefined;
    slotsOf.set(field.name, found);
  }
  return slotsOf;
}

/** Creates the `PathCompiler` with which a mapping reads the values of its fields from the slots of a projection. */
export function slotPaths(
  projection: Projection,
  { fields, map }: FieldMapping,
  slotsOf: FieldSlots,
): PathCompiler {
  const slots = new Map<string | readonly string[], readonly number[]>(
    fields.map((field) => [mappingOf(map, field).from, slotsOf.get(field.name) ?? []]),
  );
  return (from) => (slots.get(from) ?? []).map((slot) => () => projection.valueIn(slot));
}

/**
 * Counts the rows that have nothing but an id. If a reply has such rows and other rows, they may be ghost records, so the
 * general reader has to decide.
 */
export class BareRows {
  count = 0;
  private readonly kinds: Uint8Array;
  private readonly slots: readonly number[];

  constructor({ kinds }: Projection, { fields }: FieldMapping, slotsOf: FieldSlots) {
    this.kinds = kinds;
    this.slots = fields.flatMap(({ kind, name }) => (kind === 'id' ? [] : (slotsOf.get(name) ?? [])));
  }

  /** Counts the current row if it has nothing but an id. */
  add(): void {
    const { kinds, slots } = this;
    for (const slot of slots) if (kinds[slot] !== ABSENT) return;
    if (slots.length > 0) this.count += 1;
  }

  /** Whether some of the rows of a reply have nothing but an id, and others have more. `rows` is the number of all rows. */
  areSome(rows: number): boolean {
    return this.count > 0 && this.count < rows;
  }
}

type KeyPath = readonly string[];
type Wanted = { readonly keys: KeyPath; readonly slot: number };

/** Gives each path of keys a slot. Equal paths share a slot. */
export class KeySlots {
  readonly wanted: Wanted[] = [];
  private readonly first: number;
  private readonly known = new Map<string, number>();

  constructor(first: number) {
    this.first = first;
  }

  /** The slot of a path. */
  at(keys: KeyPath): number {
    const name = JSON.stringify(keys);
    const slot = this.known.get(name) ?? this.first + this.wanted.length;
    if (!this.known.has(name)) this.wanted.push({ keys, slot });
    this.known.set(name, slot);
    return slot;
  }
}

/**
 * Makes a tree of the places of the wanted values in a document, or in a row. `undefined` if a wanted value contains the rows
 * or is inside of them.
 */
export function placesOf(
  wanted: readonly Wanted[],
  rows?: { readonly at: KeyPath; readonly row: WantedPlace },
): WantedPlace | undefined {
  const slot = wanted.find(({ keys }) => keys.length === 0)?.slot ?? -1;
  if (rows !== undefined && slot !== -1) return undefined;
  if (rows?.at.length === 0) return wanted.length > 0 ? undefined : createPlace(-1, new Map(), rows.row);
  const inner = rows === undefined ? wanted : [...wanted, { keys: rows.at, slot: -1 }];
  const children = new Map<string, WantedPlace>();
  for (const key of new Set(inner.flatMap(({ keys }) => keys[0] ?? []))) {
    const below = wanted.filter(({ keys }) => keys[0] === key);
    const child = placesOf(
      below.map(({ keys, ...one }) => ({ keys: keys.slice(1), ...one })),
      rows?.at[0] === key ? { at: rows.at.slice(1), row: rows.row } : undefined,
    );
    if (child === undefined) return undefined;
    children.set(key, child);
  }
  return createPlace(slot, children);
}

/**
 * Makes a document of the wanted values that a projection has found. It has all values that the paths of the source file read.
 */
export function wantedDocument(projection: Projection, { wanted }: WantedPlace): Json {
  const document = Object.create(null) as Record<string, Json>;
  for (const [key, child] of wanted) {
    if (child.rows !== undefined) continue;
    const value = child.slot === -1 ? wantedDocument(projection, child) : projection.valueIn(child.slot);
    if (value !== undefined) document[key] = value;
  }
  return document;
}
