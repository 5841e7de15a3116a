// The walk (`portico migration walk`): compares all records of both sources, because callers never ask for all. First the whole
// list, then every record.

import type { MigrationConfig } from '../../config/schema/migration.ts';
import { compileDifferenceRules } from '../compare/rules.ts';
import type { AnswerDifference, ComparisonVerdict } from '../compare/comparison.ts';
import { hintOf } from '../compare/hint.ts';
import type { MigrationCounts } from '../counts/count-comparisons.ts';
import {
  createAskAtLowPriority,
  createPacer,
  type Pacer,
  type Wait,
  waitMs,
} from '../tasks/ask-at-low-priority.ts';
import type { OnDifference, Run, WalkResult } from '../tasks/task-results.ts';
import { createCompareQuestion } from '../shadow/compare-question.ts';
import type { ComparerDeps } from '../shadow/comparer.ts';
import { walkLists } from './walk-lists.ts';

/**
 * What a walk needs. The first calls to both sources together keep to `config.shadow.maxRps`, with the lowest priority. Repeated
 * calls keep to `config.recheck.maxRps`.
 */
export type WalkDeps = Omit<ComparerDeps, 'slots' | 'config' | 'onRecheck'> & {
  readonly config: MigrationConfig;
  readonly counts: Pick<MigrationCounts, 'compared'>;
};

/** How often a record is compared if no comparison has a result, because callers write to it or the source is busy. */
const ATTEMPTS_MAX = 5;
const RETRY_MS = 1_000;
/** The verdicts that say something about the data. */
const CONCLUSIVE: ReadonlySet<ComparisonVerdict> = new Set(['match', 'ignored', 'transient', 'mismatch']);
/** The most differences of lists that are kept as samples. */
const SAMPLES_MAX = 500;

/** Creates the function that compares one record as `<resource>.get` shows it. It returns whether the record is equal. */
function createRecordWalk(deps: WalkDeps, pace: Pacer, wait: Wait) {
  const { resource, counts } = deps;
  const compareQuestion = createCompareQuestion({ ...deps, wait });
  const operation = `${resource.name}.get`;

  return async function compareRecord(
    id: string,
    signal: AbortSignal,
    onDifference?: OnDifference,
  ): Promise<boolean | undefined> {
    for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
      signal.throwIfAborted();
      if (attempt > 0) await wait(RETRY_MS, signal);
      // Each of the two sources is called once.
      await pace(2, signal);
      const query = { kind: 'get', resource: resource.name, id } as const;
      const comparison = await compareQuestion(operation, query, signal);
      if (comparison === undefined || !CONCLUSIVE.has(comparison.verdict)) continue;
      counts.compared(comparison);
      for (const { path, kind, hint } of comparison.differences) onDifference?.({ id, path, kind, hint });
      return comparison.verdict !== 'mismatch';
    }
    return undefined;
  };
}

/** Runs `work` on each element, on at most `size` elements at once. */
async function eachOf<T>(all: readonly T[], size: number, work: (one: T) => Promise<void>): Promise<void> {
  const rest = all.values();
  const worker = async () => {
    for (const one of rest) await work(one);
  };
  await Promise.all(Array.from({ length: size }, worker));
}

/**
 * Creates the function that compares all pages of the list and then all single records. It rejects if a source fails, or if too
 * many records have no result.
 */
export function createWalk(deps: WalkDeps) {
  const { resource, config, keptRules, toSample, counts, clock, wait = waitMs } = deps;
  const isAccepted = compileDifferenceRules(config.compare);
  const pace = createPacer(config.shadow.maxRps, clock, wait);
  const ask = createAskAtLowPriority({ pace, wait });
  const compareRecord = createRecordWalk(deps, pace, wait);
  const settle = (signal: AbortSignal) => wait(config.recheck.delay, signal);

  function keepLists(differences: readonly AnswerDifference[]): void {
    const samples = differences.slice(0, SAMPLES_MAX).map((one) => toSample(one, 'walk'));
    const about = { resource: resource.name, operation: `${resource.name}.list`, query: 'walk' };
    const verdict = samples.length === 0 ? 'match' : 'mismatch';
    counts.compared({ ...about, verdict, differences: samples, ignored: [] });
  }

  return async function walk({ signal, progress }: Run, onDifference?: OnDifference): Promise<WalkResult> {
    const walked = await walkLists({ ...deps, ask, settle }, signal, progress);
    const { ids } = walked;
    const counting = walked.differences.filter((one) => !isAccepted(one, keptRules(), clock.now()));
    keepLists(counting);
    for (const one of counting)
      onDifference?.({ id: one.id, path: one.path, kind: one.kind, hint: hintOf(one.legacy, one.new) });
    const different = new Set(counting.map(({ id, path }) => id ?? path));
    let [done, unknown] = [0, 0];
    if (resource.hasSingle)
      await eachOf(ids, config.shadow.concurrency, async (id) => {
        const isEqual = await compareRecord(id, signal, onDifference);
        if (isEqual === undefined) unknown += 1;
        else if (!isEqual) different.add(id);
        progress((done += 1), ids.length, 'compares each record');
      });
    if (unknown > ids.length * config.gate.inconclusive)
      throw new Error(`${unknown} of ${ids.length} records could not be compared: walk again later`);
    return { records: ids.length, differences: different.size, unknown };
  };
}
