import assert from 'node:assert/strict';
import type { FaultBench } from './bench.ts';

/**
 * What a row measured, by name: `{ 'added ms': 97, 'recovery ms': 310 }`. Two names are added up over all rows by the
 * table's last lines: `added ms`, the most that the fault added to any answer, and `wrong`, which the harness counts.
 */
export type Figure = Readonly<Record<string, number | string>>;

/**
 * One promise, and the figure that shows it. It runs on the bench: gateway processes, Redis servers and sample services.
 * After each row the checks follow that hold for all.
 */
export type BenchRow = {
  /** As the matrix has it: `R1` to `R17`, `U1`, `C1` …; elsewhere the theme's word and a number: `alerts-1`. */
  readonly id: string;
  /** What is promised, as a sentence that reads alone in a log; of a fault: what goes wrong, and what Portico does then. */
  readonly name: string;
  /** Runs in `npm test` too: a second or two, and right on a machine that is busy. */
  readonly fast?: boolean;
  /** Runs in the short form of the browser's rows too. */
  readonly isShort?: boolean;
  /** Why it cannot be run here; such a row is listed and not run. */
  readonly skip?: string | undefined;
  /**
   * Does the harm and measures. It throws where a promise is broken (`node:assert/strict`, `promised`); what every row
   * promises is checked by the harness afterwards. Bounds in time go through `bench.atMost`, never through an assertion.
   * `bench.long`: the run was started with `--long`.
   */
  run(bench: FaultBench): Promise<Figure>;
};

/** Rows by their theme, in order. */
export type Themes = Readonly<Record<string, readonly BenchRow[]>>;

/** The figure of a row whose promise is kept. @throws AssertionError where it is not */
export function promised(ok: boolean, figure: Figure): Figure {
  assert.ok(ok, `not as promised: ${JSON.stringify(figure)}`);
  return figure;
}

/** A row that was run. */
export type Outcome = {
  readonly row: BenchRow;
  readonly figure: Figure;
  /** Every promise that was broken, in a line each. */
  readonly broken: readonly string[];
  /** Whether nothing but bounds in time was broken. */
  readonly onlyLate: boolean;
  readonly seconds: number;
};
