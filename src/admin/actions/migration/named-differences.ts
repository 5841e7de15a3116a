// Finds the records that differ, for the action `migrations.ids`, and keeps their ids in memory until an operator takes
// them.

import type { OperatorTasks } from '../../../migration/operate/operator-tasks.ts';
import type { DifferenceWithoutValues, Run } from '../../../migration/tasks/task-results.ts';

/** The ids of records that differ, for each resource. Ids may identify persons, so they are only in memory. */
export type NamedDifferences = ReturnType<typeof createNamedDifferences>;

/** The most differences that are kept, and for how many milliseconds. */
const IDS_MAX = 50_000;
const IDS_MS = 600_000;

/** Creates the store of a process. */
export function createNamedDifferences({ walk }: Pick<OperatorTasks, 'walk'>) {
  const found = new Map<string, readonly DifferenceWithoutValues[]>();
  return {
    /** Makes the task that compares all records. Its result has only counts, because every viewer sees it. */
    find: (resource: string) => async (run: Run) => {
      const all: DifferenceWithoutValues[] = [];
      const result = await walk(resource, run, (one) => {
        if (all.length < IDS_MAX) all.push(one);
      });
      found.set(resource, all);
      setTimeout(() => found.get(resource) === all && found.delete(resource), IDS_MS).unref();
      return { ...result, named: all.length };
    },
    /** Hands over what was found, and forgets it; `undefined` if there is nothing. */
    take(resource: string) {
      const taken = found.get(resource);
      found.delete(resource);
      return taken;
    },
  };
}
