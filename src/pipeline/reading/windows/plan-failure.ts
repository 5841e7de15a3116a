// The reasons why a plan has no result although its source answered; then another plan is tried.

import { inconsistent, type Violation } from '../../../source/checks/claim.ts';

/** A row of a list has no single record. The record may have been deleted since the list was read. */
export type RowVanished = {
  readonly kind: 'vanished';
  /** When the list was read, if that may be a while ago: milliseconds since the epoch. */
  readonly listedAt?: number;
};

/** The source says that its total is only a lower bound, so the rows must be counted. */
export type TotalIsLowerBound = { readonly kind: 'lower bound' };

/** Nothing proves that all matching rows came, so this query needs a plan without its filters. */
export type UnprovenFilters = { readonly kind: 'unproven filters' };

/** Rows with equal sort values cross the border of a page, and no reply shows which of them belong on the page. */
export type UnprovenTies = { readonly kind: 'unproven ties' };

/**
 * Why a plan has no result although its source answered. That happens now and then, so it is not thrown: `nextAttempt`
 * decides what to try instead. Faults of the source are thrown as `GatewayError`.
 */
export type PlanFailure = Violation | RowVanished | TotalIsLowerBound | UnprovenFilters | UnprovenTies;

/** The failure for a row of a list that was just read, if the source has no details of it. */
export const rowVanished: RowVanished = { kind: 'vanished' };

/** The one value of its type, because the kind says everything. */
export const totalIsLowerBound: TotalIsLowerBound = { kind: 'lower bound' };

/** The one value of its type. The next attempt uses none of the plan's filters. */
export const unprovenFilters: UnprovenFilters = { kind: 'unproven filters' };

/** The one value of its type. The next attempt does not use the sort of the plan. */
export const unprovenTies: UnprovenTies = { kind: 'unproven ties' };

/** The failure if a record came twice: rows moved, or the source gives other windows than it is asked for. */
export const recordCameTwice = inconsistent('a record came twice in one walk');

/** Whether the result of a step is a plan failure. Only these have a `kind`, so records must not be passed. */
export function isPlanFailure(result: unknown): result is PlanFailure {
  return typeof result === 'object' && result !== null && 'kind' in result;
}
