// Notes in a few bits which fields a record lacks, and compares records that are read again with their earlier states, for the
// list watch.

import type { MissingValue, ReadRecords } from '../../source/adapter/map/reply-observer.ts';
import type { Field } from '../../contract/fields.ts';
import type { Resource } from '../../contract/resource.ts';
import { cacheTagOf } from '../../source/adapter/row-program/written-records.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { MissingRate } from './missing-rate.ts';

/** Why a record has no value for a field: its key is gone, or its value cannot be read. */
export type LackKind = 'gone' | 'unreadable';

/** The state of a record: two bits for each field, which say that its key is gone or that its value is unreadable. */
export type RecordState = { readonly id: string; readonly bits: number };

/** The most fields that fit into a 32-bit integer with two bits for each. */
const FIELDS_MAX = 15;

/** The meaning of one bit: its field, why the value is missing, and the name of its alarm, such as `field.email.gone`. */
export type FieldBit = { readonly field: string; readonly kind: LackKind; readonly claim: string };

/** The bits of fields, in order. The id has none, because a record without an id is dropped. */
export function fieldBits(fields: readonly Field[]): readonly FieldBit[] {
  const counted = fields.filter(({ kind }) => kind !== 'id').slice(0, FIELDS_MAX);
  return counted.flatMap(({ name: field }) =>
    (['gone', 'unreadable'] as const).map((kind) => ({ field, kind, claim: `field.${field}.${kind}` })),
  );
}

/** The states of the records of a reply, in their order. */
export function statesOf(
  resource: Resource,
  bits: readonly FieldBit[],
  records: ReadRecords,
  missingValues: readonly MissingValue[],
): readonly RecordState[] {
  const masks = new Int32Array(records.length);
  for (const { field, reason, row = 0 } of missingValues) {
    const kind = reason === 'unreadable' ? 'unreadable' : 'gone';
    const bit = bits.findIndex((one) => one.field === field && one.kind === kind);
    if (bit !== -1 && row < masks.length) masks[row] = (masks[row] ?? 0) | (1 << bit);
  }
  const ids = 'tags' in records ? records.tags.split(' ') : records.map(({ id }) => cacheTagOf(resource, id));
  return Array.from(masks, (mask, row) => ({ id: ids[row] ?? '', bits: mask }));
}

/** A cheap digest of a reply: `key` changes with its records, `missingValues` with the values that they lack. */
export function digestOf(
  records: ReadRecords,
  missingValues: readonly MissingValue[],
): { key: string; missingValues: number } {
  const { length } = records;
  const [first, last] =
    'tags' in records
      ? [records.tags.split(' ', 1)[0], records.tags.slice(records.tags.lastIndexOf(' ') + 1)]
      : [records[0]?.id, records[length - 1]?.id];
  let sum = 0;
  for (const { field, reason, row = 0 } of missingValues)
    sum = (sum * 31 + field.length * 7 + field.charCodeAt(0) + reason.length + row * 131) | 0;
  return { key: `${first} ${last} ${length}`, missingValues: sum };
}

type Seen = { before: number; now: number; window: number; isPaired: boolean };

const WINDOW_MS = 5 * 60_000;
/** The most records that a process follows; a few hundred would show a change as well. */
const RECORDS_FOLLOWED = 5_000;

/**
 * Creates the comparison of records that are read again within some minutes, each with its own earlier state. So nothing
 * seems to change if callers only ask for other records, or if old records lack what new ones have. `bits` is the number
 * of bits in a state.
 */
export function createPairedReads(bits: number, clock: Pick<Clock, 'now'>) {
  const seen = new Map<string, Seen>();
  const counts = { before: new Int32Array(bits), now: new Int32Array(bits) };
  let pairs = 0;
  let current = -1;

  function count({ before, now, isPaired }: Seen, sign: number): void {
    if (!isPaired) return;
    pairs += sign;
    if ((before | now) === 0) return;
    for (let bit = 0; bit < bits; bit += 1) {
      if ((before >> bit) & 1) counts.before[bit] = (counts.before[bit] ?? 0) + sign;
      if ((now >> bit) & 1) counts.now[bit] = (counts.now[bit] ?? 0) + sign;
    }
  }

  function restart(): void {
    pairs = 0;
    counts.before.fill(0);
    counts.now.fill(0);
  }

  function turn(): number {
    const window = Math.floor(clock.now() / WINDOW_MS);
    if (window === current) return window;
    current = window;
    restart();
    for (const [id, one] of seen) if (one.window < window - 1) seen.delete(id);
    return window;
  }

  return {
    /** Returns the number of the present five minutes. Records that were last read before the previous five are forgotten. */
    window: turn,
    /**
     * Adds the records of a reply. For each record, its last state is compared with its state in the window before. `raised`
     * has the bits with an alarm: a record that lacked such a field is remembered as lacking it, so that a return is seen.
     */
    add(states: readonly RecordState[], raised: number): void {
      const window = turn();
      for (const { id, bits: now } of states) {
        const one = seen.get(id);
        if (one === undefined) {
          if (seen.size < RECORDS_FOLLOWED) seen.set(id, { before: now, now, window, isPaired: false });
          continue;
        }
        if (one.window === window) count(one, -1);
        else one.before = one.now;
        Object.assign(one, { before: one.before | (one.now & raised), now, window, isPaired: true });
        count(one, 1);
      }
    },
    /** How many of the compared records lacked a field before, and how many do now. */
    ratesOf: (bit: number): { readonly before: MissingRate; readonly now: MissingRate } => ({
      before: { records: pairs, without: counts.before[bit] ?? 0 },
      now: { records: pairs, without: counts.now[bit] ?? 0 },
    }),
    /** Forgets all records, so that what they lack from now on counts as normal. */
    clear(): void {
      seen.clear();
      restart();
    },
  };
}
