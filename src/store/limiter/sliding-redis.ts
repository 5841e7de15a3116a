import type { Redis } from 'ioredis';
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { reservePoints } from '../redis/scripts/count-scripts.ts';
import {
  type Reservation,
  type ReservationRequest,
  PREFETCH_SHARE,
  type SubWindows,
  type WindowCount,
} from './sub-windows.ts';

/** The result type of the library, with our reservation in it. */
class Counted extends RateLimiterRes {
  readonly reservation: Reservation;

  constructor(reservation: Reservation) {
    super(0, 0, 0, false);
    this.reservation = reservation;
  }
}

function readReply([granted = 0, validMs = 0, ...rest]: readonly number[]): Reservation {
  const windows: WindowCount[] = [];
  const pieces: number[] = [];
  for (let i = 0; i + 3 < rest.length; i += 4) {
    windows.push({ free: rest[i] ?? 0, resetMs: rest[i + 1] ?? 0, waitMs: rest[i + 2] ?? 0 });
    pieces.push(rest[i + 3] ?? 0);
  }
  return { granted, validMs, windows, pieces };
}

/**
 * The library's Redis limiter with a script of ours: a sliding window instead of a fixed one, and all windows of a tier
 * in one round trip. The library itself rejects with an Error where the store fails.
 */
export class SlidingRedis extends RateLimiterRedis {
  readonly #windows: readonly SubWindows[];
  readonly #client: Redis;

  constructor(redis: Redis, windows: readonly SubWindows[]) {
    const [first] = windows;
    super({
      storeClient: redis,
      keyPrefix: '',
      points: first?.points ?? 1,
      duration: first?.seconds ?? 1,
    });
    this.#client = redis;
    this.#windows = windows;
  }

  /** Reserves points under a key. Rejects where Redis fails. */
  async reserve(key: string, request: ReservationRequest): Promise<Reservation> {
    const counted = await this.consume(key, request.needed, { request });
    if (!(counted instanceof Counted)) throw new Error('rate-limiter-flexible returned an unexpected result');
    return counted.reservation;
  }

  /** The library calls it for `consume`. */
  _upsert(
    key: string,
    needed: number,
    _ms: number,
    _forced: boolean,
    { request }: { request: ReservationRequest },
  ): Promise<readonly number[]> {
    // A command would wait in a queue until the connection is ready.
    if (this.#client.status !== 'ready') return Promise.reject(new Error('Redis is not ready'));
    const { batch, unspent } = request;
    const windows = this.#windows.flatMap(({ points, pieceMs, pieces }, index) => [
      points,
      pieceMs,
      pieces,
      unspent?.pieces[index] ?? 0,
    ]);
    const args = [needed, batch, PREFETCH_SHARE, unspent?.points ?? 0, ...windows];
    return reservePoints(this.#client, [key], args) as Promise<readonly number[]>;
  }

  /** The library calls it with the reply of `_upsert`. */
  _getRateLimiterRes(_key: string, _points: number, reply: readonly number[]): RateLimiterRes {
    return new Counted(readReply(reply));
  }
}
