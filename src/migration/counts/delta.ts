// The counts of an operation that one process has gathered: all of them without Redis, else those since its last write.

import type { Comparison, DifferenceSample, ComparisonVerdict } from '../compare/comparison.ts';
import { latencyBucket } from './latency-histogram.ts';
import type { NewSourceCall } from './migration-counts.ts';

/** The differences of one kind at one path. */
export type GroupDelta = {
  /** How often it was found; of a kind that is counted by record, the records. */
  count: number;
  /** The keys of the records, for a kind that is counted by record. */
  readonly records?: Set<string> | undefined;
  /** Milliseconds since the epoch. */
  readonly firstAt: number;
  lastAt: number;
  readonly samples: DifferenceSample[];
};

/** What was counted of an operation. All of its parts are bounded, so it cannot fill the memory. */
export type Delta = {
  /** Counts by field; `counts` belong to the whole evidence, `step` to its present step. */
  readonly counts: Map<string, number>;
  readonly step: Map<string, number>;
  lastFallbackAt: number;
  /** Distinct questions: when each was compared last, and whether a difference was confirmed then. */
  readonly keys: Map<string, { readonly at: number; readonly isMismatched: boolean }>;
  /** When a difference of a record at a critical path was confirmed last, see `criticalMember`. */
  readonly critical: Map<string, number>;
  /** When a record had a transient difference last, see `addTransient`. */
  readonly transient: Map<string, number>;
  readonly groups: Map<string, GroupDelta>;
  /** Whose calls have failed at the new source alone, and at which shape of question; the newest last. */
  readonly failing: string[];
};

/** The most distinct questions that are counted: no gate needs more. */
export const KEYS_MAX = 50_000;
/** The most records that are counted as different at critical paths: three are enough for a rollback. */
export const CRITICAL_MAX = 1_000;
/** The most records with a transient difference that are kept; the oldest go first. */
export const TRANSIENT_MAX = 1_000;

/**
 * The most groups of differences (path, kind, whether a rule ignores it, hint) of one operation, in a delta and in a store.
 * Further ones count in `OTHER_GROUP`.
 */
export const GROUPS_MAX = 200;

/** The most records of one operation that groups count; further ones are not told. */
export const RECORDS_MAX = 10_000;

/** A record that one list lacks, or a total, shows on many pages, and is still one difference. */
const COUNTED_BY_RECORD: ReadonlySet<string> = new Set(['missing_id', 'extra_id', 'boundary', 'total']);

/** The last so many failures say whose they were: the judge needs those of its last look. */
export const FAILING_MAX = 100;

/** The most samples that a group keeps; its count goes on. */
export const SAMPLES_MAX = 5;

/** The group that takes all further differences once there are `GROUPS_MAX` groups. */
export const OTHER_GROUP = JSON.stringify(['(other)', 'value', false]);

/** The fields of the verdicts. */
const FIELDS: Record<ComparisonVerdict, string> = {
  match: 'match',
  ignored: 'ignored',
  transient: 'transient',
  mismatch: 'mismatch',
  inconclusive: 'inconclusive',
  failed_new: 'failedNew',
  failed_legacy: 'failedLegacy',
  failed_both: 'failedBoth',
  odd: 'odd',
};

/** Creates a delta without counts. The functions of this file add to it in place. */
export function createDelta(): Delta {
  return {
    counts: new Map(),
    step: new Map(),
    lastFallbackAt: 0,
    keys: new Map(),
    critical: new Map(),
    transient: new Map(),
    groups: new Map(),
    failing: [],
  };
}

function add(counts: Map<string, number>, field: string): void {
  counts.set(field, (counts.get(field) ?? 0) + 1);
}

/** Counts a field for the whole evidence, and for its present step. */
function addToBoth({ counts, step }: Delta, field: string): void {
  add(counts, field);
  add(step, field);
}

function addGroup(groups: Delta['groups'], sample: DifferenceSample, ignored: boolean, now: number): void {
  // Three cents must not hide among a hundred trailing zeros at the same path.
  const wanted = JSON.stringify([sample.path, sample.kind, ignored, sample.hint]);
  const name = groups.has(wanted) || groups.size < GROUPS_MAX ? wanted : OTHER_GROUP;
  const records = COUNTED_BY_RECORD.has(sample.kind) && name !== OTHER_GROUP ? new Set<string>() : undefined;
  const group = groups.get(name) ?? { count: 0, records, firstAt: now, lastAt: now, samples: [] };
  groups.set(name, group);
  if (group.records !== undefined && group.records.size < RECORDS_MAX) group.records.add(sample.key);
  group.count = group.records?.size ?? group.count + 1;
  group.lastAt = now;
  const isNew = group.samples.every(({ key }) => key !== sample.key);
  if (isNew && group.samples.length < SAMPLES_MAX) group.samples.push(sample);
}

