import type { Snapshot } from './snapshot.ts';

/** The snapshot in force, and those before it that still have requests under way. */
export type SnapshotHolder = {
  readonly current: Snapshot;
  /** Puts a snapshot in force. The one before closes once its requests are answered. */
  replace(next: Snapshot): void;
  /** Resolves as soon as fewer than two old snapshots are left; at the latest after the longest deadline. */
  untilRoom(): Promise<void>;
  /** Closes all of them at once. */
  close(): Promise<void>;
};

/** How many old snapshots may be left at once: each may hold connections and rows of its own. */
const OLD_MAX = 2;

/** Creates the holder of the first snapshot. */
export function createSnapshotHolder(first: Snapshot): SnapshotHolder {
  const old = new Map<Snapshot, Promise<void>>();
  let current = first;

  async function retire(snapshot: Snapshot): Promise<void> {
    await snapshot.untilUnused();
    // `close` may have been quicker.
    if (old.delete(snapshot)) await snapshot.close();
  }

  return {
    get current() {
      return current;
    },
    replace(next) {
      const before = current;
      current = next;
      old.set(before, retire(before));
    },
    async untilRoom() {
      while (old.size >= OLD_MAX) await Promise.race(old.values());
    },
    async close() {
      const all = [...old.keys(), current];
      old.clear();
      await Promise.all(all.map((snapshot) => snapshot.close()));
    },
  };
}
