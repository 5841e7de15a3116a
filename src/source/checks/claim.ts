// This folder checks what a source file can claim, one file for each kind of claim. Each file has a pure run-time check, which
// takes what a reply showed and says how it contradicts the claim (`undefined`: it does not). The gateway runs these checks on
// every answer, so a check that finds nothing allocates nothing. Each file also has a `Claim`, whose probe asks a source for
// evidence and reports what it found. `doctor`, and `infer` for its drafts, run the probes of all claims.

import type { ReplyEnvelope, Rows } from '../adapter/compile.ts';
import type { Capability } from '../adapter/spec/capability.ts';
import type { WindowCall } from '../adapter/plan/window.ts';
import type { Value } from '../../contract/fields.ts';
import type { Ask, Exchange } from './evidence/ask.ts';
import type { Finding, Findings } from './evidence/finding.ts';
import type { RowWalk } from './evidence/walk.ts';

/** A row as checks see it: its id, and its values by field. `infer` can make such a row before it has a mapping. */
export type EvidenceRow = { readonly id: string } & Readonly<Record<string, Value>>;

/** How a window was asked for (`call`), and what the reply says around its rows. */
export type WindowEnvelope = { readonly call: WindowCall; readonly rows: ReplyEnvelope };

/** How a window was asked for, and the rows that came. */
export type WindowEvidence = WindowEnvelope & { readonly rows: Rows };

/** The ids of a window's rows, including those of dropped rows. */
export function windowIds({ rows: { records, droppedIds = [] } }: WindowEvidence): readonly string[] {
  return [...records.map(({ id }) => id), ...droppedIds];
}

/** The rows of one reply contradict a claim of the source file. */
export type ClaimContradicted = {
  readonly kind: 'contradicted';
  readonly capability: Capability;
  /** How the rows contradict the claim. It never holds a value of a record. */
  readonly detail: string;
};

/** The replies that were read for one list do not fit together, or do not fit the total. */
export type InconsistentReads = {
  readonly kind: 'inconsistent';
  readonly detail: string;
  /** The claim that is wrong if the replies are inconsistent in the same way again. */
  readonly breaks?: Capability;
  /** Two different totals that replies gave for the same rows, in the order in which they came. */
  readonly totals?: readonly [number, number];
};

/** How a reply contradicts the source file. */
export type Violation = ClaimContradicted | InconsistentReads;

/** Creates the violation for rows that contradict a claim; `detail` says how, in words. */
export function contradicted(capability: Capability, detail = 'rows contradict it'): ClaimContradicted {
  return { kind: 'contradicted', capability, detail };
}

/** Creates the violation for replies that do not fit together; `detail` says how, in words. */
export function inconsistent(
  detail: string,
  shown: Pick<InconsistentReads, 'breaks' | 'totals'> = {},
): InconsistentReads {
  return { kind: 'inconsistent', detail, ...shown };
}

/** What the probe of a claim gets: a source to ask (`ask`), its first window, and the rows that were read before (`sample`). */
export type Evidence = {
  readonly ask: Ask;
  readonly first: Exchange<Rows> & { readonly value: Rows };
  readonly sample: RowWalk;
  /** How often fields of the sample became `null`, by field and reason: the key is `<field> <reason>`. */
  readonly gaps: ReadonlyMap<string, number>;
  /** The most calls that a probe that reads many rows may make. */
  readonly callsMax: number;
  /** Names of claims that were found to differ. What depends on them cannot be checked. */
  readonly failed: ReadonlySet<string>;
};

/** Names of claims that differ if rows move or windows lose rows. */
const UNSETTLED = ['order', 'stability', 'walk', 'short windows'];

/**
 * Whether an earlier finding already says that the rows of the sample are unreliable, or that one of the claims `others` differs.
 */
export function isAlreadyReported(
  { failed }: Pick<Evidence, 'failed'>,
  ...others: readonly string[]
): boolean {
  return UNSETTLED.some((name) => failed.has(name)) || others.some((name) => failed.has(name));
}

/**
 * One thing that a source file claims, or could claim. Its probe throws `SourceUnreachable` and `SessionBudgetSpent`
 * (`workbench/doctor/session/source-session.ts`).
 */
export type Claim = {
  readonly name: string;
  readonly probe: (evidence: Evidence) => AsyncIterable<Finding>;
};

/** Makes a claim from a check that returns all its findings together. */
export function claimOf(name: string, check: (evidence: Evidence) => Promise<Findings> | Findings): Claim {
  return {
    name,
    async *probe(evidence) {
      const found = await check(evidence);
      if (found !== undefined) yield* 'probe' in found ? [found] : found;
    },
  };
}
