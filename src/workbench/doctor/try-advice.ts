// Tries what a claim advises before `doctor` gives it as a hint: would the claim agree if the file were changed so?

import type { Claim, Evidence } from '../../source/checks/claim.ts';
import type { Ask } from '../../source/checks/evidence/ask.ts';
import type { Change, Finding } from '../../source/checks/evidence/finding.ts';
import { changeText, type SpecChange } from '../../source/checks/evidence/spec-change.ts';
import { takeSample } from './take-sample.ts';
import { SessionBudgetSpent, SourceUnreachable } from './session/source-session.ts';

/** The keys of a list that decide which rows it brings. */
const ROW_KEYS: readonly unknown[] = ['window', 'items', 'dropWhen', 'request', 'map'];

/** Whether the rows must be read again after a change. */
function isReadAgain({ at, value }: SpecChange): boolean {
  return ROW_KEYS.includes(at[3]) || (at[3] === 'total' && at.length === 4 && value !== undefined);
}

/** Trials must leave this share of the calls for claims that are not probed yet. */
const CALLS_KEPT = 0.5;

function textOf({ sets, text }: Change): string {
  return text ?? sets.map(changeText).join(', ');
}

/** A finding with a hint instead of its advice. */
function withHint(
  { advice: _advice, ...finding }: Finding,
  hint: string | undefined,
  change?: Change,
): Finding {
  return {
    ...finding,
    ...(hint !== undefined && { hint }),
    ...(change !== undefined && { changes: change.sets }),
  };
}

/**
 * A finding with its first change as a hint, untried. A change at the place of the finding is preferred to one that changes
 * other parts of the file.
 */
export function withFirstAdvice(finding: Finding): Finding {
  const { advice, at: place } = finding;
  const isWithin = ({ sets }: Change) =>
    sets.every(({ at }) => place.every((key, index) => at[index] === key));
  const first = advice?.tries?.find(isWithin) ?? advice?.tries?.[0];
  return withHint(finding, first === undefined ? advice?.otherwise : textOf(first), first);
}

/** The evidence for a changed file. The rows are read again if the change decides which rows come. */
async function evidenceWith(evidence: Evidence, { sets }: Change): Promise<Evidence> {
  const ask: Ask = evidence.ask.with(sets);
  const failed = new Set<string>();
  const { first, sample } = evidence;
  if (!sets.some(isReadAgain) || ask.open({}) === undefined) return { ...evidence, ask, failed };
  return { ...evidence, failed, ...(await takeSample({ ask, first }, sample.steps.length + 2)) };
}

/** Whether a claim agrees once the file is changed: it is probed again as if the change stood in the file. */
async function agreesWith(
  change: Change,
  name: string,
  evidence: Evidence,
  claimsOf: (ask: Ask) => readonly Claim[],
): Promise<boolean> {
  const changed = await evidenceWith(evidence, change);
  // If the changed file does not make the claim any more, it cannot be wrong.
  const claim = claimsOf(changed.ask).find((one) => one.name === name);
  if (claim === undefined) return true;
  for await (const finding of claim.probe(changed)) if (finding.verdict === 'differs') return false;
  return true;
}

/**
 * Turns the advice of a finding into a hint: the first change with which the claim agrees. A change that does not help is
 * left out. If too few calls are left to try a change, it becomes the hint, which says so. Without `tries`, the first change
 * becomes the hint untried.
 */
export async function tryAdvice(
  finding: Finding,
  name: string,
  evidence: Evidence,
  { claimsOf, tries }: { readonly claimsOf: (ask: Ask) => readonly Claim[]; readonly tries: boolean },
): Promise<Finding> {
  const { advice } = finding;
  if (advice === undefined) return finding;
  if (!tries || finding.verdict === 'could not tell') return withFirstAdvice(finding);
  const { ask } = evidence;
  const left = ask.callsLeft() * CALLS_KEPT;
  const untried = (change: Change) =>
    withHint(finding, `${textOf(change)} (not tried: too few calls are left)`);
  for (const change of advice.tries ?? []) {
    if (ask.callsLeft() <= left) return untried(change);
    try {
      if (await agreesWith(change, name, evidence, claimsOf))
        return withHint(finding, textOf(change), change);
    } catch (error) {
      // The finding is reported in any case. If the source is gone, the next claim notices it.
      if (!(error instanceof SessionBudgetSpent) && !(error instanceof SourceUnreachable)) throw error;
      return untried(change);
    }
  }
  return withHint(finding, advice.otherwise);
}
