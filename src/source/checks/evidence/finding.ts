// The results of checking claims, as `doctor` reports them and `infer` corrects its drafts by them.

import type { UpstreamRequest } from '../../../kernel/upstream-call.ts';
import type { SpecChange } from './spec-change.ts';

/**
 * The result of checking a claim. `noted`: an observation that fails nothing. `bet`: it agrees today, but nothing guarantees it.
 */
export type ClaimVerdict = 'agrees' | 'differs' | 'could not tell' | 'noted' | 'bet';

/** A change that may fix a source file; `text` describes it if other words than the changed keys are needed. */
export type Change = { readonly sets: readonly SpecChange[]; readonly text?: string };

/** How to correct or improve a file: changes that are tried one after the other (`tries`), and the advice if none helps. */
export type Advice = { readonly tries?: readonly Change[]; readonly otherwise?: string };

/** The result of checking one claim. No text holds a secret, or a value of a record unless asked for. */
export type Finding = {
  /** A name that stays the same, such as `past end` or `filter category eq`. */
  readonly probe: string;
  /** What the file claims, in words. */
  readonly claim: string;
  /** The place of the claim in the file, as a path of keys. */
  readonly at: readonly PropertyKey[];
  readonly verdict: ClaimVerdict;
  readonly observed: string;
  /** Changes to be tried. A run of all claims tries them and replaces them by `hint` and `changes`. */
  readonly advice?: Advice;
  /** How to correct or improve the file, in words. */
  readonly hint?: string;
  /** The hint as changes of the file, with which the claim was seen to agree. */
  readonly changes?: readonly SpecChange[];
  /** The calls whose replies show what was observed. */
  readonly calls?: readonly UpstreamRequest[];
};

/** What a check returns: mostly one finding, sometimes several or none. */
export type Findings = Finding | readonly Finding[] | undefined;

type Shown = { readonly request: UpstreamRequest };

/** Creates a finding. `shows`: the exchanges that show it. Advice that is a text is reported as it is. */
export type Conclude = (
  verdict: ClaimVerdict,
  observed: string,
  advice?: Advice | string,
  ...shows: readonly (Shown | undefined)[]
) => Finding;

/** Returns the function that creates the findings of a probe, for a claim at a place in the file. */
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

/** The advice to change one key of a file; `text` describes it if other words than the key are needed. */
export function setting(at: readonly PropertyKey[], value: unknown, text?: string) {
  return { tries: [{ sets: [{ at, value }], ...(text !== undefined && { text }) }] } satisfies Advice;
}
