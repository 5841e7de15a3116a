// The types of a comparison: what differs, the verdict, and the sample without values that is kept of it.

import type { Decimal } from '../../kernel/decimal.ts';
import type { Origin } from '../../kernel/upstream-call.ts';

/** A value that differs: of a field, a total, a status, or the ids of an order. */
export type ComparedValue = string | number | Decimal | null | readonly string[];

/**
 * One difference between two answers. The path has no indices: `data.name`, `data[].profile.bio`, `data[].id` for records that only
 * one list has, `data[]` for their order, `meta.total`, `status`. Types cannot differ: v1 fields have one each.
 */
export type AnswerDifference = {
  readonly path: string;
  /**
   * `missing`, `extra`: the new or the legacy value is `null`. `missing_id`, `extra_id`: a record that only the legacy
   * or the new list has; `boundary`: one at an edge of its page, which may be on another page of the other list, or, without
   * an `id`, two pages without a common record. `tie_order`: the order differs only among
   * records that are equal in what the list is sorted by.
   */
  readonly kind:
    | 'value'
    | 'missing'
    | 'extra'
    | 'order'
    | 'tie_order'
    | 'missing_id'
    | 'extra_id'
    | 'total'
    | 'boundary'
    | 'status';
  /** The v1 id of the record, where it is about one. */
  readonly id?: string | undefined;
  /** Of a `boundary` with an id: the list whose page has the record. */
  readonly only?: Origin | undefined;
  readonly legacy?: ComparedValue | undefined;
  readonly new?: ComparedValue | undefined;
};

/**
 * The result of a comparison. Only the first four say something about the data. `transient`: the sources agreed when they were
 * asked again, but the legacy source never said what the new one had said first. `odd`: the new source failed at a question
 * for which the legacy one has no record; that is reported, and never judged.
 */
export type ComparisonVerdict =
  | 'match'
  | 'ignored'
  | 'transient'
  | 'mismatch'
  | 'inconclusive'
  | 'failed_new'
  | 'failed_legacy'
  | 'failed_both'
  | 'odd';

/** What the new source has said once, and the legacy source has not confirmed. */
export type TransientDifferences = {
  /** One for each field and record; without values. */
  readonly differences: readonly DifferenceSample[];
  /** Whether the new source has changed its answer within some milliseconds, without a wait in between. */
  readonly isAtOnce: boolean;
  /** Whether a caller was given that answer. */
  readonly isGiven: boolean;
};

/** One finished comparison: the question and the result. */
export type Comparison = {
  readonly resource: string;
  readonly operation: string;
  /** The canonical query, see `queryKey`: distinct for distinct questions. */
  readonly query: string;
  readonly verdict: ComparisonVerdict;
  /** The confirmed differences that count, and those that a rule ignores. Neither has values of records. */
  readonly differences: readonly DifferenceSample[];
  readonly ignored: readonly DifferenceSample[];
  /** Present where there were some, whatever the verdict. */
  readonly transient?: TransientDifferences | undefined;
  /** How long each source took for the same question, in milliseconds; absent where it failed. */
  readonly legacyMs?: number | undefined;
  readonly newMs?: number | undefined;
  /** How long the new source lagged behind at most, where a difference was gone when both were asked again. */
  readonly lagMs?: number | undefined;
};

/** The shape of a value, from which the value cannot be read. */
export type ValueShape = {
  readonly type: string;
  readonly length?: number | undefined;
  /** Some bytes of a keyed hash: equal for equal values. */
  readonly hash?: string | undefined;
  /** Only for fields of `compare.showMask`. */
  readonly mask?: string | undefined;
};

/** A difference without values, fit to be kept and shown. */
export type DifferenceSample = Pick<AnswerDifference, 'path' | 'kind'> & {
  /** A keyed hash of the record's id. */
  readonly key: string;
  readonly legacy?: ValueShape | undefined;
  readonly new?: ValueShape | undefined;
  /** Such as `case-only`, `whitespace`, `tz-shift`; absent: nothing is known. */
  readonly hint?: string | undefined;
  /** The trace of the request that both sources were asked for; absent: nobody has asked, such as in a walk. */
  readonly traceId?: string | undefined;
};
