// Lets the metrics, the quality report and the list checks learn how a reply was read (rules, records, missing values),
// although the readers know none of them.

import type { CanonicalRecord } from '../../../contract/response-body.ts';
import type { Json } from '../../../kernel/json/json.ts';
import type { JsonType } from '../../../kernel/json/values.ts';
import type { MissingReason, OnMissingValue } from './map-record.ts';
import type { RecordView } from './row-fields.ts';

/** Learns which outcome rule decided about a reply. */
export type RuleObserver = {
  /** Called once for each reply, with the index of the rule in the source file; `undefined`: no rule matched. */
  readonly onRule: (rule: number | undefined) => void;
};

/** Learns how a reply was read: the rule that decided about it, its records, and the values that they lack. */
export type ReplyObserver = RuleObserver & {
  readonly onMissingValue: OnMissingValue;
  /** Called with the JSON type of each value of a field that has filters, and with the id of its record. It costs time. */
  readonly onType?: ((field: string, id: string, type: JsonType) => void) | undefined;
  /** If true, ghost records are returned as well. */
  readonly keepsGhosts?: true;
  /**
   * Called with the records of each usable reply, before `onMissingValue`. If it is given, `onMissingValue` is called for
   * usable replies only, and not for values that are `absent`.
   */
  readonly onRecords?:
    ((view: RecordView, records: ReadRecords, missingValues: readonly MissingValue[]) => void) | undefined;
};

/**
 * Reads a reply, and then passes its records to the observer if the observer has `onRecords`. Missing values are reported after
 * the whole reply is read, because those of a reply that fails belong to no record.
 */
export function readObserved<T>(
  view: RecordView,
  observer: ReplyObserver,
  readWith: (observer: ReplyObserver) => T,
  recordsOf: (result: T) => ReadRecords,
): T {
  const { onMissingValue, onRecords } = observer;
  if (onRecords === undefined) return readWith(observer);
  const missingValues: MissingValue[] = [];
  const keep: OnMissingValue = (field, reason, found, row) =>
    missingValues.push({ field, reason, found, row });
  const result = readWith({ ...observer, onMissingValue: keep });
  onRecords(view, recordsOf(result), missingValues);
  for (const { field, reason, found } of missingValues)
    if (reason !== 'absent') onMissingValue(field, reason, found);
  return result;
}

/** Records as the bytes of a list's body, in place of objects. */
export type WrittenRecords = {
  readonly length: number;
  /** The records as JSON, with commas between them. */
  readonly bytes: Buffer;
  /** The offset in `bytes` at which each record ends. */
  readonly ends: readonly number[];
  /** The cache tags of the records, such as `users:42`, with spaces between. */
  readonly tags: string;
  /** Whether the ids are in the contract's order. */
  readonly isAscending: boolean;
  /** How many records of a reply have `null`, by field; fields that have none are absent, and all are for several replies. */
  readonly nulls?: ReadonlyMap<string, number>;
};

/** Records as objects, or as the bytes of an answer. */
export type ReadRecords = readonly CanonicalRecord[] | WrittenRecords;

/** A value that a record lacks, with the number of the record among those of its reply. */
export type MissingValue = {
  readonly field: string;
  readonly reason: MissingReason;
  readonly found: Json | undefined;
  readonly row: number | undefined;
};

/** An observer that ignores everything. */
export const UNOBSERVED: ReplyObserver = { onMissingValue: () => undefined, onRule: () => undefined };

/** What a program (of the folder `row-program`) has found in a reply for its observer. */
export type Observed = {
  readonly rule: number;
  readonly missingValues: readonly Parameters<OnMissingValue>[];
};

/** Tells an observer what a program has found in a reply. */
export function notifyObserver(
  { onMissingValue, onRule }: ReplyObserver,
  { rule, missingValues }: Observed,
): void {
  onRule(rule);
  for (const missing of missingValues) onMissingValue(...missing);
}
