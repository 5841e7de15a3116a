// The interface of a store of comparison counts (local-counts.ts, redis-counts.ts), and the form in which a gate reads counts.

import { type FallbackCause, fallbackCauses } from '../../kernel/migration-origin.ts';
import { criticalPath, type Delta, OTHER_GROUP } from './delta.ts';
import type { DifferenceSample } from '../compare/comparison.ts';
import type { DifferenceGroup, KeyCounts } from './migration-counts.ts';

/** The resource, the comparison counts and the step to which a count belongs. Counts of two scopes are never added up. */
export type CountsScope = {
  readonly resource: string;
  /** The name of the comparison counts (`MigrationState.evidence`). */
  readonly name: string;
  /** When the present step began, in milliseconds since the epoch. */
  readonly stepAt: number;
};

type Counts = Readonly<Record<string, number>>;

/** The counts of one operation as a store returns them. */
export type StoredCounts = {
  /** Counts by field, as in `Delta`. */
  readonly counts: Counts;
  readonly step: Counts;
  readonly keys: Readonly<Record<'all' | 'step' | 'recent', KeyCounts>>;
  /** Members of `Delta.critical`, and when each was last confirmed. */
  readonly critical: readonly (readonly [member: string, at: number])[];
  /** Entries of `Delta.failing`, the newest first. */
  readonly failing: readonly string[];
  /** Members of `Delta.transient`, and when each was last seen. */
  readonly transient: readonly (readonly [member: string, at: number])[];
  readonly lastFallbackAt: number;
};

/** A group of differences as a store returns it. */
export type StoredGroup = {
  /** JSON of the path, the kind, whether a rule ignores it, and the hint or null. */
  readonly name: string;
  readonly count: number;
  readonly firstAt: number;
  readonly lastAt: number;
  readonly samples: readonly DifferenceSample[];
};

/** Stores comparison counts: in this process, or in Redis for a fleet. All promises reject if Redis fails. */
export type CountsStore = {
  /** The counts of an operation that are not written yet. The caller adds to them in place. */
  deltaOf(scope: CountsScope, operation: string): Delta;
  /** Writes what was added so far. */
  flush(): Promise<void>;
  /** Reads the counts by operation. Distinct questions are also counted since the step began and since `recentAt` (ms). */
  read(scope: CountsScope, recentAt: number): Promise<Readonly<Record<string, StoredCounts>>>;
  /** Reads the groups of differences by operation. */
  groups(scope: CountsScope): Promise<Readonly<Record<string, readonly StoredGroup[]>>>;
};

/** Creates a value for each resource, and anew when its counts begin anew. */
export function createByScope<T>(create: () => T): (scope: CountsScope) => T {
  const all = new Map<string, { readonly name: string; readonly value: T }>();
  return function valueOf({ resource, name }) {
    const known = all.get(resource);
    if (known?.name === name) return known.value;
    const value = create();
    all.set(resource, { name, value });
    return value;
  };
}

/** The counts of the fields `<kind>:<name>`, such as `newMs:20`, by name. */
function countsOf(counts: Counts, kind: string): Counts {
  const prefix = `${kind}:`;
  const found = Object.entries(counts).filter(([field]) => field.startsWith(prefix));
  return Object.fromEntries(found.map(([field, count]) => [field.slice(prefix.length), count]));
}

function countByPath(members: StoredCounts['critical'], since = 0): Counts {
  const counts: Record<string, number> = {};
  for (const [member, at] of members) {
    const path = criticalPath(member);
    if (at >= since) counts[path] = (counts[path] ?? 0) + 1;
  }
  return counts;
}

