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

/** A lost field with the run of its incident, since callers get null for it. */
type LostField = FieldReaders & { readonly run: IncidentRun; readonly since: number };

type Answer = readonly [
  ...[at: number, operation: string, caller: string | undefined],
  ...[body: Buffer, by: Origin | undefined],
];

/** A loss is noticed a second or two after the first answer that lacks the field, so the latest answers are kept. */
const KEPT = 256;
/** A larger body is not kept. */
const BODY_MAX = 32_768;

function count(
  { run, operations, origin, lack }: LostField,
  [at, operation, caller, body, by]: Answer,
): void {
  if (operations.includes(operation) && (by ?? origin) === origin && body.includes(lack))
    run.fail({ at, operation, caller, effect: 'lacks' }, at);
}

/** Creates the counts. No field is lost at first. */
export function createLostFieldAnswers(now: () => number) {
  const latest: Answer[] = [];
  let fields: readonly LostField[] = [];
  let next = 0;
  return {
    /** Notes which fields are lost at this moment. Of a new one, the answers since it is lost are counted. */
    look(lost: readonly LostField[]): void {
      for (const field of lost)
        if (!fields.some(({ run }) => run === field.run))
          for (const answer of latest) if (answer[0] >= field.since) count(field, answer);
      fields = lost;
    },
    /** Counts a successful answer if it lacks a lost field, and keeps it for a while, as it may lack one that is found lost soon. */
    answered: (operation: string, caller: string | undefined, body: Buffer, answeredBy?: Origin): void => {
      const answer: Answer = [now(), operation, caller, body, answeredBy];
      for (const field of fields) count(field, answer);
      if (body.length > BODY_MAX) return;
      latest[next] = answer;
      next = (next + 1) % KEPT;
    },
  };
}
