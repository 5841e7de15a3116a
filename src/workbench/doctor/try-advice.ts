import type { Claim, Evidence } from '../../source/checks/claim.ts';
import type { Ask } from '../../source/checks/evidence/ask.ts';
import type { Change, Finding } from '../../source/checks/evidence/finding.ts';
import { changeText, type SpecChange } from '../../source/checks/evidence/spec-change.ts';
import { takeSample } from './take-sample.ts';
import { SessionBudgetSpent, SourceUnreachable } from './session/source-session.ts';

/** Keys of a list that decide which rows a walk brings. */
const ROW_KEYS: readonly unknown[] = ['window', 'items', 'dropWhen', 'request', 'map'];

/** Whether a change decides which rows a walk brings, or what is read beside them. */
function isReadAgain({ at, value }: SpecChange): boolean {
  return ROW_KEYS.includes(at[3]) || (at[3] === 'total' && at.length === 4 && value !== undefined);
}

/** Calls that a trial must leave to the claims that are not probed yet. */
const CALLS_KEPT = 0.5;

function textOf({ sets, text }: Change): string {
  return text ?? sets.map(changeText).join(', ');
}

/** A finding with a hint in place of its advice. */
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
 * A finding whose first change is given as it stands: what was seen already shows it, or nothing is to be tried. One that
 * leaves the rest of the file alone comes first.
 */
export function withFirstAdvice(finding: Finding): Finding {
  const { advice, at: place } = finding;
  const isWithin = ({ sets }: Change) =>
    sets.every(({ at }) => place.every((key, index) => at[index] === key));
  const first = advice?.tries?.find(isWithin) ?? advice?.tries?.[0];
  return withHint(finding, first === undefined ? advice?.otherwise : textOf(first), first);
}

/** The evidence behind a changed file; the rows are read again where the change decides which come. */
async function evidenceWith(evidence: Evidence, { sets }: Change): Promise<Evidence> {
  const ask: Ask = evidence.ask.with(sets);
  const failed = new Set<string>();
  const { first, sample } = evidence;
  if (!sets.some(isReadAgain) || ask.open({}) === undefined) return { ...evidence, ask, failed };
  return { ...evidence, failed, ...(await takeSample({ ask, first }, sample.steps.length + 2)) };
}

/** Whether a claim agrees behind a changed file: it is probed again, as if the change stood there. */
async function agreesWith(
  change: Change,
  name: string,
  evidence: Evidence,
  claimsOf: (ask: Ask) => readonly Claim[],
): Promise<boolean> {
  const changed = await evidenceWith(evidence, change);
  // A claim that the changed file does not make any more cannot be wrong.
  const claim = claimsOf(changed.ask).find((one) => one.name === name);
  if (claim === undefined) return true;
  for await (const finding of claim.probe(changed)) if (finding.verdict === 'differs') return false;
  return true;
}

/** How advice is tried. */
export type TryAdvice = {
  readonly claimsOf: (ask: Ask) => readonly Claim[];
  /** Without it, the first change is given as it stands. */
  readonly tries: boolean;
};

/**
 * Turns the advice of a finding into a hint: the first change with which the claim agrees. What does not help is not
 * said; what could not be tried for want of calls is, with these words.
 */
export async function tryAdvice(
  finding: Finding,
  name: string,
  evidence: Evidence,
  { claimsOf, tries }: TryAdvice,
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
      // What was found is said in any case; a source that is gone is noticed by the next claim.
      if (!(error instanceof SessionBudgetSpent) && !(error instanceof SourceUnreachable)) throw error;
      return untried(change);
    }
  }
  return withHint(finding, advice.otherwise);
}
