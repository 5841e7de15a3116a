import type { RateWindow } from '../../kernel/duration.ts';

/**
 * A window cut into equal pieces of time. What is counted in a piece is held against the caller until all of the
 * piece is a window's length ago: at most one piece too long, and never too short.
 */
export type SubWindows = {
  readonly points: number;
  readonly seconds: number;
  /** The length of a piece, milliseconds. */
  readonly pieceMs: number;
  /** How many pieces make a window. */
  readonly pieces: number;
};

/** Cuts a window: into tenths where it is short, finer where a tenth would be felt. */
export function cutWindow({ points, seconds }: RateWindow): SubWindows {
  const pieces = seconds <= 10 ? 10 : 30;
  return { points, seconds, pieces, pieceMs: (seconds * 1_000) / pieces };
}

/** Where one window of one caller stands. Times in milliseconds from the moment of the reservation. */
export type WindowCount = {
  /** Points left after the reservation. */
  readonly free: number;
  /** Until none of what is counted now is held against the caller any more. */
  readonly resetMs: number;
  /** Until at least one point is free; 0 where one is. */
  readonly waitMs: number;
};

/** Points set aside for a caller. */
export type Reservation = {
  readonly granted: number;
  /** How long the points may be spent: until the first piece ends in which they are counted. */
  readonly validMs: number;
  /** In the tier's order. */
  readonly windows: readonly WindowCount[];
  /** The pieces in which the points are counted, in the tier's order. */
  readonly pieces: readonly number[];
};

/** Points that were set aside and not spent. */
export type Unspent = { readonly points: number; readonly pieces: readonly number[] };

/** What is asked of a store of counts. */
export type ReservationRequest = {
  /** Points for requests that wait. */
  readonly needed: number;
  /** Points for requests that may come; only a small part of what is free is given. */
  readonly extra: number;
  /** Points of an earlier reservation that go back. */
  readonly unspent: Unspent | undefined;
};

/** The share of the free points that one process may set aside for requests yet to come: one in so many. */
export const PREFETCH_SHARE = 64;
