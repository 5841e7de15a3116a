import assert from 'node:assert/strict';
import type { FaultBench } from '../faults/harness/bench.ts';
import type { FaultRow, Figure } from '../faults/harness/row.ts';

/**
 * One promise to those who operate Portico. It runs on the bench of the fault matrix: gateway processes, Redis servers and
 * sample services, and after each row the checks that every row of that matrix gets.
 */
export type OperationRow = {
  /** The theme's word and a number: `alerts-1`. */
  readonly id: string;
  /** What is promised, as a sentence that reads alone in a log. */
  readonly name: string;
  /** Runs in `npm test` too: a second or two, and right on a machine that is busy. */
  readonly fast: boolean;
  /** Why it cannot be run here; such a row is listed and not run. */
  readonly skip?: string | undefined;
  /** Measures. It fails where `ok` is false, or where it throws. `bench.long`: the run was started with `--long`. */
  run(bench: FaultBench): Promise<{ readonly ok: boolean; readonly figure: Figure }>;
};

/** A row as the runner of the fault matrix takes it. */
export function asFaultRow(row: OperationRow): FaultRow {
  const { id, name, fast, skip } = row;
  return {
    id,
    fault: name,
    expected: 'as the documents say',
    figure: 'what the row measured',
    fast,
    ...(skip === undefined ? {} : { skip }),
    async run(bench) {
      const { ok, figure } = await row.run(bench);
      assert.ok(ok, `not as promised: ${JSON.stringify(figure)}`);
      return figure;
    },
  };
}
