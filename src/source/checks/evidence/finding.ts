import type { UpstreamRequest } from '../../../kernel/upstream-call.ts';
import type { SpecChange } from './spec-change.ts';

/**
 * The result of a claim; `noted` is an observation without a claim, and fails nothing. A `bet` agrees so far, but nothing
 * keeps it so.
 */
export type ClaimVerdict = 'agrees' | 'differs' | 'could not tell' | 'noted' | 'bet';

/** A change that may fix a source file; `text` describes it if other words than the changed keys are needed. */
export type Change = { readonly sets: readonly SpecChange[]; readonly text?: string };

/** How to correct or improve a file: changes that are tried in turn, and the advice if none of them helps. */
export type Advice = { readonly tries?: readonly Change[]; readonly otherwise?: string };

/** The result of checking one claim. No text holds a secret, or a value of a record unless asked for. */
export type Finding = {
  /** A name that stays the same, such as `past end` or `filter category eq`. */
  readonly probe: string;
  /** What the file claims, in words. */
  readonly claim: string;
  /** Where it claims so, as a path of keys. */
  readonly at: readonly PropertyKey[];
  readonly verdict: ClaimVerdict;
  readonly observed: string;
  /** Changes to be tried. A run of all claims replaces it by `hint` and `changes`. */
  readonly advice?: Advice;
  /** How to correct or improve the file, in words. */
  readonly hint?: string;
  /** The hint as changes of the file, with which the claim was seen to agree. */
  readonly changes?: readonly SpecChange[];
  /** The calls that show it. */
  readonly calls?: readonly UpstreamRequest[];
};

/** What a check finds: mostly one finding, sometimes several or none. */
export type Findings = Finding | readonly Finding[] | undefined;

type Shown = { readonly request: UpstreamRequest };

/** Makes a finding; `shows` are the exchanges that show it, and a text as advice is said as it stands. */
export type Conclude = (
  verdict: ClaimVerdict,
  observed: string,
  advice?: Advice | string,
  ...shows: readonly (Shown | undefined)[]
) => Finding;

/** Names a probe, the claim and its place in the file. */
export function concludeAt(probe: string, claim: string, at: readonly PropertyKey[]): Conclude {
  return (verdict, observed, advice, ...shows) => {
    const calls = shows.flatMap((one) => (one === undefined ? [] : [one.request]));
    return {
      ...{ probe, claim, at, verdict, observed },
      ...(advice !== undefined && { advice: typeof advice === 'string' ? { otherwise: advice } : advice }),
      ...(calls.length > 0 && { calls }),
    };
  };
}

/** One changed key of a file as advice; `text` says it where other words than the change do. */
export function setting(at: readonly PropertyKey[], value: unknown, text?: string) {
  return { tries: [{ sets: [{ at, value }], ...(text !== undefined && { text }) }] } satisfies Advice;
}
