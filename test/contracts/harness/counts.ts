import { isList, RELATIONS } from '../generate/contract.ts';
import type { Leaf } from '../oracle/model.ts';

type Cell = { pushed: number; scanned: number; nulls: number };

/** How often each pair of a kind and what is asked of it was seen. */
export type Counts = {
  ofFilter(kind: string, is: string): number;
  ofSort(kind: string): number;
  filter(kind: string, is: string, seen: { isPushed: boolean; hasNulls: boolean }): void;
  sort(kind: string, isDescending: boolean, seen: { isPushed: boolean; hasNulls: boolean }): void;
  /** How many different pairs were seen. */
  seen(): number;
  /** A table of all pairs. */
  lines(): readonly string[];
  /** The pairs that were seen less often than so many times; for what sources cannot be asked, scanned alone counts. */
  rare(least: number): readonly string[];
};

/** What source files can have a source asked for. */
const ASKABLE: Readonly<Record<string, readonly string[]>> = {
  id: ['one_of'],
  text: ['equal'],
  integer: ['equal', 'one_of', 'at_least', 'at_most'],
  decimal: ['equal', 'one_of', 'at_least', 'at_most'],
  boolean: ['equal'],
  datetime: ['equal', 'at_least', 'at_most'],
  date: ['equal', 'at_least', 'at_most'],
  enum: ['equal', 'one_of'],
  reference: ['equal', 'one_of'],
};
const ORDERS = ['ascending', 'descending'];

/** The name under which the kind of a field is counted: lists are told apart by what they have. */
export function countedAs({ kind, list }: Leaf): string {
  return list === undefined ? kind : `list of ${'kind' in list.of ? list.of.kind : 'objects'}`;
}

/** Begins to count how often each kind is asked in each way. */
export function createCounts(): Counts {
  const cells = new Map<string, Cell>();
  const pairs = Object.entries(RELATIONS).flatMap(([kind, own]) => [
    ...own.map((is) => ({
      name: `${kind} ${is}`,
      isAskable: ASKABLE[kind]?.includes(is) === true,
      canLack: kind !== 'id',
    })),
    ...(isList(kind) ? [] : ORDERS).map((way) => ({
      name: `${kind} ${way}`,
      isAskable: true,
      canLack: kind !== 'id',
    })),
  ]);
  for (const { name } of pairs) cells.set(name, { pushed: 0, scanned: 0, nulls: 0 });
  const total = (name: string) => {
    const { pushed, scanned } = cells.get(name)!;
    return pushed + scanned;
  };
  function add(name: string, { isPushed, hasNulls }: { isPushed: boolean; hasNulls: boolean }): void {
    const cell = cells.get(name)!;
    cell[isPushed ? 'pushed' : 'scanned'] += 1;
    if (hasNulls) cell.nulls += 1;
  }
  return {
    ofFilter: (kind, is) => total(`${kind} ${is}`),
    ofSort: (kind) => total(`${kind} ascending`) + total(`${kind} descending`),
    filter: (kind, is, seen) => add(`${kind} ${is}`, seen),
    sort: (kind, isDescending, seen) => add(`${kind} ${isDescending ? 'descending' : 'ascending'}`, seen),
    seen: () => [...cells.keys()].filter((name) => total(name) > 0).length,
    lines: () => [
      'kind and filter or order | pushed | scanned | with nulls',
      ...pairs.map(({ name, isAskable, canLack }) => {
        const { pushed, scanned, nulls } = cells.get(name)!;
        return `${name} | ${isAskable ? pushed : '–'} | ${scanned} | ${canLack ? nulls : '–'}`;
      }),
    ],
    rare: (least) =>
      pairs.flatMap(({ name, isAskable, canLack }) => {
        const { pushed, scanned, nulls } = cells.get(name)!;
        const isRare = (isAskable && pushed < least) || scanned < least || (canLack && nulls < least);
        return isRare ? [name] : [];
      }),
  };
}
