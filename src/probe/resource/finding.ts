import type { UpstreamRequest } from '../../kernel/upstream-call.ts';

/** What a probe says of a claim; `noted` is told of what the file does not claim, and changes nothing. */
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
  /** How the file is mended, or made better. */
  readonly hint?: string;
  /** The calls that show it. */
  readonly calls?: readonly UpstreamRequest[];
};

/** What a probe found; a few find several things, or nothing worth telling. */
export type ProbeOutcome = Finding | readonly Finding[] | undefined;

/** A probe under its name. It throws where the source does not answer, or no more calls may be made. */
export type Probe = { readonly name: string; readonly run: () => Promise<ProbeOutcome> | ProbeOutcome };

/** Says what became of a claim. */
export type Conclude = (
  verdict: ClaimVerdict,
  observed: string,
  more?: Pick<Finding, 'hint' | 'calls'>,
) => Finding;

/** Names a probe, what the file claims, and where. */
export function claimAt(probe: string, claim: string, at: readonly PropertyKey[]): Conclude {
  return (verdict, observed, more = {}) => ({ probe, claim, at, verdict, observed, ...more });
}

/** A number of things in words: `1 row`, `2 rows`. */
export function counted(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? '' : 's'}`;
}
