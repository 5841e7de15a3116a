// Counts the points of callers in sliding windows in Redis, for all processes together.

import type { Redis } from 'ioredis';
import { RateLimiterCompatibleAbstract, RateLimiterRes } from 'rate-limiter-flexible';
import { reservePoints } from '../redis/scripts/count-scripts.ts';
import {
  type Reservation,
  type ReservationRequest,
  PREFETCH_SHARE,
  type SubWindows,
  type WindowCount,
} from './sub-windows.ts';

/** The result type of `rate-limiter-flexible`, with Portico's reservation in it. */
class Counted extends RateLimiterRes {
  readonly reservation: Reservation;

  constructor(reservation: Reservation) {
    const { windows, granted } = reservation;
    const waits = windows.map(({ waitMs }) => waitMs);
    super(Math.min(...windows.map(({ free }) => free)), Math.max(0, ...waits), granted, false);
    this.reservation = reservation;
  }
}

function readReply([granted = 0, validMs = 0, ...rest]: readonly number[]): Reservation {
  const windows: WindowCount[] = [];
  const parts: number[] = [];
  for (let i = 0; i + 3 < rest.length; i += 4) {
    windows.push({ free: rest[i] ?? 0, resetMs: rest[i + 1] ?? 0, waitMs: rest[i + 2] ?? 0 });
    parts.push(rest[i + 3] ?? 0);
  }
  return { granted, validMs, windows, parts };
}

/**
 * A limiter in the form that `rate-limiter-flexible` expects of a custom store. It counts in sliding windows instead of
 * fixed ones, and counts all windows of a tier in one round trip.
 */
export class SlidingRedis extends RateLimiterCompatibleAbstract {
  readonly #windows: readonly SubWindows[];
  readonly #client: Redis;

  constructor(redis: Redis, windows: readonly SubWindows[]) {
    super();
    this.#client = redis;
    this.#windows = windows;
  }

  /** Reserves points under a Redis key. Rejects if Redis fails. */
  async reserve(key: string, request: ReservationRequest): Promise<Reservation> {
    return (await this.consume(key, request.needed, request)).reservation;
  }

  override async consume(
    key: string,
    needed: number,
    { batch, unspent }: Pick<ReservationRequest, 'batch' | 'unspent'>,
  ): Promise<Counted> {
    // A command would wait in a queue until the connection is ready.
    if (this.#client.status !== 'ready') throw new Error('Redis is not ready');
    const windows = this.#windows.flatMap(({ points, partMs, parts }, index) => [
      points,
      partMs,
      parts,
      unspent?.parts[index] ?? 0,
    ]);
    const args = [needed, batch, PREFETCH_SHARE, unspent?.points ?? 0, ...windows];
    const reply = await reservePoints(this.#client, [key], args);
    return new Counted(readReply(reply as readonly number[]));
  }
}
