// Finds which records differ, and holds their ids in memory until they are handed over.

import type { OperatorTasks } from '../../../migration/operate/operator-tasks.ts';
import type { NamedDifference, Run } from '../../../migration/tasks/task-results.ts';

/** What differs by id, of the last such work of each resource. Ids may name persons, so they are in no store. */
export type NamedDifferences = {
  /** Makes the work that walks over all records; its result has numbers alone, because every viewer sees it. */
  find(resource: string): (run: Run) => Promise<object>;
  /** Hands over what was found, and forgets it; `undefined`: nothing waits. */
  take(resource: string): readonly NamedDifference[] | undefined;
};

/** The most differences that are handed over, and how long they wait for it, in milliseconds. */
const IDS_MAX = 50_000;
const IDS_MS = 600_000;

/** Creates the holder of a process. */
export function createNamedDifferences({ walk }: Pick<OperatorTasks, 'walk'>): NamedDifferences {
  const found = new Map<string, readonly NamedDifference[]>();
  return {
    find: (resource) => async (run) => {
      const all: NamedDifference[] = [];
      const result = await walk(resource, run, (one) => {
        if (all.length < IDS_MAX) all.push(one);
      });
      found.set(resource, all);
      setTimeout(() => found.get(resource) === all && found.delete(resource), IDS_MS).unref();
      return { ...result, named: all.length };
    },
    take(resource) {
      const taken = found.get(resource);
      found.delete(resource);
      return taken;
    },
  };
}
