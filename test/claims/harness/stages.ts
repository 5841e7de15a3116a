import { inOrder, isSelected, type ModelRecord } from '../../support/model/contract-model.ts';
import type { HttpReply } from '../../support/upstream/scripted-upstream.ts';
import type { Ask } from './ask.ts';
import type { StoredRecord } from './records.ts';
import type { Traits } from './traits.ts';

/** Rows of a window, and where the next one begins, if there is one. */
export type Windowed = { readonly rows: readonly StoredRecord[]; readonly next: number | undefined };

/** A row as the service writes it. */
export type WrittenRow = Readonly<Record<string, unknown>>;

/**
 * How a service answers, step by step. Each step takes what is asked first, so that a faulty service can depend on it. A faulty service
 * replaces some of the steps, mostly by the correct one with something done to what goes in or comes out.
 */
export type Stages = {
  /** What is asked, as the service understands it. */
  readonly ask: (ask: Ask) => Ask;
  readonly matches: (ask: Ask, record: ModelRecord) => boolean;
  /** The rows that match, of all there are. */
  readonly select: (ask: Ask, all: readonly StoredRecord[]) => readonly StoredRecord[];
  readonly order: (ask: Ask, rows: readonly StoredRecord[]) => readonly StoredRecord[];
  readonly window: (ask: Ask, rows: readonly StoredRecord[]) => Windowed;
  readonly total: (ask: Ask, matched: number, all: number) => number;
  readonly row: (ask: Ask, row: WrittenRow) => WrittenRow;
  /** The reply to a list, a count, or a question for one record. */
  readonly reply: (ask: Ask, reply: HttpReply) => HttpReply;
  /** The record with a native id. */
  readonly find: (ask: Ask, all: readonly StoredRecord[]) => StoredRecord | undefined;
  /** Whether a request without the key is refused. */
  readonly refuses: (ask: Ask, hasKey: boolean) => boolean;
};

/** The native id of a record. */
export const nativeOf = ({ id }: ModelRecord): string => id.replace(/^\w+?_/, '');

/** Rows sorted by the order of their records. */
export function byRecords(
  rows: readonly StoredRecord[],
  sort: (records: readonly ModelRecord[]) => readonly ModelRecord[],
): readonly StoredRecord[] {
  const rowsOf = new Map(rows.map((row) => [row.record, row]));
  return sort(rows.map(({ record }) => record)).map((record) => rowsOf.get(record)!);
}

/** An order of its own, the same for the same rows. */
function ownOrder(rows: readonly StoredRecord[]): readonly StoredRecord[] {
  const rank = ({ record }: StoredRecord) =>
    Array.from(record.id).reduce((sum, c) => (sum * 31 + c.charCodeAt(0)) % 10_007, 7);
  return [...rows].sort((a, b) => rank(a) - rank(b) || (a.record.id < b.record.id ? -1 : 1));
}

/** Sorts rows as the contract does, but the same rows only once: a service is asked many times. */
function createSorter() {
  const ranks = new Map<string, ReadonlyMap<StoredRecord, number>>();

  function ranksOf(rows: readonly StoredRecord[], field: string, descending: boolean) {
    const key = `${field} ${String(descending)}`;
    const known = ranks.get(key);
    if (known !== undefined && rows.every((row) => known.has(row))) return known;
    const all = [...new Set([...rows, ...(known?.keys() ?? [])])];
    const sorted = byRecords(all, (records) => inOrder(records, field, descending));
    const made = new Map(sorted.map((row, rank) => [row, rank]));
    ranks.set(key, made);
    return made;
  }

  return (rows: readonly StoredRecord[], field: string, descending: boolean): readonly StoredRecord[] => {
    const rank = ranksOf(rows, field, descending);
    return [...rows].sort((a, b) => rank.get(a)! - rank.get(b)!);
  };
}

function windowOf({ window, pastEnd }: Traits, ask: Ask, rows: readonly StoredRecord[]): Windowed {
  if (window === 'none') return { rows, next: undefined };
  let { first } = ask;
  const { after, size } = ask;
  if (after !== undefined) first = rows.findIndex(({ record }) => nativeOf(record) === after) + 1;
  if (first >= rows.length && pastEnd === 'last')
    first = Math.floor(Math.max(0, rows.length - 1) / size) * size;
  const end = first + size;
  return { rows: rows.slice(first, end), next: end < rows.length ? end : undefined };
}

/** A row as the correct service writes it: prices are numbers with their digits. */
export function writeRow(traits: Traits, { record, deleted }: StoredRecord): WrittenRow {
  const { id, ...fields } = record;
  const native = nativeOf({ id });
  const price = record['price'];
  return {
    id: traits.ids === 'number' && /^\d+$/.test(native) ? JSON.rawJSON(native) : native,
    ...fields,
    ...('price' in fields && { price: typeof price === 'string' ? JSON.rawJSON(price) : null }),
    ...(traits.marks && { deleted }),
  };
}

/** The steps of the correct service. */
export function correctStages(traits: Traits): Stages {
  const sorted = createSorter();
  return {
    ask: (ask) => ask,
    matches: isSelected,
    select: (_ask, all) => all,
    order: ({ sort }, rows) => {
      if (sort !== undefined) return sorted(rows, sort.field, sort.descending);
      return traits.order === 'id' ? sorted(rows, 'id', false) : ownOrder(rows);
    },
    window: (ask, rows) => windowOf(traits, ask, rows),
    total: (_ask, matched, all) => (traits.counts === 'all' ? all : matched),
    row: (_ask, row) => row,
    reply: (_ask, reply) => reply,
    find: ({ id }, all) => all.find(({ record }) => nativeOf(record) === id),
    refuses: (_ask, hasKey) => traits.key && !hasKey,
  };
}
