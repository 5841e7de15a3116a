// Asks both sources again if they differ, because a write between two reads looks like a difference.

import type { SourceAnswer } from '../../pipeline/stages/call.ts';
import { atSamePlaces, lastingDifferences } from '../compare/compare-answers.ts';
import type { AnswerDifference, ComparisonVerdict } from '../compare/comparison.ts';
import type { ByOrigin, Origin } from '../../kernel/migration-origin.ts';
import type { Answered, ComparisonCall } from './comparison-call.ts';

/** The differences of two answers: `counting` ones, and `accepted` ones, which a rule accepts. */
export type ClassifiedDifferences = {
  readonly counting: readonly AnswerDifference[];
  readonly accepted: readonly AnswerDifference[];
};

/** The result of a comparison, after the sources were asked again if necessary. */
export type Confirmation = {
  readonly verdict: Extract<
    ComparisonVerdict,
    'match' | 'ignored' | 'transient' | 'mismatch' | 'inconclusive'
  >;
  readonly differences: readonly AnswerDifference[];
  readonly ignored: readonly AnswerDifference[];
  /** The differences that were gone later, see `TransientDifferences`. */
  readonly transient: readonly AnswerDifference[];
  /** How long one store lagged behind the other at most, in milliseconds; present if a difference was gone after a wait. */
  readonly lagMs?: number | undefined;
  /** Whether the sources were asked again. */
  readonly isRechecked: boolean;
  /** The last answer of the new source. */
  readonly last: SourceAnswer;
};

/** What a confirmation needs. `monotonic` is a clock in milliseconds. */
export type ConfirmDeps = {
  readonly classify: (answers: ByOrigin<SourceAnswer>) => ClassifiedDifferences;
  /** Asks one source the same question again. */
  readonly read: (origin: Origin) => Promise<ComparisonCall>;
  /** Waits for as long as a difference must last to be confirmed. It rejects when the gateway closes. */
  readonly wait: () => Promise<unknown>;
  /** Reserves this number of repeated calls; false if the rate limit does not allow them now. */
  readonly reserve: (calls: number) => boolean;
  readonly monotonic: () => number;
  /** How often both sources are asked again after a wait. */
  readonly rounds: number;
};

/** The other one of both sources. */
export const otherOrigin = (origin: Origin): Origin => (origin === 'legacy' ? 'new' : 'legacy');

function equalVerdict({ accepted }: ClassifiedDifferences): 'ignored' | 'match' {
  return accepted.length > 0 ? 'ignored' : 'match';
}

const answersOf = (both: ByOrigin<Answered>): ByOrigin<SourceAnswer> => ({
  legacy: both.legacy.answer,
  new: both.new.answer,
});

/**
 * Confirms a difference. The source that served the caller is asked again at once; then both are asked after a wait, `rounds`
 * times. The difference is confirmed if it was there each time, with the same values on both sides. If at any time there is no
 * difference, the answers match. If there are other differences, or a source could not be asked, the result is `inconclusive`.
 *
 * A difference that is gone is transient if the legacy source never gave the new source's first answer. Either a write had not
 * reached the new store yet, or an answer was wrong once. One comparison does not show which, but the rate of transients does.
 */
export async function confirm(
  first: ByOrigin<Answered>,
  served: Origin,
  deps: ConfirmDeps,
): Promise<Confirmation> {
  const { classify, read, wait, reserve, monotonic, rounds } = deps;
  const startedMs = monotonic();
  const classified = classify(answersOf(first));
  const { counting, accepted: ignored } = classified;
  const base = {
    differences: [],
    ignored,
    transient: [],
    isRechecked: true,
    last: first.new.answer,
  } as const;
  if (counting.length === 0) return { ...base, verdict: equalVerdict(classified), isRechecked: false };
  const unknown: Confirmation = { ...base, verdict: 'inconclusive' };
  // Rows of an earlier scan may differ although both sources are right.
  if (!first.legacy.isFresh || !first.new.isFresh || !reserve(1 + 2 * rounds))
    return { ...unknown, isRechecked: false };
  let [both, left] = [first, counting];
  const unconfirmed = () => {
    const answers = { legacy: both.legacy.answer, new: first.new.answer };
    return atSamePlaces(counting, classify(answers).counting);
  };
  for (let round = 0; round <= rounds; round += 1) {
    if (round > 0) await wait();
    for (const origin of round === 0 ? [served] : [otherOrigin(served), served]) {
      const call = await read(origin);
      if (call.kind !== 'answered' || !call.isFresh) return unknown;
      both = { ...both, [origin]: call };
    }
    const again = classify(answersOf(both));
    if (again.counting.length === 0) {
      const transient = unconfirmed();
      return {
        ...{ ...base, transient, ignored: again.accepted, last: both.new.answer },
        verdict: transient.length > 0 ? 'transient' : equalVerdict(again),
        lagMs: round === 0 ? undefined : monotonic() - startedMs,
      };
    }
    left = lastingDifferences(left, again.counting);
  }
  const found = {
    transient: unconfirmed().filter((difference) => !left.includes(difference)),
    last: both.new.answer,
  };
  if (left.length === 0) return { ...unknown, ...found };
  return { ...base, ...found, verdict: 'mismatch', differences: left };
}
