// Counts the answers that lack a lost field, so that its incident says which callers get null.

import type { Origin } from '../../kernel/migration-origin.ts';
import type { IncidentRun } from './incident-run.ts';

/**
 * Which answers lack a lost field: those of some operations, with a text such as `"city":null` in their body. `origin`: if the
 * resource moves, those of this source alone.
 */
export type FieldReaders = {
  readonly operations: readonly string[];
  readonly origin: Origin;
  readonly lack: string;
};

/** A lost field with the run of its incident. */
type LostField = FieldReaders & { readonly run: IncidentRun };

/** Creates the counts. No field is lost at first. */
export function createLostFieldAnswers(now: () => number) {
  let fields: readonly LostField[] = [];
  return {
    /** Notes which fields are lost at this moment. */
    look: (lost: readonly LostField[]): void => void (fields = lost),
    /**
     * Counts a successful answer if it lacks a lost field, because a field counts as lost for some time after its values are
     * back. It costs one comparison while no field is lost.
     */
    answered: (operation: string, caller: string | undefined, body: Buffer, answeredBy?: Origin): void => {
      if (fields.length === 0) return;
      const at = now();
      for (const { run, operations, origin, lack } of fields)
        if (operations.includes(operation) && (answeredBy ?? origin) === origin && body.includes(lack))
          run.fail({ at, operation, caller, effect: 'lacks' }, at);
    },
  };
}
