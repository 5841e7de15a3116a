import type { Snapshot } from './snapshot.ts';

/** How many old snapshots may be left at once, because each may hold connections and rows of its own. */
const OLD_MAX = 2;

/** Holds the snapshot in force, and those before it that still have requests under way. */
export function createSnapshotHolder(first: Snapshot) {
  const old = new Map<Snapshot, Promise<void>>();
  let current = first;

  async function retire(snapshot: Snapshot): Promise<void> {
    await snapshot.untilUnused();
    // `close` may have been quicker.
    if (old.delete(snapshot)) await snapshot.close();
  }

  return {
    get current(): Snapshot {
      return current;
    },
    /** Puts a snapshot in force. The one before closes once its requests are answered. */
    replace(next: Snapshot): void {
      const before = current;
      current = next;
      old.set(before, retire(before));
    },
    /** Resolves as soon as fewer than two old snapshots are left, at the latest after the longest deadline. */
    async untilRoom(): Promise<void> {
      while (old.size >= OLD_MAX) await Promise.race(old.values());
    },
    /** Closes all of them at once. */
    async close(): Promise<void> {
      const all = [...old.keys(), current];
      old.clear();
      await Promise.all(all.map((snapshot) => snapshot.close()));
    },
  };
}