/** The path of a field wherever its record stands: `data[].email` and `data.email` are the same field. */
export const fieldOf = (path: string): string => path.replace(/^data\[\]/, 'data');

/** Whether a difference at `path` is one of the fields that `critical` names, or within one. */
export function isCritical(critical: readonly string[], path: string): boolean {
  const field = fieldOf(path);
  return critical.map(fieldOf).some((named) => field === named || field.startsWith(`${named}.`));
}

const criticalMember = (path: string, key: string) => `${fieldOf(path)}|${key}`;

/**
 * Counts what the new source has said once. A difference that was gone at once counts apart from one that was gone after a wait,
 * because a write explains the first far more rarely: `data.email|once`, `data.email|later`.
 */
function addTransient(
  delta: Delta,
  { differences, isAtOnce, isGiven }: NonNullable<Comparison['transient']>,
  now: number,
): void {
  if (isGiven) addToBoth(delta, 'given');
  const nameOf = (path: string) => `${fieldOf(path)}|${isAtOnce ? 'once' : 'later'}`;
  for (const name of new Set(differences.map(({ path }) => nameOf(path))))
    addToBoth(delta, `transient:${name}`);
  for (const { path, key } of differences) {
    const member = `${nameOf(path)}|${key}`;
    delta.transient.delete(member);
    delta.transient.set(member, now);
    const [oldest] = delta.transient.keys();
    if (delta.transient.size > TRANSIENT_MAX && oldest !== undefined) delta.transient.delete(oldest);
  }
}

/** Counts that the legacy source was read again, and the fields in which it then differed from itself. */
export function addReread(delta: Delta, changed: readonly string[]): void {
  addToBoth(delta, 'rereads');
  for (const field of changed) addToBoth(delta, `changed:${field}`);
}

/** The path of a member of `Delta.critical`; the name of one of `Delta.transient`. */
export function criticalPath(member: string): string {
  return member.slice(0, member.lastIndexOf('|'));
}

/** Counts a comparison; `key` stands for its question. */
export function addComparison(
  delta: Delta,
  comparison: Comparison,
  {
    key,
    critical,
    now,
  }: { readonly key: string; readonly critical: readonly string[]; readonly now: number },
): void {
  const { verdict, differences, ignored, transient, legacyMs, newMs, lagMs } = comparison;
  addToBoth(delta, FIELDS[verdict]);
  if (legacyMs !== undefined && newMs !== undefined) {
    addToBoth(delta, `legacyMs:${latencyBucket(legacyMs)}`);
    addToBoth(delta, `newMs:${latencyBucket(newMs)}`);
  }
  if (lagMs !== undefined) addToBoth(delta, `lagMs:${latencyBucket(lagMs)}`);
  if (transient !== undefined) addTransient(delta, transient, now);
  if (verdict === 'match' || verdict === 'ignored' || verdict === 'transient' || verdict === 'mismatch')
    if (delta.keys.has(key) || delta.keys.size < KEYS_MAX)
      delta.keys.set(key, { at: now, isMismatched: verdict === 'mismatch' });
  for (const sample of ignored) addGroup(delta.groups, sample, true, now);
  for (const sample of differences) {
    addGroup(delta.groups, sample, false, now);
    const member = criticalMember(sample.path, sample.key);
    if (!isCritical(critical, sample.path)) continue;
    if (delta.critical.has(member) || delta.critical.size < CRITICAL_MAX) delta.critical.set(member, now);
  }
}

/** Counts a question that lies beyond the bounds of the new source, by its kind. */
export function addRefused({ counts }: Delta, kind: string): void {
  add(counts, `refused:${kind}`);
}

/**
 * Counts a call of a caller at the new source. A missing record is no failure of the source: it may not be copied yet, the
 * legacy source has answered it, and the comparisons count it as a difference. An odd one is reported, and is part of no
 * other count: else one caller could move the gate. `failing` stands for the caller and the shape
 * of the question of a failure.
 */
export function addServed(
  delta: Delta,
  { ms, fallback, refused, isAttributable }: Omit<NewSourceCall, 'resource'>,
  now: number,
  failing: string,
): void {
  if (fallback === 'odd') {
    add(delta.counts, 'fallback:odd');
    return;
  }
  addToBoth(delta, 'served');
  if (fallback === undefined) {
    add(delta.step, `servedMs:${latencyBucket(ms)}`);
    return;
  }
  add(delta.counts, `fallback:${fallback}`);
  if (refused !== undefined && isAttributable) addRefused(delta, refused);
  delta.lastFallbackAt = now;
  if (fallback === 'missing') return;
  addToBoth(delta, 'failed');
  if (!isAttributable) return;
  addToBoth(delta, 'attributable');
  delta.failing.push(failing);
  if (delta.failing.length > FAILING_MAX) delta.failing.shift();
}
