import { inconsistent, type Violation } from '../../../source/checks/claim.ts';

/** A row of a list has no record of its own: it may have been deleted since the list was read. */
export type RowVanished = {
  readonly kind: 'vanished';
  /** When the list was read, if that may be a while ago: milliseconds since the epoch. */
  readonly listedAt?: number;
};

/** The source says that its total is only a bound, so the rows must be counted. */
export type TotalIsLowerBound = { readonly kind: 'lower bound' };

/** Nothing shows that the rows that came are all that match: this query does without the filters of its plan. */
export type UnprovenFilters = { readonly kind: 'unproven filters' };

/** Rows that are equal in the sort stand at the border of a page, and no reply shows which of them belong on it. */
export type UnprovenTies = { readonly kind: 'unproven ties' };

/**
 * Why a plan brought no result although its source answered. That is expected now and then: `nextAttempt` decides what
 * to try instead. Faults of the source are thrown as `GatewayError`.
 */
export type PlanFailure = Violation | RowVanished | TotalIsLowerBound | UnprovenFilters | UnprovenTies;

/** A row of a list just read, of which the source has no details. */
export const rowVanished: RowVanished = { kind: 'vanished' };

/** There is only this one value: the kind says all of it. */
export const totalIsLowerBound: TotalIsLowerBound = { kind: 'lower bound' };

/** There is only this one value: the next attempt does without all filters of the plan. */
export const unprovenFilters: UnprovenFilters = { kind: 'unproven filters' };

/** There is only this one value: the next attempt does without the sort of the plan. */
export const unprovenTies: UnprovenTies = { kind: 'unproven ties' };

/** Rows that came before: they moved, or the source does not keep to the windows asked for. */
export const recordCameTwice = inconsistent('a record came twice in one walk');

/** Whether a step brought no result. Of the results here, only plan failures have a `kind`; records are never passed. */
export function isPlanFailure(result: unknown): result is PlanFailure {
  return typeof result === 'object' && result !== null && 'kind' in result;
}
