/** In how many of some records a field has no value that can be read. */
export type FieldShare = { readonly records: number; readonly without: number };

/** Fewer records show nothing. */
const RECORDS_MIN = 50;
/** A smaller rise is no jump, however many records show it. */
const RISE_MIN = 0.1;
/** The likelihood ratio, as a logarithm, that a jump takes: chance brings it once in some ten million comparisons. */
const EVIDENCE_MIN = 15;

/** The part of the records that lack the field, from 0 to 1. */
export const partOf = ({ records, without }: FieldShare) => (records === 0 ? 0 : without / records);

/** A share in a sentence. */
export const fieldShareText = (share: FieldShare) => `${Math.round(partOf(share) * 100)} %`;

/** How much better a share is described by its own part than by another one: `n` times the Kullback-Leibler divergence. */
function evidence({ records, without }: FieldShare, other: number): number {
  const term = (count: number, part: number) => (count === 0 ? 0 : count * Math.log(count / records / part));
  return term(without, other) + term(records - without, 1 - other);
}

/** Whether a share is as low as before. */
export const isBack = (before: FieldShare, now: FieldShare) =>
  now.records >= RECORDS_MIN && partOf(now) < partOf(before) + RISE_MIN;

/** Whether so many more records lack the field now that chance does not explain it: a G-test of both shares. */
export function isJump(before: FieldShare, now: FieldShare): boolean {
  if (before.records < RECORDS_MIN || now.records < RECORDS_MIN) return false;
  if (partOf(now) - partOf(before) < RISE_MIN) return false;
  const both = (before.without + now.without) / (before.records + now.records);
  return evidence(before, both) + evidence(now, both) >= EVIDENCE_MIN;
}
