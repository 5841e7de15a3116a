// Counts the callers of the last hour for a fleet in Redis, so that `portico migration preview` says whom a share would reach.

import { createHmac } from 'node:crypto';
import type { Redis } from 'ioredis';
import { createSerialQueue } from '../../kernel/semaphore.ts';
import { finishStepsInTurns, type Steps } from '../../kernel/yield-to-loop.ts';
import { newToken } from '../../store/redis/distributed-lock.ts';
import { addCalls } from '../../store/redis/scripts/count-scripts.ts';
import { stepOfBucket } from './bucket.ts';
import {
  CALLERS_MAX,
  CALLERS_PER_STEP,
  type CallSlice,
  createCallSlices,
  mergeCalls,
  type RecentCaller,
  type RecentCallers,
  recentSlices,
} from './recent-callers.ts';

/** What the callers of a fleet need. `secret` is the same in all processes, so that a caller has the same digest in each. */
export type FleetCallersDeps = {
  readonly client: Pick<Redis, 'callBuffer' | 'hgetall'>;
  /** Builds the Redis key of a part; all parts have the same hash tag. */
  readonly keyOf: (part: string) => string;
  /** Milliseconds since the epoch, so that all processes have the same slices of time. */
  readonly now: () => number;
  /** The key of the digests that replace the ids of callers; it is not in Redis. */
  readonly secret: string;
};

const FLUSH_MS = 2_000;
/** Redis keeps a slice of time for some minutes more than an hour. */
const KEPT_MS = 4_200_000;
/** How many callers are written at once; Redis serves nobody else meanwhile. */
const CHUNK = 1_000;
const DIGEST_LENGTH = 14;

/** A write that may have to be sent again. */
type Write = { readonly slice: number; readonly token: string; readonly text: string };

/** Creates the digests of callers, and remembers the ids of the callers that this process has seen. */
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
  /** The ids of known callers by digest, in steps. */
  function* names(named: readonly string[]): Steps<ReadonlyMap<string, string>> {
    const found = new Map<string, string>();
    for (const id of [...digests.keys(), ...named]) {
      found.set(digestOf(id), id);
      if (found.size % CALLERS_PER_STEP === 0) yield;
    }
    return found;
  }
  return { digestOf, names };
}

/** The field that counts all further callers of one step of the share. The field of a single caller also has a digest. */
const stepField = (bucket: number) => `${stepOfBucket(bucket)}:`;

/** The caller of a field of the hash. */
function callerOf(field: string, calls: string, names: ReadonlyMap<string, string>): RecentCaller {
  const [bucket = '', digest = ''] = field.split(':');
  const id = digest === '' ? undefined : (names.get(digest) ?? `h:${digest.slice(0, 6)}`);
  return { bucket: Number(bucket), id, calls: Number(calls) };
}

/** The callers of all slices of time, one after the other. */
function* callersOf(
  slices: readonly Readonly<Record<string, string>>[],
  names: ReadonlyMap<string, string>,
): Generator<RecentCaller> {
  for (const fields of slices)
    for (const [field, calls] of Object.entries(fields)) yield callerOf(field, calls, names);
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
 * Creates the record of the callers of a fleet. Each process adds its counts to Redis every two seconds, with a digest for each
 * caller. `name` is the name of the migration. A caller that this process has not seen is shown by a part of its digest.
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
  // If Redis fails, the counts stay in this process, with a maximum size, and the next flush tries again.
  const timer = setInterval(() => void flush().catch(() => undefined), FLUSH_MS).unref();

  return {
    count: slices.count,
    async list(named) {
      await flush();
      const known = await finishStepsInTurns(names(named));
      const stored = await Promise.all(recentSlices(now()).map((slice) => client.hgetall(sliceKey(slice))));
      return finishStepsInTurns(mergeCalls(callersOf(stored, known)));
    },
    close: () => clearInterval(timer),
  };
}
