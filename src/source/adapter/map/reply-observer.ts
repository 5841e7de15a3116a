import type { CanonicalRecord } from '../../../contract/response-body.ts';
import type { Json } from '../../../kernel/json/json.ts';
import type { JsonType } from '../../../kernel/json/values.ts';
import type { MissingReason, OnMissingValue } from './map-record.ts';
import type { RecordView } from './row-fields.ts';

/** Learns the index of the rule that decided a reply, once for each reply; `undefined`: no rule matched. */
export type OnRule = (rule: number | undefined) => void;

/** Learns which rule decides a reply. */
export type RuleObserver = { readonly onRule: OnRule };

/** Learns how a reply is read: which rule decides it, and what its records lack. */
export type ReplyObserver = RuleObserver & {
  readonly onMissingValue: OnMissingValue;
  /** Learns the JSON type of each value of a field that has filters, by the id of its record. It costs time. */
  readonly onType?: ((field: string, id: string, type: JsonType) => void) | undefined;
  /** Takes ghost records, too, to say how they are left out. */
  readonly keepsGhosts?: true;
  /** Called with the records of each usable reply and with what they lack; absent where nobody compares them. */
  readonly onRecords?: (
    view: RecordView,
    records: ReadRecords,
    missingValues: readonly MissingValue[],
  ) => void;
};

/** Records as they stand in the body of a list, in place of records in memory. */
export type WrittenRecords = {
  readonly length: number;
  /** The records as JSON, with commas between them. */
  readonly bytes: Buffer;
  /** Where each record ends. */
  readonly ends: readonly number[];
  /** What is purged with each record, such as `user:42`, with spaces between. */
  readonly tags: string;
  /** Whether each id comes behind the one before it in the contract's order. */
  readonly isAscending: boolean;
  /** How many records of a reply have `null` for each field, the id left out; absent for records of several replies. */
  readonly nulls?: ReadonlyMap<string, number>;
};

/** Records as such, or as the bytes of an answer. */
export type ReadRecords = readonly CanonicalRecord[] | WrittenRecords;

/** A value that a record lacks, with the number of the record among those of its reply. */
export type MissingValue = {
  readonly field: string;
  readonly reason: MissingReason;
  readonly found: Json | undefined;
  readonly row: number | undefined;
};

/** The observer of a reply of which nothing is counted. */
export const UNOBSERVED: ReplyObserver = { onMissingValue: () => undefined, onRule: () => undefined };

/** What a reader of bytes has found in a reply for its observer. */
export type Observed = {
  readonly rule: number;
  readonly missingValues: readonly Parameters<OnMissingValue>[];
};

/**
 * Tells an observer what a reader of bytes has found in a reply. The rule is told here, once: who reads the reply again
 * tells nothing.
 */
export function notifyObserver(
  { onMissingValue, onRule }: ReplyObserver,
  { rule, missingValues }: Observed,
): void {
  onRule(rule);
  for (const missing of missingValues) onMissingValue(...missing);
}