/** Makes the counts of comparisons from stored counts. */
function comparisonCounts(counts: Counts, keys: KeyCounts) {
  const of = (field: string) => counts[field] ?? 0;
  return {
    ...keys,
    ...{ match: of('match'), mismatch: of('mismatch'), inconclusive: of('inconclusive') },
    // `odd`: failures of the new source at questions for which the legacy source has no record.
    ...{ transient: of('transient'), ignored: of('ignored'), failedNew: of('failedNew'), odd: of('odd') },
    // Comparisons in which a caller had already got the answer that differed; and comparisons by field and by when the
    // difference was gone: `data.email|once`, `data.email|later`.
    ...{ given: of('given'), transients: countsOf(counts, 'transient') },
    // How many questions the legacy source was asked again after the lag, and in how many answers each field had changed.
    ...{ rereads: of('rereads'), changed: countsOf(counts, 'changed') },
    // How long both sources took for the same questions, and how long the new one lagged behind.
    legacyMs: countsOf(counts, 'legacyMs'),
    newMs: countsOf(counts, 'newMs'),
    lagMs: countsOf(counts, 'lagMs'),
  };
}

/** The counts of comparisons. */
export type ComparisonCounts = ReturnType<typeof comparisonCounts>;

/** The counts of one operation since the comparison counts began, over all processes; and `step`, since its stage and share began. */
export type OperationCounts = ReturnType<typeof operationCounts>;

/** Makes the counts of one operation from its stored counts. `stepAt`: when the present step began. */
export function operationCounts(
  { counts, step, keys, critical, transient, failing, lastFallbackAt }: StoredCounts,
  stepAt: number,
) {
  const of = (field: string) => counts[field] ?? 0;
  const inStep = (field: string) => step[field] ?? 0;
  return {
    ...comparisonCounts(counts, keys.all),
    ...{ failedLegacy: of('failedLegacy'), failedBoth: of('failedBoth') },
    // Distinct records with a confirmed difference, by critical path.
    critical: countByPath(critical),
    // Calls of callers to the new source: all (`served`), those that failed there, and those that failed only there.
    ...{ served: of('served'), failed: of('failed'), attributable: of('attributable') },
    fallback: Object.fromEntries(fallbackCauses.map((cause) => [cause, of(`fallback:${cause}`)])) as Readonly<
      Record<FallbackCause, number>
    >,
    // Answers that were not compared, by the outcome of their comparison (see `ShadowOutcome`).
    uncompared: countsOf(counts, 'uncompared'),
    // Questions that the legacy source answers and the new one cannot answer within its limits, by kind.
    refused: countsOf(counts, 'refused'),
    // The last failures of only the new source, the newest first: a keyed hash of the caller, a space, the question's shape.
    failing,
    lastFallbackAt: lastFallbackAt > 0 ? lastFallbackAt : undefined,
    // What was compared in the last 24 hours.
    recent: keys.recent,
    step: {
      ...comparisonCounts(step, keys.step),
      ...{ served: inStep('served'), failed: inStep('failed'), attributable: inStep('attributable') },
      // Comparison calls that a failure drill made fail; no other count includes them.
      rehearsed: inStep('rehearsed'),
      critical: countByPath(critical, stepAt),
      // Distinct records with a transient difference, by the same names as in `transients`.
      transientRecords: countByPath(transient, stepAt),
      // How long the new source took for the callers that it answered.
      servedMs: countsOf(step, 'servedMs'),
    },
  };
}

/** Makes a group of differences from the stored group. */
export function differenceGroup(operation: string, group: StoredGroup): DifferenceGroup {
  const { name, count, firstAt, lastAt, samples } = group;
  type Name = [path: string, kind: DifferenceGroup['kind'], ignored: boolean, hint?: string | null];
  const [path, kind, ignored, hint] = JSON.parse(name) as Name;
  const instant = (ms: number) => new Date(ms).toISOString();
  return {
    ...{ operation, path, kind, hint: hint ?? undefined, count, ignored },
    ...{ firstAt: instant(firstAt), lastAt: instant(lastAt) },
    samples: name === OTHER_GROUP ? [] : samples,
  };
}

const NO_KEYS = { keys: 0, mismatchedKeys: 0 };

/** The counts of an operation before anything was counted. */
export const NO_COUNTS = operationCounts(
  {
    ...{ counts: {}, step: {}, keys: { all: NO_KEYS, step: NO_KEYS, recent: NO_KEYS } },
    ...{ critical: [], transient: [], failing: [], lastFallbackAt: 0 },
  },
  0,
);
