// Counts the comparisons and calls of one operation in this process: with Redis since the last write, without Redis all of them.

import type { Comparison, DifferenceSample, ComparisonVerdict } from '../compare/comparison.ts';
import { latencyBucket } from './latency-histogram.ts';
import type { NewSourceCall } from './migration-counts.ts';

/** The differences of one kind at one path. */
type GroupDelta = {
  /** How often the difference was found; or how many records have it, if the kind is in `COUNTED_BY_RECORD`. */
  count: number;
  /** The keys of the records with the difference; absent for kinds that are not counted by record. */
  readonly records?: Set<string> | undefined;
  /** When the difference was first and last found, in milliseconds since the epoch. */
  readonly firstAt: number;
  lastAt: number;
  readonly samples: DifferenceSample[];
};

/** The counts of an operation. Each part has a maximum size, so that it cannot fill the memory. */
export type Delta = ReturnType<typeof createDelta>;

/** The most distinct questions that are counted; no gate needs more. */
export const KEYS_MAX = 50_000;
/** The most records that are counted as different at critical paths; three are enough for a rollback. */
export const CRITICAL_MAX = 1_000;
/** The most records with a transient difference that are kept; the oldest are dropped first. */
export const TRANSIENT_MAX = 1_000;

/**
 * The most groups of differences (path, kind, whether a rule ignores it, hint) of one operation, in a delta and in a store.
 * Further groups are counted together in `OTHER_GROUP`.
 */
export const GROUPS_MAX = 200;

/** The most records of one operation that are counted one by one in groups; further records are not counted. */
export const RECORDS_MAX = 10_000;

/** The kinds that are counted by record: a missing record or a wrong total shows on many pages, but is one difference. */
const COUNTED_BY_RECORD: ReadonlySet<string> = new Set(['missing_id', 'extra_id', 'boundary', 'total']);

/** The most failures whose caller is kept; the judge needs only the failures since it last looked. */
export const FAILING_MAX = 100;

/** The most samples that a group keeps. */
export const SAMPLES_MAX = 5;

/** The group that takes all further differences once there are `GROUPS_MAX` groups. */
export const OTHER_GROUP = JSON.stringify(['(other)', 'value', false]);

/** The names of the fields that count verdicts, where they are not the names of the verdicts. */
const FIELDS: Partial<Record<ComparisonVerdict, string>> = {
  failed_new: 'failedNew',
  failed_legacy: 'failedLegacy',
  failed_both: 'failedBoth',
};

/** Creates empty counts. The functions of this file add to them in place. */
export function createDelta() {
  return {
    /** Counts by field: `counts` since the comparison counts began, `step` since the present stage and share began. */
    counts: new Map<string, number>(),
    step: new Map<string, number>(),
    lastFallbackAt: 0,
    /** By distinct question: when it was last compared, and whether a difference was confirmed then. */
    keys: new Map<string, { readonly at: number; readonly isMismatched: boolean }>(),
    /** By critical path and record (`path|key`): when a difference was last confirmed. */
    critical: new Map<string, number>(),
    /** By field, time and record, see `addTransient`: when the record last had a transient difference. */
    transient: new Map<string, number>(),
    groups: new Map<string, GroupDelta>(),
    /** The calls that failed only at the new source, the newest last: the caller and the shape of the question. */
    failing: [] as string[],
  };
}

function add(counts: Map<string, number>, field: string): void {
  counts.set(field, (counts.get(field) ?? 0) + 1);
}

/** Adds 1 to a field of the whole counts and of the counts of the present step. */
function addToBoth({ counts, step }: Delta, field: string): void {
  add(counts, field);
  add(step, field);
}

