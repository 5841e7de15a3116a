import type { MappingSpec } from '../../../config/schema/source.ts';
import type { Field } from '../../../contract/fields.ts';
import type { Projection } from '../../../kernel/json/projection.ts';
import { ABSENT } from '../../../kernel/json/scan-json.ts';
import type { PathCompiler } from '../map/map-record.ts';
import { keysOfPath } from '../spec/path.ts';
import type { KeySlots } from './wanted-paths.ts';

/** What records are mapped by. */
export type FieldMapping = { readonly fields: readonly Field[]; readonly map: MappingSpec };

/** The slots of each field's paths, in the order of the paths. */
export type FieldSlots = ReadonlyMap<string, readonly number[]>;

/** The slots of some paths; `undefined` if one of them has more than keys. */
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

/** The slots of all fields, `below` some keys; `undefined` where a path of a field has more than keys. */
export function fieldSlots(
  { fields, map }: FieldMapping,
  slots: KeySlots,
  below: readonly string[] = [],
): FieldSlots | undefined {
  const slotsOf = new Map<string, readonly number[]>();
  for (const { name } of fields) {
    const found = map[name] && slotsAt(map[name].from, slots, below);
    if (found === undefined) return undefined;
    slotsOf.set(name, found);
  }
  return slotsOf;
}

/** Has a mapping find the values of its fields in the slots of a projection. */
export function slotPaths(
  projection: Projection,
  { fields, map }: FieldMapping,
  slotsOf: FieldSlots,
): PathCompiler {
  const slots = new Map<string | readonly string[], readonly number[]>(
    fields.map(({ name }) => [map[name]?.from ?? [], slotsOf.get(name) ?? []]),
  );
  return (from) => (slots.get(from) ?? []).map((slot) => () => projection.valueIn(slot));
}

/**
 * Counts the rows in which nothing stands at any path but that of the id. If only some rows of a reply are such, they may be
 * ghost records, which the general reader tells.
 */
export class BareRows {
  count = 0;
  private readonly kinds: Uint8Array;
  private readonly slots: readonly number[];

  constructor({ kinds }: Projection, { fields }: FieldMapping, slotsOf: FieldSlots) {
    this.kinds = kinds;
    this.slots = fields.flatMap(({ kind, name }) => (kind === 'id' ? [] : (slotsOf.get(name) ?? [])));
  }

  /** Looks at the row in the slots. */
  add(): void {
    const { kinds, slots } = this;
    for (const slot of slots) if (kinds[slot] !== ABSENT) return;
    if (slots.length > 0) this.count += 1;
  }

  /** Whether some of the rows are bare, and others are not. */
  areSome(rows: number): boolean {
    return this.count > 0 && this.count < rows;
  }
}
