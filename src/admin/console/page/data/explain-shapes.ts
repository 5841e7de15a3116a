// What `explain` answers, as far as the page reads it.

/** A claim of a source file, and where the file makes it. */
export type PlacedClaimJson = { readonly claim: string; readonly file: string; readonly line?: number };

/** The answer of the source, for `live`. Values are masked. */
export type LiveJson = {
  readonly calls: readonly {
    readonly method: string;
    readonly url: string;
    readonly status?: number;
    readonly ms: number;
    readonly rows?: number;
    readonly outcome?: { readonly is: string; readonly file: string; readonly line?: number } | null;
    readonly problem?: string;
  }[];
  readonly answer: {
    readonly status: number;
    readonly code?: string;
    readonly detail?: string;
    readonly total?: number;
    readonly records?: number;
  };
  readonly contradicted: readonly PlacedClaimJson[];
  readonly gaps: Readonly<Record<string, number>>;
  readonly record?: readonly {
    readonly field: string;
    readonly from: readonly string[];
    readonly line?: number;
    readonly value: unknown;
    readonly state: string;
  }[];
};

/** A plan, a mistake of the client, or what becomes of a request to a pass-through route. */
export type ExplainJson = {
  readonly request: string;
  readonly operation: string;
  readonly permission?: string | null;
  readonly source?: { readonly name: string; readonly file: string; readonly credential: string };
  readonly question?: string;
  readonly plan?: {
    readonly kind: string;
    readonly reason?: string;
    readonly calls: readonly { readonly method: string; readonly url: string; readonly body?: string }[];
    readonly callsMax: number;
    readonly left: readonly string[];
    readonly relies: readonly PlacedClaimJson[];
  };
  readonly budget?: {
    readonly rows: number;
    readonly calls: number;
    readonly timeMs: number;
    readonly beyond: string;
  };
  readonly freshSeconds?: number;
  readonly live?: LiveJson;
  readonly mistake?: { readonly status: number; readonly body: string };
  readonly sentTo?: readonly string[];
  readonly refused?: { readonly status: number; readonly code: string; readonly because: string };
  /** The configuration that it holds for. */
  readonly inForce?: { readonly rev: number; readonly digest: string };
};
