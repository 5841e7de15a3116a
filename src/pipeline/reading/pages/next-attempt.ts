// Decides what `answer-query.ts` does after each attempt at a page: return it, try again without some claims, or fail.

import type { ListPlan } from '../../../source/adapter/plan/plan.ts';
import { type Capability, TIES } from '../../../source/adapter/spec/capability.ts';
import type { InconsistentReads } from '../../../source/checks/claim.ts';
import { isUnsteady } from '../../../source/checks/total.ts';
import { type GatewayError, invalidReply } from '../../../kernel/errors/fault.ts';
import type { PlanFailure, RowVanished } from '../windows/plan-failure.ts';
import type { PageRecords } from './read-page.ts';

/** A page, the time at which its data was read (milliseconds since the epoch), and how long it may be served. */
export type DatedPage = {
  readonly kind: 'page';
  readonly records: PageRecords;
  readonly total: number;
  readonly storedAt: number;
  readonly freshSeconds: number;
};

/** The result of one attempt at a page. */
export type PageAttempt = DatedPage | PlanFailure;

/** What the attempts at a page have shown so far. The next plan uses none of the claims in `unusable` and `blamed`. */
export type SearchState = {
  readonly attempts: number;
  /** Claims that were contradicted once in this answer. */
  readonly suspects: ReadonlySet<Capability>;
  /** Claims that this query must not use: the source says that they do not hold for it, or no row proves them. */
  readonly unusable: ReadonlySet<Capability>;
  /** Claims that may be the reason why total and rows disagree. They are not used, to see whether the two then agree. */
  readonly blamed: ReadonlySet<Capability>;
  /** Whether the attempt before was inconsistent. Perhaps rows moved while it read them, so one is no proof. */
  readonly isMoved: boolean;
  /** The different totals that the source gave for the same rows, in their order. */
  readonly totals: readonly number[];
  /** How total and rows disagree, if they did so twice in a row. */
  readonly disagreement: InconsistentReads | undefined;
  /** The attempt in which a row of the list had no record of its own. */
  readonly vanished: RowVanished | undefined;
};

/** Claims that are proved wrong, each with a text that says what contradicted it. */
type NewlyDisabledClaims = ReadonlyMap<Capability, string>;

/** The decision after an attempt, and the claims that it proved wrong. */
export type NextAttempt = { readonly newlyDisabled: NewlyDisabledClaims } & (
  | { readonly kind: 'done'; readonly page: DatedPage }
  | { readonly kind: 'again'; readonly state: SearchState }
  | { readonly kind: 'fail'; readonly error: GatewayError }
);

/** Two attempts for each claim that an answer can depend on (an order, a sort, three filters), and two more. */
const ATTEMPTS_MAX = 12;

const NONE: ReadonlySet<Capability> = new Set();
const NONE_DISABLED: NewlyDisabledClaims = new Map();

/** The state before the first attempt. */
export const noAttempts: SearchState = {
  attempts: 0,
  suspects: NONE,
  unusable: NONE,
  blamed: NONE,
  isMoved: false,
  totals: [],
  disagreement: undefined,
  vanished: undefined,
};

/** The claims of filters that a plan depends on. */
export function filterClaimsOf(plan: ListPlan): readonly Capability[] {
  return plan.kind === 'nothing'
    ? []
    : plan.dependsOn.filter((capability) => capability.startsWith('filter.'));
}

/** The claim of the sort that a plan depends on. It is the last one, after the filters. */
function sortOf(plan: ListPlan): readonly Capability[] {
  return plan.kind === 'nothing' ? [] : plan.dependsOn.slice(-1);
}

/**
 * The claims of a plan that may be the reason why total and rows disagree. If filters may be the reason, the total is still
 * used, because only the total shows that no row is missing.
 */
function suspectedClaims(plan: ListPlan): readonly Capability[] {
  if (plan.kind === 'nothing') return [];
  const filters = filterClaimsOf(plan);
  if (filters.length > 0) return filters;
  return plan.kind === 'page' || plan.totalCounts ? ['total'] : [];
}

function repeatedlyInconsistent({ detail }: InconsistentReads): GatewayError {
  return invalidReply('window', `twice in a row: ${detail}`);
}

function fail(error: GatewayError, newlyDisabled = NONE_DISABLED): NextAttempt {
  return { kind: 'fail', error, newlyDisabled };
}

