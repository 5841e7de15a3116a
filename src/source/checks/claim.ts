import type { ReplyFacts, Rows } from '../adapter/compile.ts';
import type { Capability } from '../adapter/spec/capability.ts';
import type { WindowCall } from '../adapter/plan/window.ts';
import type { Value } from '../../contract/fields.ts';
import type { Ask, Exchange } from './evidence/ask.ts';
import type { Finding, Findings } from './evidence/finding.ts';
import type { RowWalk } from './evidence/walk.ts';

/**
 * This folder checks what a source file can claim, one file for each kind of claim. Each file has a pure run-time check, which
 * takes what a reply showed and says how it contradicts the claim (`undefined`: it does not). The gateway runs these checks on
 * every answer, so a check that finds nothing allocates nothing. Each file also has a `Claim`, whose probe asks a source for
 * evidence and reports what it found. `doctor`, and `infer` for its drafts, run the probes of all claims.
 */

/** A row as claims see it: its id, and its values by field. `infer` can make one before it has a mapping. */
export type EvidenceRow = { readonly id: string } & Readonly<Record<string, Value>>;

/** How a window was asked for, and what came besides its rows. */
export type WindowFacts = { readonly call: WindowCall; readonly rows: ReplyFacts };

/** One window of rows: how it was asked for, and what came. */
export type WindowEvidence = WindowFacts & { readonly rows: Rows };

/** The ids of a window's rows, those of dropped rows included. */
export function windowIds({ rows: { records, droppedIds = [] } }: WindowEvidence): readonly string[] {
  return [...records.map(({ id }) => id), ...droppedIds];
}

/** The rows contradict a claim of the source's file, once. */
export type ClaimContradicted = {
  readonly kind: 'contradicted';
  readonly capability: Capability;
  /** What contradicts it: never a value. */
  readonly detail: string;
};

/** The replies that were read for one list do not fit together, or do not fit the total. */
export type InconsistentReads = {
  readonly kind: 'inconsistent';
  readonly detail: string;
  /** The claim that is wrong if the same is seen again. */
  readonly breaks?: Capability;
  /** Two totals that the same rows were said to have, in the order in which they came. */
  readonly totals?: readonly [number, number];
};

/** How a reply contradicts the source file. */
export type Violation = ClaimContradicted | InconsistentReads;

/** The rows contradict the claim of a capability; `detail` says how, in words. */
export function contradicted(capability: Capability, detail = 'rows contradict it'): ClaimContradicted {
  return { kind: 'contradicted', capability, detail };
}

/** The replies do not fit together; `detail` says how, in words. */
export function inconsistent(
  detail: string,
  shown: Pick<InconsistentReads, 'breaks' | 'totals'> = {},
): InconsistentReads {
  return { kind: 'inconsistent', detail, ...shown };
}

/** What the probe of a claim gets: a source to ask, its first window, and the rows that were read before. */
export type Evidence = {
  readonly ask: Ask;
  readonly first: Exchange<Rows> & { readonly value: Rows };
  readonly sample: RowWalk;
  /** How often fields of the sample became `null`, by `field reason`. */
  readonly gaps: ReadonlyMap<string, number>;
  /** The most calls that a claim which reads many rows may make. */
  readonly callsMax: number;
  /** Names of claims that differ: what depends on them cannot be checked. */
  readonly failed: ReadonlySet<string>;
};

/** Claims that fail if rows move or windows lose rows. */
const UNSETTLED = ['order', 'stability', 'walk', 'short windows'];

/** Whether a finding already says that the rows of the sample, or some other claims, are wrong. */
export function isTold({ failed }: Pick<Evidence, 'failed'>, ...others: readonly string[]): boolean {
  return UNSETTLED.some((name) => failed.has(name)) || others.some((name) => failed.has(name));
}

/** One thing that a source file promises, or could promise. Its probe throws SourceUnreachable and SessionBudgetSpent. */
export type Claim = {
  readonly name: string;
  readonly probe: (evidence: Evidence) => AsyncIterable<Finding>;
};

/** A claim whose check ends with a few findings at most. */
export function claimOf(name: string, check: (evidence: Evidence) => Promise<Findings> | Findings): Claim {
  return {
    name,
    async *probe(evidence) {
      const found = await check(evidence);
      if (found !== undefined) yield* 'probe' in found ? [found] : found;
    },
  };
}
