import type { ListPlan } from '../../../source/adapter/plan/plan.ts';
import { type Capability, TIES } from '../../../source/adapter/spec/capability.ts';
import type { InconsistentReads } from '../../../source/checks/claim.ts';
import { isUnsteady } from '../../../source/checks/total.ts';
import { type GatewayError, invalidReply } from '../../../kernel/errors/fault.ts';
import type { PlanFailure, RowVanished } from '../windows/plan-failure.ts';
import type { PageRecords } from './read-page.ts';

/** A page, when its data was read (milliseconds since the epoch), and how long it may be served. */
export type DatedPage = {
  readonly kind: 'page';
  readonly records: PageRecords;
  readonly total: number;
  readonly storedAt: number;
  readonly freshSeconds: number;
};

/** What came of one attempt at a page. */
export type PageAttempt = DatedPage | PlanFailure;

/** What the attempts at a page have shown so far. */
export type SearchState = {
  readonly attempts: number;
  /** Claims that were contradicted once. */
  readonly suspects: ReadonlySet<Capability>;
  /** Claims that this query does without: the source says that they do not hold here, or no row shows that they do. */
  readonly unusable: ReadonlySet<Capability>;
  /** Claims that may be the reason why total and rows disagree. They are left out, to see whether the two agree then. */
  readonly blamed: ReadonlySet<Capability>;
  /** The walk before this one was inconsistent: the rows may have moved meanwhile. */
  readonly isMoved: boolean;
  /** Totals that the same rows were said to have, if they differed. */
  readonly totals: readonly number[];
  /** How total and rows disagree, if they did so twice in a row. */
  readonly disagreement: InconsistentReads | undefined;
  readonly vanished: RowVanished | undefined;
};

/** Claims that are proved wrong, with what contradicted them. */
type NewlyDisabledClaims = ReadonlyMap<Capability, string>;

/** What follows from an attempt. */
export type NextAttempt = { readonly newlyDisabled: NewlyDisabledClaims } & (
  | { readonly kind: 'done'; readonly page: DatedPage }
  | { readonly kind: 'again'; readonly state: SearchState }
  | { readonly kind: 'fail'; readonly error: GatewayError }
);

/** Two for each claim that an answer can rest on (an order, a sort, three filters), and a walk done again. */
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

/** The filters that a plan depends on. */
export function filterClaimsOf(plan: ListPlan): readonly Capability[] {
  return plan.kind === 'nothing'
    ? []
    : plan.dependsOn.filter((capability) => capability.startsWith('filter.'));
}

/** The sort that a plan depends on, which stands behind its filters. */
function sortOf(plan: ListPlan): readonly Capability[] {
  return plan.kind === 'nothing' ? [] : plan.dependsOn.slice(-1);
}

/**
 * The claims of a plan that may be why total and rows disagree. Without its filters, the total is still believed: it
 * alone shows that no row is missing.
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

/** A disagreement that stays: the claims that may cause it are left out, and if there are none, it is final. */
function afterDisagreement(state: SearchState, plan: ListPlan, found: InconsistentReads): NextAttempt {
  const disagreement = state.disagreement ?? found;
  const blamed = suspectedClaims(plan);
  // Without a claim to leave out, no answer can be right. A claim that was proved wrong is disabled for all other answers.
  if (blamed.length === 0) return fail(repeatedlyInconsistent(disagreement), brokenBy(found));
  return again({ ...state, disagreement, isMoved: false, blamed: state.blamed.union(new Set(blamed)) });
}

function brokenBy({ breaks, detail }: InconsistentReads): NewlyDisabledClaims {
  return breaks === undefined ? NONE_DISABLED : new Map([[breaks, detail]]);
}

/** No writer makes a total go back and forth, so the source is wrong: the claim of a total is disabled, and rows are counted. */
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

/** What to do after an attempt with a plan. It is pure. */
export function nextAttempt(before: SearchState, plan: ListPlan, attempt: PageAttempt): NextAttempt {
  const state = { ...before, attempts: before.attempts + 1 };
  switch (attempt.kind) {
    case 'page':
      // Total and rows agree without the blamed claims.
      return { kind: 'done', page: attempt, newlyDisabled: blamedClaims(state) };
    case 'contradicted': {
      // Rows that change between two calls look like a broken claim once, but hardly twice in one answer.
      const { capability, detail } = attempt;
      const newlyDisabled = state.suspects.has(capability) ? new Map([[capability, detail]]) : NONE_DISABLED;
      return again({ ...state, suspects: state.suspects.union(new Set([capability])) }, newlyDisabled);
    }
    case 'lower bound':
      // No contradiction: the source says so itself, and for this query only.
      return again({ ...state, unusable: state.unusable.union(new Set(['total'])) });
    case 'unproven filters':
      return again({ ...state, unusable: state.unusable.union(new Set(filterClaimsOf(plan))) });
    case 'unproven ties':
      // The sort is no broken claim: the rows of this page are sorted here, and those of other pages need not be.
      return again({ ...state, unusable: state.unusable.union(new Set([...sortOf(plan), TIES])) });
    case 'vanished':
      // It may have been deleted since the list was read, so the list is read again once.
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

/** The error to answer with after a failed attempt. Counting all rows to settle a disagreement may cost too much. */
export function errorAfter({ disagreement }: SearchState, error: GatewayError): GatewayError {
  return error.code === 'scan_limit_exceeded' && disagreement !== undefined
    ? repeatedlyInconsistent(disagreement)
    : error;
}
