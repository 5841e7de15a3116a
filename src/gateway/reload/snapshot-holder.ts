// Holds the snapshot in force, and closes a replaced snapshot once its last request has ended.

import type { Snapshot } from './snapshot.ts';

/** How many replaced snapshots may be open at once; each may hold its own connections and rows. */
const OLD_MAX = 2;

/** Creates the holder with the first snapshot in force. */
export function createSnapshotHolder(first: Snapshot) {
  const old = new Map<Snapshot, Promise<void>>();
  let current = first;

  async function retire(snapshot: Snapshot): Promise<void> {
    await snapshot.untilUnused();
    // Unless `close` has closed the snapshot already.
    if (old.delete(snapshot)) await snapshot.close();
  }

  return {
    get current(): Snapshot {
      return current;
    },
    /** Puts a snapshot in force. The replaced snapshot closes once its requests are answered. */
    replace(next: Snapshot): void {
      const before = current;
      current = next;
      old.set(before, retire(before));
    },
    /** Resolves once fewer than two replaced snapshots are open, at the latest after the longest deadline. */
    async untilRoom(): Promise<void> {
      while (old.size >= OLD_MAX) await Promise.race(old.values());
    },
    /** Closes all snapshots at once. */
    async close(): Promise<void> {
      const all = [...old.keys(), current];
      old.clear();
      await Promise.all(all.map((snapshot) => snapshot.close()));
    },
  };
}
