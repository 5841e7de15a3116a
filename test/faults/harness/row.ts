import type { FaultBench } from './bench.ts';

/**
 * What a row measured, by name: `{ 'added ms': 97, 'recovery ms': 310 }`. Two names are added up over all rows by the
 * table's last lines: `added ms`, the most that the fault added to any answer, and `wrong`, which the harness counts.
 */
export type Figure = Readonly<Record<string, number | string>>;

/** One row of the fault matrix. */
export type FaultRow = {
  /** As the matrix has it: `R1` to `R17`, `U1`, `C1`, `P1`, `S1` … */
  readonly id: string;
  /** What goes wrong. */
  readonly fault: string;
  /** What Portico promises then, in the words of the contract: its statuses and codes are the law. */
  readonly expected: string;
  /** What is measured, with its unit. */
  readonly figure: string;
  /** Runs in `npm test` too: a second or less, and right on a machine that is busy. */
  readonly fast: boolean;
  /** Why it cannot be run here; such a row is listed and not run. */
  readonly skip?: string;
  /**
   * Does the harm and measures. It throws where a promise is broken (`node:assert/strict`); what every row promises is
   * checked by the harness afterwards. Bounds in time go through `bench.atMost`, never through an assertion.
   */
  run(bench: FaultBench): Promise<Figure>;
};

/** A row that was run. */
export type Outcome = {
  readonly row: FaultRow;
  readonly figure: Figure;
  /** Every promise that was broken, in a line each. */
  readonly broken: readonly string[];
  /** Whether nothing but bounds in time was broken. */
  readonly onlyLate: boolean;
  readonly seconds: number;
};
