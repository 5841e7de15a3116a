// What the API answers of migrations, as far as the page reads it.

/** The stages of a migration, in their order. */
export const migrationStages = ['legacy', 'shadow', 'ramp', 'live', 'complete'] as const;

/** The schema of the configuration has the same names; the page imports nothing of the server. */
export type StageName = (typeof migrationStages)[number];

/**
 * A migration in the answer of `migrations`. `percent` counts in the stage `ramp`; single operations may be ahead, see
 * `migrations.status`.
 */
export type MigrationRow = {
  readonly resource: string;
  readonly sources: readonly string[];
  readonly rev: number;
  readonly stage: StageName;
  readonly percent: number;
};

/** A condition of a step: what there is, and what is needed. */
export type GateRow = {
  readonly id: string;
  readonly operation?: string;
  readonly have: string | number;
  readonly need: string | number;
};

/**
 * What comparisons of one operation have shown since the evidence began. `keys` are distinct questions; `bound95` is the
 * share of them that differs at most, with 95 % confidence, from 0 to 1.
 */
export type ComparedOperation = {
  readonly keys: number;
  readonly match: number;
  readonly mismatch: number;
  /** Answers that differed once and that the legacy source did not confirm; and how many of these callers were given. */
  readonly transient: number;
  readonly given: number;
  readonly inconclusive: number;
  readonly ignored: number;
  readonly failedNew: number;
  readonly odd: number;
  readonly bound95: number;
  readonly cusum: number;
  readonly lagP99Ms: number | null;
};

/** The answer of `migrations.status`. */
export type MigrationStatus = MigrationRow & {
  readonly operations: Readonly<Record<string, { readonly stage: StageName; readonly percent: number }>>;
  readonly hold: { readonly by: string; readonly at: string; readonly reason: string } | null;
  readonly since: string;
  readonly evidenceSince: string;
  readonly replicas: {
    readonly total: number;
    readonly atRev: number;
    readonly stale: readonly string[];
  };
  readonly gate: {
    readonly next: string | null;
    readonly ready: boolean;
    readonly unmet: readonly GateRow[];
    readonly met?: readonly GateRow[];
  };
  readonly compare: Readonly<Record<string, ComparedOperation>>;
  readonly fallback: Readonly<Record<string, number>>;
  readonly lastRollback: {
    readonly at?: string;
    readonly by?: string;
    readonly rule?: string;
    readonly evidence?: string;
  } | null;
  /** Rules that were made while the gateway runs; `until` in milliseconds since the epoch. */
  readonly rules: readonly {
    readonly id: string;
    readonly path: string;
    readonly hint?: string;
    readonly owner: string;
    readonly reason: string;
    readonly until: number;
  }[];
  /** The names of rules that an operator has accepted. */
  readonly acknowledged: readonly string[];
  readonly breakerOpen: boolean;
  readonly notes: readonly string[];
};

/** The shape of a value: its type, its length and a keyed hash, never the value. */
export type SampleShape = {
  readonly type: string;
  readonly length?: number;
  readonly hash?: string;
  readonly mask?: string;
};

/** Differences of one kind and one hint at one path. */
export type DiffRow = {
  readonly operation: string;
  readonly path: string;
  readonly kind: string;
  readonly hint?: string;
  readonly count: number;
  readonly ignored: boolean;
  readonly firstAt: string;
  readonly lastAt: string;
  readonly samples: readonly {
    readonly key: string;
    readonly legacy?: SampleShape;
    readonly new?: SampleShape;
    readonly hint?: string;
    readonly traceId?: string;
  }[];
};

/** Where a migration is, in words. */
export function stageText({ stage, percent }: Pick<MigrationRow, 'stage' | 'percent'>): string {
  return stage === 'ramp' ? `ramp ${percent} %` : stage;
}

/** The position that a gate names, such as `ramp:25`, as the action takes it. */
export function readPosition(
  text: string,
): { readonly stage: StageName; readonly percent?: number } | undefined {
  const [, name, share] = /^([a-z]+)(?::([\d.]+))?$/.exec(text.trim()) ?? [];
  const stage = migrationStages.find((one) => one === name);
  if (stage === undefined) return undefined;
  return share === undefined ? { stage } : { stage, percent: Number(share) };
}

/** The shape of a value in words. */
export function sampleText(shape: SampleShape | undefined): string {
  if (shape === undefined) return 'absent';
  const length = shape.length === undefined ? '' : `, length ${shape.length}`;
  return `${shape.type}${length}${shape.mask === undefined ? '' : `, ${shape.mask}`}`;
}

/**
 * The resource that a target of the audit is about: `users`, its operation `users.get`, or what was done with it, such as
 * `users walk`. The report of a migration reads targets by the same rule.
 */
export function migratedResource(target: string): string {
  return target.split(/[\s./]/, 1)[0] ?? '';
}
