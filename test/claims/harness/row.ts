/** How much of a row is done. */
export type RowOptions = {
  /** Questions to each source file. */
  readonly queries: number;
  readonly seed: number;
  readonly writes: number;
  /** Whether a draft is made and tried too. */
  readonly infer: boolean;
};

/** What came of a row, to be printed. */
export type Outcome = {
  readonly name: string;
  /** What it showed, in a line. */
  readonly head: string;
  /** Why nobody can see it, where that is so. */
  readonly unseen?: string;
  /** Why it fails, in a line each; none where it passes. */
  readonly failures: readonly string[];
  /** Findings, and wrong answers with what was asked and expected, in lines. */
  readonly details: readonly string[];
  readonly figures: {
    readonly asked: number;
    readonly wrong: number;
    /** Whether doctor found a difference. */
    readonly isFlagged: boolean;
    /** Whether the gateway saw a claim contradicted. */
    readonly isContradicted: boolean;
  };
  readonly seconds: number;
};

/** A row of the table. */
export type TableRow = { readonly name: string; run(options: RowOptions): Promise<Outcome> };
