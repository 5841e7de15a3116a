// The types of a comparison of both sources of a migration: the differences, the verdict, and the samples without values that
// are kept for operators.

import type { ListValue } from '../../contract/list-value.ts';
import type { Decimal } from '../../kernel/decimal.ts';
import type { Origin } from '../../kernel/migration-origin.ts';

/** A compared value: of a field, a total, a status, the length of a list, or the ids of an order. */
export type ComparedValue = boolean | string | number | Decimal | ListValue | null | readonly string[];

/**
 * One difference between two answers. The path has no indices: `data.name`, `data[].profile.bio`, `data[].lines[].price` in a
 * list, `data[].lines[]` for the length of a list, `data[].id` for records that only one page has, `data[]` for their order,
 * `meta.total`, `status`. The types of values cannot differ, because a v1 field has only one type.
 */
export type AnswerDifference = {
  readonly path: string;
  /**
   * `missing`, `extra`: the new or the legacy value is `null`. `missing_id`, `extra_id`: only the legacy or the new list has
   * the record. `boundary`: the record is at an edge of its page and may be on another page of the other list; without an
   * `id`, the two pages have no common record. `tie_order`: only records with equal sort keys are in another order.
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
  /** The v1 id of the record, if the difference is about one record. */
  readonly id?: string | undefined;
  /** The list whose page has the record, for a `boundary` with an id. */
  readonly only?: Origin | undefined;
  readonly legacy?: ComparedValue | undefined;
  readonly new?: ComparedValue | undefined;
};

/**
 * The result of a comparison. Only the first four say something about the data. `transient`: the sources agreed when they were
 * asked again, but the legacy source never gave the new source's first answer. `odd`: the new source failed at a question for
 * which the legacy source has no record; this is reported, but the judge ignores it.
 */
export const comparisonVerdicts = [
  ...(['match', 'ignored', 'transient', 'mismatch', 'inconclusive'] as const),
  ...(['failed_new', 'failed_legacy', 'failed_both', 'odd'] as const),
] as const;

/** One of `comparisonVerdicts`. */
export type ComparisonVerdict = (typeof comparisonVerdicts)[number];

/** Differences that were gone when the sources were asked again, and that the legacy source has never confirmed. */
export type TransientDifferences = {
  /** One sample for each field and record, without values. */
  readonly differences: readonly DifferenceSample[];
  /** Whether the differences were gone within milliseconds, without a wait in between. */
  readonly isAtOnce: boolean;
  /** Whether a caller has already got the new source's first answer. */
  readonly isGiven: boolean;
};

/** One finished comparison: the question and the result. */
export type Comparison = {
  readonly resource: string;
  readonly operation: string;
  /** The canonical query, see `queryKey`. */
  readonly query: string;
  readonly verdict: ComparisonVerdict;
  /** The confirmed differences that count, without values. */
  readonly differences: readonly DifferenceSample[];
  /** The confirmed differences that a rule ignores, without values. */
  readonly ignored: readonly DifferenceSample[];
  /** Present if there were transient differences, with any verdict. */
  readonly transient?: TransientDifferences | undefined;
  /** How long each source took for the same question, in milliseconds; absent if it failed. */
  readonly legacyMs?: number | undefined;
  readonly newMs?: number | undefined;
  /** How long the new source lagged behind at most, in milliseconds; present if a difference was gone after a wait. */
  readonly lagMs?: number | undefined;
};

/** What is kept of a value that differs. The value itself cannot be read from it. */
export type ValueShape = {
  readonly type: string;
  readonly length?: number | undefined;
  /** Some digits of a keyed hash, which are equal for equal values. */
  readonly hash?: string | undefined;
  /** The masked text, such as `j*** d***`; only for fields of `compare.showMask`. */
  readonly mask?: string | undefined;
};

/** A difference without values, so that it may be kept and shown. */
export type DifferenceSample = Pick<AnswerDifference, 'path' | 'kind'> & {
  /** A keyed hash of the record's id. */
  readonly key: string;
  readonly legacy?: ValueShape | undefined;
  readonly new?: ValueShape | undefined;
  /** One of `differenceHints`; absent if none fits. */
  readonly hint?: string | undefined;
  /** The trace id of the caller's request; absent if no caller has asked, such as in a walk. */
  readonly traceId?: string | undefined;
};
