// Counts the answers of operations that read a lost field, so that its incident says which callers get null.

import type { IncidentRun } from './incident-run.ts';

/** A lost field: the run of its incident, and the operations whose answers have the field. */
type LostField = { readonly run: IncidentRun; readonly readBy: readonly string[] };

/** Creates the counts. No field is lost at first. */
export function createLostFieldAnswers(now: () => number) {
  let runs: ReadonlyMap<string, readonly IncidentRun[]> = new Map();
  return {
    /** Notes which fields are lost at this moment. */
    look(lost: readonly LostField[]): void {
      const pairs = lost.flatMap(({ run, readBy }) => readBy.map((operation) => ({ operation, run })));
      const found = Map.groupBy(pairs, ({ operation }) => operation);
      runs = new Map([...found].map(([operation, all]) => [operation, all.map(({ run }) => run)]));
    },
    /** Counts a successful answer. It costs one comparison while no field is lost. */
    answered: (operation: string, caller: string | undefined): void => {
      if (runs.size === 0) return;
      const at = now();
      for (const run of runs.get(operation) ?? []) run.fail({ at, operation, caller, effect: 'lacks' }, at);
    },
  };
}
