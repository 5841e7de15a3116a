// The values that a source file reads from a document: their slots, their places, and a document of these values alone.

import type { Json } from '../../../kernel/json/json.ts';
import { createPlace, type WantedPlace } from '../../../kernel/json/learned-keys.ts';
import type { Projection } from '../../../kernel/json/projection.ts';

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
