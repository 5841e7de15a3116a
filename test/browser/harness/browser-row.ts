import type { FaultBench } from '../../faults/harness/bench.ts';
import type { Figure } from '../../faults/harness/row.ts';
import type { OperationRow } from '../../operations/row.ts';

/** One promise that is shown in a real browser. */
export type BrowserRow = {
  /** The theme's word and a number: `docs-1`. */
  readonly id: string;
  /** What is promised, as a sentence that reads alone in a log. */
  readonly name: string;
  /** Runs in the short form too. */
  readonly isShort: boolean;
  /** Looks. It fails where `ok` is false, or where it throws. */
  run(bench: FaultBench): Promise<{ readonly ok: boolean; readonly figure: Figure }>;
};

/** A row as the runner of the tables takes it. Those rows of `npm test` need no browser, so none of these is fast. */
export function asOperationRow(row: BrowserRow): OperationRow {
  return { id: row.id, name: row.name, fast: false, run: (bench) => row.run(bench) };
}
