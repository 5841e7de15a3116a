import type { Redis } from 'ioredis';
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { expectType } from '../redis/expect-type.ts';
import {
  type Reservation,
  type ReservationRequest,
  PREFETCH_SHARE,
  type SubWindows,
  type WindowCount,
} from './sub-windows.ts';

/**
 * Counts points in a hash, by Redis' own clock: one field for each piece of each window that has any, and `t` for the
 * latest time seen. If the clock went back by no more than the longest window, `t` replaces it, so that no count is
 * lost. ARGV: needed, batch, share, returned points; then for each window its points, the length of a piece in
 * milliseconds, the number of pieces, and the piece in which the returned points were counted. Returns granted,
 * validMs, and for each window the free points, resetMs, waitMs and the current piece.
 */
const RESERVE_SCRIPT = `
local key, needed, batch = KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2])
local share, back = tonumber(ARGV[3]), tonumber(ARGV[4])
local time = redis.call('time')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
${expectType('key', 'hash')}
local stored, names = {}, redis.call('hgetall', key)
for i = 1, #names, 2 do stored[names[i]] = tonumber(names[i + 1]) or 0 end
local longest = 0
for i = 5, #ARGV, 4 do longest = math.max(longest, ARGV[i + 1] * (ARGV[i + 2] + 1)) end
local latest = stored.t or 0
stored.t = nil
if latest > now and latest - now <= longest then now = latest end
local free, windows = math.huge, {}
for i = 5, #ARGV, 4 do
  local w = { size = tonumber(ARGV[i + 1]), pieces = tonumber(ARGV[i + 2]), prefix = (i - 1) / 4 .. ':' }
  if back > 0 then
    local name = w.prefix .. ARGV[i + 3]
    if stored[name] then
      stored[name] = math.max(0, stored[name] - back)
      redis.call('hset', key, name, string.format('%.0f', stored[name]))
    end
  end
  w.now = math.floor(now / w.size)
  local used = 0
  for name, count in pairs(stored) do
    local prefix, piece = string.match(name, '^(%d+:)(%d+)$')
    if prefix == w.prefix then
      piece = tonumber(piece)
      if piece < w.now - w.pieces or piece > w.now then
        redis.call('hdel', key, name)
      elseif count > 0 then
        used = used + count
        w.first = math.min(w.first or piece, piece)
        w.last = math.max(w.last or piece, piece)
      end
    end
  end
  w.free = math.max(0, tonumber(ARGV[i]) - used)
  free = math.min(free, w.free)
  windows[#windows + 1] = w
end
local granted = math.min(needed, free)
if free > needed then granted = granted + math.min(batch, math.floor((free - needed) / share)) end
local valid, answer = math.huge, { granted, 0 }
for i, w in ipairs(windows) do
  if granted > 0 then
    redis.call('hincrby', key, w.prefix .. string.format('%.0f', w.now), granted)
    w.first = w.first or w.now
    w.last = w.now
  end
  valid = math.min(valid, (w.now + 1) * w.size - now)
  local left = w.free - granted
  answer[#answer + 1] = left
  answer[#answer + 1] = w.last and math.ceil((w.last + w.pieces + 1) * w.size - now) or 0
  answer[#answer + 1] = left < 1 and w.first and math.ceil((w.first + w.pieces + 1) * w.size - now) or 0
  answer[#answer + 1] = w.now
end
answer[2] = math.floor(valid)
if granted > 0 then
  redis.call('hset', key, 't', string.format('%.0f', now))
  redis.call('pexpire', key, math.ceil(longest))
end
return answer`;

type ScriptClient = Redis & {
  porticoReserve(key: string, ...args: (string | number)[]): Promise<readonly number[]>;
};

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
  readonly #client: ScriptClient;

  constructor(redis: Redis, windows: readonly SubWindows[]) {
    const [first] = windows;
    super({
      storeClient: redis,
      keyPrefix: '',
      points: first?.points ?? 1,
      duration: first?.seconds ?? 1,
    });
    redis.defineCommand('porticoReserve', { numberOfKeys: 1, lua: RESERVE_SCRIPT });
    this.#client = redis as ScriptClient;
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
    return this.#client.porticoReserve(key, needed, batch, PREFETCH_SHARE, unspent?.points ?? 0, ...windows);
  }

  /** The library calls it with the reply of `_upsert`. */
  _getRateLimiterRes(_key: string, _points: number, reply: readonly number[]): RateLimiterRes {
    return new Counted(readReply(reply));
  }
}
