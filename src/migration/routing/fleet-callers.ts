// Counts the callers of the last hour for a whole fleet in Redis, for the preview of a share.

import { createHmac } from 'node:crypto';
import type { Redis } from 'ioredis';
import { createSerialQueue } from '../../kernel/semaphore.ts';
import { newToken } from '../../store/redis/distributed-lock.ts';
import { addCalls } from '../../store/redis/scripts/count-scripts.ts';
import { stepOfBucket } from './bucket.ts';
import {
  CALLERS_MAX,
  type CallSlice,
  createCallSlices,
  mergeCalls,
  type RecentCaller,
  type RecentCallers,
  recentSlices,
} from './recent-callers.ts';

/** `secret` is the same in all processes, so that a caller has the same digest in each of them. */
export type FleetCallersDeps = {
  readonly client: Pick<Redis, 'callBuffer' | 'hgetall'>;
  /** Builds the Redis key of a part; all parts have the same hash tag. */
  readonly keyOf: (part: string) => string;
  /** Milliseconds since the epoch: the slices of all processes are the same. */
  readonly now: () => number;
  /** The key of the digests that stand for callers; it stands in no store. */
  readonly secret: string;
};

const FLUSH_MS = 2_000;
/** A slice ends some minutes after the hour. */
const KEPT_MS = 4_200_000;
/** So many callers are written at once, because Redis serves nobody else meanwhile. */
const CHUNK = 1_000;
const DIGEST_LENGTH = 14;

/** A write that may have to be sent again. */
type Write = { readonly slice: number; readonly token: string; readonly text: string };

/** The digests of callers, and the names behind those that this process has made. */
function createDigests(secret: string) {
  const digests = new Map<string, string>();
  function digestOf(id: string): string {
    const known = digests.get(id);
    if (known !== undefined) return known;
    if (digests.size >= CALLERS_MAX) digests.clear();
    const whole = createHmac('sha256', secret).update(`caller:${id}`).digest('base64url');
    const digest = whole.slice(0, DIGEST_LENGTH);
    digests.set(id, digest);
    return digest;
  }
  return {
    digestOf,
    /** The names by digest. */
    names: (named: readonly string[]) =>
      new Map([...digests.keys(), ...named].map((id) => [digestOf(id), id] as const)),
  };
}

/** The field of all callers of one step of the share, for callers beyond `CALLERS_MAX`. Other fields have a digest, too. */
const stepField = (bucket: number) => `${stepOfBucket(bucket)}:`;

/** The caller of a field of the hash. */
function callerOf(field: string, calls: string, names: ReadonlyMap<string, string>): RecentCaller {
  const [bucket = '', digest = ''] = field.split(':');
  const id = digest === '' ? undefined : (names.get(digest) ?? `h:${digest.slice(0, 6)}`);
  return { bucket: Number(bucket), id, calls: Number(calls) };
}

/** The writes for one slice of time, in chunks. */
function writesOf({ number: slice, counts }: CallSlice, digestOf: (id: string) => string): readonly Write[] {
  const rows = Array.from(counts.values(), ({ bucket, id, calls }) => {
    const rest = stepField(bucket);
    return [id === undefined ? rest : `${bucket}:${digestOf(id)}`, rest, calls];
  });
  const chunks = Array.from({ length: Math.ceil(rows.length / CHUNK) }, (_, at) =>
    rows.slice(at * CHUNK, (at + 1) * CHUNK),
  );
  return chunks.map((chunk) => ({ slice, token: newToken(), text: JSON.stringify(chunk) }));
}

/**
 * Creates the callers of a fleet. Each process adds its counts to Redis every two seconds, with a digest for each caller. `name`
 * is that of the migration. A caller that this process has not seen is named by a part of its digest.
 */
export function createFleetCallers(name: string, deps: FleetCallersDeps): RecentCallers {
  const { client, keyOf, now, secret } = deps;
  const slices = createCallSlices(now);
  const { digestOf, names } = createDigests(secret);
  const inTurn = createSerialQueue();
  const last = keyOf(`callers:${name}:last:${newToken()}`);
  const sliceKey = (slice: number) => keyOf(`callers:${name}:${slice}`);
  let waiting: Write[] = [];

  async function write(): Promise<void> {
    if (waiting.length === 0) waiting = slices.take().flatMap((slice) => writesOf(slice, digestOf));
    for (let [next] = waiting; next !== undefined; [next] = waiting) {
      await addCalls(client, [sliceKey(next.slice), last], [next.text, next.token, KEPT_MS, CALLERS_MAX]);
      waiting.shift();
    }
  }

  const flush = () => inTurn(write);
  // If Redis fails, the counts stay in this process, with a maximum size, and the next time tries again.
  const timer = setInterval(() => void flush().catch(() => undefined), FLUSH_MS).unref();

  return {
    count: slices.count,
    async list(named) {
      await flush();
      const known = names(named);
      const stored = await Promise.all(recentSlices(now()).map((slice) => client.hgetall(sliceKey(slice))));
      return mergeCalls(
        stored.flatMap((fields) =>
          Object.entries(fields).map(([field, calls]) => callerOf(field, calls, known)),
        ),
      );
    },
    close: () => clearInterval(timer),
  };
}
