import type { Clock } from '../../kernel/clock.ts';
import { type KeptKind, keptKinds, type KeptRequest } from '../../telemetry/requests/recent-requests.ts';
import type { RequestStory } from '../../telemetry/requests/request-story.ts';
import type { RedisKeys } from '../redis/redis-keys.ts';
import type { RedisConnection } from '../redis/redis.ts';
import { addStories } from '../redis/scripts/count-scripts.ts';

/** What became of a request's story: written, left out because too many came at once, or lost because Redis took none. */
export type IndexOutcome = 'written' | 'left_out' | 'lost';

/** The stories of requests of all gateways on one Redis, for 48 hours. */
export type RequestIndex = {
  /** Takes a story; it is written within a second, or counted as left out or lost. Nobody waits for it. */
  readonly add: (kept: KeptRequest) => void;
  /** The texts of the stories of the hours since, the newest hours first. Rejects if Redis fails. */
  read(sinceMs: number): AsyncIterable<readonly string[]>;
  /** Writes nothing more. */
  close(): void;
};

/** Stories do not wait for a Redis that is not ready: they are `lost`. `onStory` hears of each
 * story once, but not of those that wait at `close`. */
export type RequestIndexDeps = {
  readonly redis: Pick<RedisConnection, 'client' | 'isReady'>;
  readonly keys: Pick<RedisKeys, 'requests'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly onStory: (kind: KeptKind, outcome: IndexOutcome) => void;
};

/** For how long a story is kept. */
export const INDEX_MS = 48 * 3_600_000;
const HOUR_MS = 3_600_000;
const FLUSH_MS = 1_000;
/** Stories of a kind that a process writes in a second; the next ones would say the same. */
const BATCH_MAX = 20;
/** Stories of a kind and hour: 40 MB of all in 48 hours at the most, where every hour is full of the longest ones. */
const PER_HOUR: Readonly<Record<KeptKind, number>> = { failed: 100, slow: 50, refused: 50 };
const TEXT_BYTES_MAX = 4_096;
/** Steps of a story that is too long. */
const STEPS_MAX = 15;
const TEXT_CHARS_MAX = 200;
/** Hours that are read at once: a few hundred stories. */
const HOURS_READ = 2;

/**
 * A story as text. One that is too long keeps its longest steps.
 * @internal
 */
export function storyText(story: RequestStory): string {
  const text = JSON.stringify(story);
  if (Buffer.byteLength(text) <= TEXT_BYTES_MAX) return text;
  const longest = new Set(story.steps.toSorted((a, b) => b.ms - a.ms).slice(0, STEPS_MAX));
  const steps = story.steps.filter((step) => longest.has(step));
  return JSON.stringify({
    ...story,
    detail: story.detail?.slice(0, TEXT_CHARS_MAX),
    cause: story.cause?.slice(0, TEXT_CHARS_MAX),
    plan: story.plan && { kind: story.plan.kind },
    steps,
    stepsLeftOut: story.stepsLeftOut + story.steps.length - steps.length,
  });
}

/** Creates the index. A list for each kind and hour, so that a flood of one hour pushes out nothing of another. */
export function createRequestIndex({ redis, keys, clock, onStory }: RequestIndexDeps): RequestIndex {
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
        const texts = kept.map(({ story }) => storyText(story()));
        const args = [PER_HOUR[kind], INDEX_MS + HOUR_MS, ...texts];
        return addStories(client, [keys.requests(kind, hour)], args);
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
    for (const [kind, kept] of batch) for (let i = 0; i < kept.length; i += 1) onStory(kind, outcome);
    schedule();
  }

  /** One write at a time: while Redis is slow, stories wait up to the bound of one batch. */
  function schedule(): void {
    if (timer !== undefined || isWriting || isClosed || pending.size === 0) return;
    timer = setTimeout(() => void flush(), FLUSH_MS).unref();
  }

  async function readHours(newest: number, oldest: number): Promise<readonly string[]> {
    const commands = client.pipeline();
    for (let hour = newest; hour >= oldest; hour -= 1)
      for (const kind of keptKinds) commands.lrange(keys.requests(kind, hour), 0, PER_HOUR[kind] - 1);
    const replies = (await commands.exec()) ?? [];
    // A key of another type is none of ours.
    return replies.flatMap(([error, texts]) => (error === null ? (texts as readonly string[]) : []));
  }

  return {
    add(kept) {
      const batch = pending.get(kept.kind) ?? [];
      if (isClosed || batch.length >= BATCH_MAX) {
        onStory(kept.kind, 'left_out');
        return;
      }
      batch.push(kept);
      pending.set(kept.kind, batch);
      schedule();
    },
    async *read(sinceMs) {
      if (!redis.isReady()) throw new Error('Redis is not ready');
      const now = clock.now();
      const oldest = hourOf(Math.max(sinceMs, now - INDEX_MS));
      for (let newest = hourOf(now); newest >= oldest; newest -= HOURS_READ)
        yield await readHours(newest, Math.max(oldest, newest - HOURS_READ + 1));
    },
    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}