function again(state: SearchState, newlyDisabled = NONE_DISABLED): NextAttempt {
  if (state.attempts < ATTEMPTS_MAX) return { kind: 'again', state, newlyDisabled };
  return fail(invalidReply('claims', 'the source contradicts too many of its claims'), newlyDisabled);
}

/** After a second disagreement: tries again without the claims that may cause it, or fails if there are none. */
function afterDisagreement(state: SearchState, plan: ListPlan, found: InconsistentReads): NextAttempt {
  const disagreement = state.disagreement ?? found;
  const blamed = suspectedClaims(plan);
  // If there is no claim to leave out, no answer can be right. A claim that is proved wrong is disabled for other answers.
  if (blamed.length === 0) return fail(repeatedlyInconsistent(disagreement), brokenBy(found));
  return again({ ...state, disagreement, isMoved: false, blamed: state.blamed.union(new Set(blamed)) });
}

function brokenBy({ breaks, detail }: InconsistentReads): NewlyDisabledClaims {
  return breaks === undefined ? NONE_DISABLED : new Map([[breaks, detail]]);
}

/** After a total that went back and forth, which no write causes: disables the claim of the total, so rows are counted. */
function afterUnsteadyTotal(state: SearchState, plan: ListPlan, found: InconsistentReads): NextAttempt {
  const newlyDisabled = brokenBy({ ...found, breaks: 'total' });
  const isCounted = plan.kind === 'scan' && plan.totalIsLowerBound;
  return isCounted
    ? fail(repeatedlyInconsistent(found), newlyDisabled)
    : again({ ...state, isMoved: false, totals: [] }, newlyDisabled);
}

function blamedClaims({ blamed, disagreement }: SearchState): NewlyDisabledClaims {
  const detail = disagreement?.detail ?? '';
  return blamed.size === 0 ? NONE_DISABLED : new Map([...blamed].map((claim) => [claim, detail]));
}

/** Decides what to do after an attempt with a plan. It is a pure function. */
export function nextAttempt(before: SearchState, plan: ListPlan, attempt: PageAttempt): NextAttempt {
  const state = { ...before, attempts: before.attempts + 1 };
  switch (attempt.kind) {
    case 'page':
      // Total and rows agree without the blamed claims, so these were wrong.
      return { kind: 'done', page: attempt, newlyDisabled: blamedClaims(state) };
    case 'contradicted': {
      // Rows that change between two calls can look like a broken claim once, but hardly twice in one answer.
      const { capability, detail } = attempt;
      const newlyDisabled = state.suspects.has(capability) ? new Map([[capability, detail]]) : NONE_DISABLED;
      return again({ ...state, suspects: state.suspects.union(new Set([capability])) }, newlyDisabled);
    }
    case 'lower bound':
      // This is no contradiction, because the source itself says so, and only for this query.
      return again({ ...state, unusable: state.unusable.union(new Set(['total'])) });
    case 'unproven filters':
      return again({ ...state, unusable: state.unusable.union(new Set(filterClaimsOf(plan))) });
    case 'unproven ties':
      // The claim of the sort may still be right. Only this page needs another plan, which sorts its rows here.
      return again({ ...state, unusable: state.unusable.union(new Set([...sortOf(plan), TIES])) });
    case 'vanished':
      // The record may have been deleted since the list was read, so the list is read again once.
      if (state.vanished === undefined) return again({ ...state, vanished: attempt });
      return fail(invalidReply('rows', 'twice in a row: the list has a row that is no record by itself'));
    case 'inconsistent': {
      const totals = [...state.totals, ...(attempt.totals ?? [])];
      if (isUnsteady(totals)) return afterUnsteadyTotal(state, plan, attempt);
      const seen = { ...state, totals };
      return state.isMoved ? afterDisagreement(seen, plan, attempt) : again({ ...seen, isMoved: true });
    }
  }
}

/**
 * The error to answer with if an attempt throws. If all rows should be counted because of a disagreement, and that exceeds
 * the budget, the error names the disagreement.
 */
export function errorAfter({ disagreement }: SearchState, error: GatewayError): GatewayError {
  return error.code === 'scan_limit_exceeded' && disagreement !== undefined
    ? repeatedlyInconsistent(disagreement)
    : error;
}
