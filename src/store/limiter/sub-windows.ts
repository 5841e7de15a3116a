// The sliding windows of the rate limiter, and what a process reserves in them.

import type { RateWindow } from '../../kernel/duration.ts';

/**
 * A sliding window, divided into equal parts of time, because counting single requests would need too much memory. A point
 * counts until its whole part is older than the window: never too short, and at most one part too long.
 */
export type SubWindows = {
  readonly points: number;
  readonly seconds: number;
  /** The length of a part in milliseconds. */
  readonly partMs: number;
  /** The number of parts in a window. */
  readonly parts: number;
};

/** Divides a window: one of up to 10 seconds into 10 parts, a longer one into 30, because a tenth of it is a noticeable wait. */
export function divideWindow({ points, seconds }: RateWindow): SubWindows {
  const parts = seconds <= 10 ? 10 : 30;
  return { points, seconds, parts, partMs: (seconds * 1_000) / parts };
}

/** The state of one window of one caller. Times are milliseconds from the moment of the reservation. */
export type WindowCount = {
  /** Points left after the reservation. */
  readonly free: number;
  /** The time until all points that are counted now are free again. */
  readonly resetMs: number;
  /** The time until at least one point is free; 0 if one is free now. */
  readonly waitMs: number;
};

/** Points that were reserved for a caller. */
export type Reservation = {
  readonly granted: number;
  /** How long the points may be spent, in milliseconds: until the first of their parts ends. */
  readonly validMs: number;
  /** The state of each window, in the tier's order. */
  readonly windows: readonly WindowCount[];
  /** The parts in which the points are counted, in the tier's order. */
  readonly parts: readonly number[];
};

/** Points that were reserved and not spent, and the parts in which they are counted. */
export type Unspent = { readonly points: number; readonly parts: readonly number[] };

/** What a process asks of the store of counts. */
export type ReservationRequest = {
  /** Points for the requests that wait. */
  readonly needed: number;
  /** Points to prefetch for later requests; at most 1/64 of the free points is granted. */
  readonly batch: number;
  /** Points of an earlier reservation that are returned. */
  readonly unspent: Unspent | undefined;
};

/** A process may prefetch at most one of this many free points. */
export const PREFETCH_SHARE = 64;
