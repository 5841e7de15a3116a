// Keeps the traces of failed, slow and refused requests in Redis for 48 hours, so that any gateway of the fleet can show them.

import type { Clock } from '../../kernel/clock.ts';
import { type KeptKind, keptKinds, type KeptRequest } from '../../telemetry/requests/recent-requests.ts';
import type { RequestTrace } from '../../telemetry/requests/request-trace.ts';
import type { RedisKeys } from '../redis/redis-keys.ts';
import type { RedisConnection } from '../redis/redis.ts';
import { addTraces } from '../redis/scripts/count-scripts.ts';

/** What happened to a trace: `written`, `left_out` because too many came at once, or `lost` because Redis failed. */
export type TraceWriteOutcome = 'written' | 'left_out' | 'lost';

/** The traces of requests of all gateways on one Redis, for 48 hours. */
export type FleetTraceIndex = ReturnType<typeof createFleetTraceIndex>;

/**
 * What the index of traces needs. While Redis is not ready, traces are `lost`. `onTrace` is called once for each trace, but
 * not for those that wait at `close`.
 */
export type FleetTraceIndexDeps = {
  readonly redis: Pick<RedisConnection, 'client' | 'isReady'>;
  readonly keys: Pick<RedisKeys, 'requests'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly onTrace: (kind: KeptKind, outcome: TraceWriteOutcome) => void;
};

/** Traces as JSON. `oldest`: the oldest trace of each list that is full, so that older ones may have made room. */
type IndexedTexts = { readonly texts: readonly string[]; readonly oldest: readonly string[] };

/** For how long a trace is kept. */
export const INDEX_MS = 48 * 3_600_000;
const HOUR_MS = 3_600_000;
const FLUSH_MS = 1_000;
/** Traces of a kind that a process writes in a second; more would hardly show anything new. */
const BATCH_MAX = 20;
/** Traces that are kept for each kind and hour: at most 40 MB in 48 hours, if all of them are as long as possible. */
const PER_HOUR: Readonly<Record<KeptKind, number>> = { failed: 100, slow: 50, refused: 50 };
const TEXT_BYTES_MAX = 4_096;
/** How many timings a trace keeps that is too long. */
const STEPS_MAX = 15;
const TEXT_CHARS_MAX = 200;
/** Hours that are read at once: a few hundred traces. */
const HOURS_READ = 2;

/**
 * A trace as JSON. If it is too long, only its longest timings are kept.
 * @internal
 */
export function traceText(trace: RequestTrace): string {
  const text = JSON.stringify(trace);
  if (Buffer.byteLength(text) <= TEXT_BYTES_MAX) return text;
  const longest = new Set(trace.timings.toSorted((a, b) => b.ms - a.ms).slice(0, STEPS_MAX));
  const timings = trace.timings.filter((step) => longest.has(step));
  return JSON.stringify({
    ...trace,
    detail: trace.detail?.slice(0, TEXT_CHARS_MAX),
    cause: trace.cause?.slice(0, TEXT_CHARS_MAX),
    plan: trace.plan && { kind: trace.plan.kind },
    timings,
    timingsLeftOut: trace.timingsLeftOut + trace.timings.length - timings.length,
  });
}

/** Reads the traces of some hours, the newest first. Rejects if Redis fails. */
async function readHours(
  { client }: FleetTraceIndexDeps['redis'],
  keys: FleetTraceIndexDeps['keys'],
  newest: number,
  oldest: number,
): Promise<IndexedTexts> {
  const commands = client.pipeline();
  const lengths: number[] = [];
  for (let hour = newest; hour >= oldest; hour -= 1)
    for (const kind of keptKinds) {
      commands.lrange(keys.requests(kind, hour), 0, PER_HOUR[kind] - 1);
      lengths.push(PER_HOUR[kind]);
    }
  const replies = (await commands.exec()) ?? [];
  // A key of another type is not Portico's.
  const lists = replies.map(([error, texts]) => (error === null ? (texts as readonly string[]) : []));
  const oldestOf = (list: readonly string[], at: number) =>
    list.length === lengths[at] ? list.slice(-1) : [];
  return { texts: lists.flat(), oldest: lists.flatMap(oldestOf) };
}

/** Creates the index. Redis has a list for each kind and hour, so a flood in one hour pushes out no traces of another. */
export function createFleetTraceIndex({ redis, keys, clock, onTrace }: FleetTraceIndexDeps) {
  const { client } = redis;
  let pending = new Map<KeptKind, KeptRequest[]>();
  let timer: NodeJS.Timeout | undefined;
  let isWriting = false;
  let isClosed = false;
  const hourOf = (ms: number) => Math.floor(ms / HOUR_MS);

  async function write(batch: ReadonlyMap<KeptKind, readonly KeptRequest[]>): Promise<void> {
    if (!redis.isReady()) throw new Error('Redis is not ready');
    const hour = hourOf(clock.now());
    await Promise.all(
      [...batch].map(([kind, kept]) => {
        const texts = kept.map(({ trace }) => traceText(trace()));
        const args = [PER_HOUR[kind], INDEX_MS + HOUR_MS, ...texts];
        return addTraces(client, [keys.requests(kind, hour)], args);
      }),
    );
  }

  async function flush(): Promise<void> {
    timer = undefined;
    const batch = pending;
    pending = new Map();
    isWriting = true;
    const outcome = await write(batch).then(
      () => 'written' as const,
      () => 'lost' as const,
    );
    isWriting = false;
    for (const [kind, kept] of batch) for (let i = 0; i < kept.length; i += 1) onTrace(kind, outcome);
    schedule();
  }

  /** Schedules one write at a time; while Redis is slow, at most one batch of traces waits. */
  function schedule(): void {
    if (timer !== undefined || isWriting || isClosed || pending.size === 0) return;
    timer = setTimeout(() => void flush(), FLUSH_MS).unref();
  }

  return {
    /** Adds a trace, which is written about a second later. It returns at once; `onTrace` tells the outcome. */
    add(kept: KeptRequest): void {
      const batch = pending.get(kept.kind) ?? [];
      if (isClosed || batch.length >= BATCH_MAX) {
        onTrace(kept.kind, 'left_out');
        return;
      }
      batch.push(kept);
      pending.set(kept.kind, batch);
      schedule();
    },
    /**
     * The JSON texts of the traces between two times (ms since the epoch), and some others, the newest hours first. Rejects if Redis
     * fails.
     */
    async *read(sinceMs: number, untilMs = Infinity): AsyncIterable<IndexedTexts> {
      if (!redis.isReady()) throw new Error('Redis is not ready');
      const now = clock.now();
      const oldest = hourOf(Math.max(sinceMs, now - INDEX_MS));
      // A trace is written when its request has ended, which may be in the next hour.
      for (let newest = hourOf(Math.min(now, untilMs + HOUR_MS)); newest >= oldest; newest -= HOURS_READ)
        yield await readHours(redis, keys, newest, Math.max(oldest, newest - HOURS_READ + 1));
    },
    /** Stops writing; traces that wait are dropped. */
    close(): void {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}