function addGroup(groups: Delta['groups'], sample: DifferenceSample, ignored: boolean, now: number): void {
  // The hint is part of the name, so that three wrong cents do not hide among a hundred trailing zeros of one path.
  const own = JSON.stringify([sample.path, sample.kind, ignored, sample.hint]);
  const name = groups.has(own) || groups.size < GROUPS_MAX ? own : OTHER_GROUP;
  const records = COUNTED_BY_RECORD.has(sample.kind) && name !== OTHER_GROUP ? new Set<string>() : undefined;
  const group = groups.get(name) ?? { count: 0, records, firstAt: now, lastAt: now, samples: [] };
  groups.set(name, group);
  if (group.records !== undefined && group.records.size < RECORDS_MAX) group.records.add(sample.key);
  group.count = group.records?.size ?? group.count + 1;
  group.lastAt = now;
  const isNew = group.samples.every(({ key }) => key !== sample.key);
  if (isNew && group.samples.length < SAMPLES_MAX) group.samples.push(sample);
}

/** The path of a field without the list around the record: `data[].email` becomes `data.email`. */
export const fieldOf = (path: string): string => path.replace(/^data\[\]/, 'data');

/** Whether `path` is one of the critical fields, or a part of one. */
export function isCritical(critical: readonly string[], path: string): boolean {
  const field = fieldOf(path);
  return critical.map(fieldOf).some((named) => field === named || field.startsWith(`${named}.`));
}

/**
 * Counts an answer of the new source that differed only once. There are two counts for each field: `data.email|once` if the
 * difference was gone at once, which a write rarely explains, and `data.email|later` if it was gone after a wait.
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

/** Counts a repeated question to the legacy source, and the fields that had changed in its answer. */
export function addReread(delta: Delta, changed: readonly string[]): void {
  addToBoth(delta, 'rereads');
  for (const field of changed) addToBoth(delta, `changed:${field}`);
}

/** The part of a member of `Delta.critical` or `Delta.transient` before the key of the record. */
export function criticalPath(member: string): string {
  return member.slice(0, member.lastIndexOf('|'));
}

/** Counts a comparison; `key` is a hash of its question. */
export function addComparison(
  delta: Delta,
  { verdict, differences, ignored, transient, legacyMs, newMs, lagMs }: Comparison,
  about: { readonly key: string; readonly critical: readonly string[]; readonly now: number },
): void {
  const { key, critical, now } = about;
  addToBoth(delta, FIELDS[verdict] ?? verdict);
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
    if (!isCritical(critical, sample.path)) continue;
    const member = `${fieldOf(sample.path)}|${sample.key}`;
    if (delta.critical.has(member) || delta.critical.size < CRITICAL_MAX) delta.critical.set(member, now);
  }
}

/** Counts a question that the new source cannot answer within its limits, by the kind of the question. */
export function addRefused({ counts }: Delta, kind: string): void {
  add(counts, `refused:${kind}`);
}

/** Counts an answer that was not compared, by the reason (`outcome`). */
export function addUncompared({ counts }: Delta, outcome: string): void {
  add(counts, `uncompared:${outcome}`);
}

/**
 * Counts a caller's call to the new source. A missing record does not count as a failure, because it may not be copied yet;
 * comparisons count it as a difference. An odd failure is counted only as `fallback:odd`, because otherwise one caller could
 * block the gate. `failing` names the caller and the shape of the question.
 */
export function addServed(
  delta: Delta,
  { ms, fallback, refused, isAttributable }: Omit<NewSourceCall, 'resource'>,
  now: number,
  failing: string,
): void {
  if (fallback !== undefined) add(delta.counts, `fallback:${fallback}`);
  if (fallback === 'odd') return;
  addToBoth(delta, 'served');
  if (fallback === undefined) {
    add(delta.step, `servedMs:${latencyBucket(ms)}`);
    return;
  }
  if (refused !== undefined && isAttributable) addRefused(delta, refused);
  delta.lastFallbackAt = now;
  if (fallback === 'missing') return;
  addToBoth(delta, 'failed');
  if (!isAttributable) return;
  addToBoth(delta, 'attributable');
  delta.failing.push(failing);
  if (delta.failing.length > FAILING_MAX) delta.failing.shift();
}
