import type { UpstreamRequest } from '../../kernel/upstream-call.ts';

/** The result of a claim; `noted` is an observation without a claim, and fails nothing. */
export type ClaimVerdict = 'agrees' | 'differs' | 'could not tell' | 'noted';

/** What one probe found out. No text holds a value of a record (unless asked for) or a secret. */
export type Finding = {
  /** A name that stays the same, such as `past end` or `filter category eq`. */
  readonly probe: string;
  /** What the file claims, in words. */
  readonly claim: string;
  /** Where it claims so, as a path of keys. */
  readonly at: readonly PropertyKey[];
  readonly verdict: ClaimVerdict;
  readonly observed: string;
  /** How to correct or improve the file. */
  readonly hint?: string;
  /** The calls that show it. */
  readonly calls?: readonly UpstreamRequest[];
};

/** The findings of a probe: mostly one, sometimes several or none. */
export type ProbeOutcome = Finding | readonly Finding[] | undefined;

/** A named probe. It throws SourceUnreachable and SessionBudgetSpent. */
export type Probe = { readonly name: string; readonly run: () => Promise<ProbeOutcome> | ProbeOutcome };

/** Makes the finding about a claim. */
export type Conclude = (
  verdict: ClaimVerdict,
  observed: string,
  more?: Pick<Finding, 'hint' | 'calls'>,
) => Finding;

/** Names a probe, the claim and its place in the file. */
export function claimAt(probe: string, claim: string, at: readonly PropertyKey[]): Conclude {
  return (verdict, observed, more = {}) => ({ probe, claim, at, verdict, observed, ...more });
}

/** A number of things in words: `1 row`, `2 rows`. */
export function counted(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? '' : 's'}`;
}
