// Finds that the Redis of keys has lost its data: keys that this process knew are gone, although nobody has deleted them.

import type { Clock } from '../../../kernel/clock.ts';
import type { KeyRecord } from '../../../store/key-record.ts';
import { KEY_KNOWN_MS, type KeyLookup, type KeyStore } from '../../../store/key-store.ts';
import { createBoundedMap } from '../../../store/memory/bounded-map.ts';

const LOST_MAX = 10_000;
/** A lost key counts for this time after its last use, so that a loss ends once callers have other keys. */
const USED_MS = 60_000;
/** Keys that are found to be gone within this time have vanished together. */
const TOGETHER_MS = 60_000;
/** If no key was found for this time since the last one vanished, none may be left. */
const NONE_FOUND_MS = 5_000;

/** A key that was valid when it was last looked up, and whose record is gone. Times are monotonic, in milliseconds. */
export type LostKey = { readonly record: KeyRecord; readonly lostAt: number; usedAt: number };

/** A loss of data. `since`: when it was noticed, in ms since the epoch. `count`: the lost keys that are still in use. */
export type KeyLoss = { readonly since: number; readonly count: number };

/** The keys that Redis has lost, as far as this process knew them. */
export type LostKeys = ReturnType<typeof createLostKeys>;

/** Creates the memory of lost keys, which is empty. */
export function createLostKeys(store: Pick<KeyStore, 'isDeleted'>, clock: Clock) {
  const lost = createBoundedMap<LostKey>(LOST_MAX, () => 1);

  return {
    get: (id: string): LostKey | undefined => lost.get(id),
    /** Notes what a look-up says of a key. `known`: its record before, if this process had one. */
    async note(id: string, { kind }: KeyLookup, known: KeyRecord | undefined): Promise<void> {
      if (kind === 'found') lost.delete(id);
      if (kind !== 'absent' || known === undefined) return;
      // Only a key that is revoked or has expired can be deleted. A process that seldom uses it may still know it as valid.
      const isEnded = known.revokedAt !== undefined || (known.expiresAt ?? Infinity) <= clock.now();
      if (isEnded || (await store.isDeleted(id))) return;
      const now = clock.monotonic();
      lost.set(id, { record: known, lostAt: now, usedAt: now }, KEY_KNOWN_MS);
    },
    /**
     * The loss of data that callers suffer from now. A single key that is gone is none, because somebody may have removed it
     * from Redis by hand: two must have vanished within a minute, or no key must be found any more. `foundAt`: when a key was last
     * found (monotonic).
     */
    loss(foundAt: number): KeyLoss | undefined {
      const now = clock.monotonic();
      const used = lost.alive().filter(([, { usedAt }]) => now - usedAt <= USED_MS);
      const times = used.map(([, { lostAt }]) => lostAt).sort((one, other) => one - other);
      const last = times.at(-1) ?? Infinity;
      const isNoneLeft = foundAt < last && now - last >= NONE_FOUND_MS;
      const together = times.findIndex((at, index) => (times[index + 1] ?? Infinity) - at <= TOGETHER_MS);
      const from = together < 0 && isNoneLeft ? times.length - 1 : together;
      const since = times[from];
      return since === undefined
        ? undefined
        : { since: clock.now() - (now - since), count: times.length - from };
    },
  };
}
