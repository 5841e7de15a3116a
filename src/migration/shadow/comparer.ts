// Makes a comparison: asks the other source the same question, compares both answers, and asks again to confirm differences.

import type { MigrationConfig } from '../../config/schema/migration.ts';
import { queryKey, type Query } from '../../contract/query.ts';
import type { Resource } from '../../contract/resource.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { SourceAnswer, SourceHandler } from '../../pipeline/stages/call.ts';
import { createTokenBucket } from '../../pipeline/stages/token-bucket.ts';
import type { Usage } from '../../source/client/guard/exchange.ts';
import { compareAnswers } from '../compare/compare-answers.ts';
import type { Comparison } from '../compare/comparison.ts';
import { hasRecords } from '../compare/read-body.ts';
import { compileDifferenceRules } from '../compare/rules.ts';
import type { DifferenceSampler } from '../compare/sample.ts';
import type { ByOrigin, Origin } from '../../kernel/migration-origin.ts';
import { type Wait, waitMs } from '../tasks/ask-at-low-priority.ts';
import type { RuntimeRule } from '../state/migration-state.ts';
import { confirm, type ClassifiedDifferences, otherOrigin } from './confirm.ts';
import { type Answered, createAskForComparison, type ComparisonCall } from './comparison-call.ts';
import type { Semaphore } from '../../kernel/semaphore.ts';
import { type ReadPage, withoutPageShift } from './resolve-page-shift.ts';

/** A question, and the answer that one source has just given. */
export type ServedQuery = {
  readonly operation: string;
  readonly query: Query;
  readonly origin: Origin;
  readonly served: Answered;
  /** The trace of the caller's request, if there is one. */
  readonly spans?: Usage['spans'];
};

/** The result of a comparison. `second`: the call to the other source. */
export type Compared = {
  readonly second: ComparisonCall;
  /** The comparison to count; absent if the other source was not asked. */
  readonly comparison?: Comparison;
  /** Whether the first two answers were equal, without a recheck or a rule. Only then may the answer be put into a cache. */
  readonly isEqual?: boolean;
  /** The last answer of the new source, if a caller had got a transient difference, which the cache still has. */
  readonly corrected?: SourceAnswer | undefined;
};

/** The outcome of asking again after a difference. */
export type RecheckResult = 'confirmed' | 'gone' | 'inconclusive';

/** What a comparer needs. `slots` limits the calls in flight, and `config.recheck.maxRps` the repeated calls per second. */
export type ComparerDeps = {
  readonly resource: Resource;
  readonly config: Pick<MigrationConfig, 'compare' | 'recheck' | 'shadow'>;
  /** Both sources, without caches. */
  readonly sources: ByOrigin<SourceHandler>;
  /** The rules that were added while the gateway runs. */
  readonly keptRules: () => readonly RuntimeRule[];
  readonly toSample: DifferenceSampler;
  readonly slots: Semaphore;
  readonly clock: Clock;
  /** Called with a question that the legacy source has answered, but the new source cannot answer within its limits. */
  readonly onRefused?: ((operation: string, query: Query) => void) | undefined;
  readonly onRecheck?: ((result: RecheckResult) => void) | undefined;
  /** Called with each answer of the legacy source that is compared. */
  readonly onLegacy?: ((question: ServedQuery, answered: Answered) => void) | undefined;
  readonly wait?: Wait;
};

/** How often both sources are asked again. While callers write, rows of a list move more often than one record changes. */
const ROUNDS = { get: 1, list: 2 } as const;

const RECHECK_RESULTS = {
  match: 'gone',
  ignored: 'gone',
  transient: 'gone',
  mismatch: 'confirmed',
  inconclusive: 'inconclusive',
} as const;

/** Creates the function that reserves repeated calls, at most `maxRps` a second. */
function createReserve(maxRps: number, clock: Clock) {
  const tokens = createTokenBucket(maxRps, maxRps, clock);
  return function reserve(calls: number): boolean {
    if (tokens.waitSeconds() > 0) return false;
    for (let call = 0; call < calls; call += 1) tokens.spend();
    return true;
  };
}

/** Creates the function that compares two answers, and separates the differences that count from those that a rule accepts. */
export function createClassify({
  resource,
  config,
  keptRules,
  clock,
}: Pick<ComparerDeps, 'resource' | 'config' | 'keptRules' | 'clock'>) {
  const isAccepted = compileDifferenceRules(config.compare);
  return function classify(query: Query, answers: ByOrigin<SourceAnswer>): ClassifiedDifferences {
    const [kept, now] = [keptRules(), clock.now()];
    const all = compareAnswers(resource, query, answers.legacy, answers.new);
    const byCount = Map.groupBy(all, (difference) => isAccepted(difference, kept, now));
    return { counting: byCount.get(false) ?? [], accepted: byCount.get(true) ?? [] };
  };
}

/** The key of a query without its page, because a wrong total shows on all pages of a list, but is one difference. */
const listKey = (query: Query) => queryKey(query.kind === 'list' ? { ...query, page: 1 } : query);

/** Creates the function that asks again if two answers differ, and returns the differences without values. */
function createConfirmPair(
  deps: ComparerDeps,
  classify: ReturnType<typeof createClassify>,
  askForComparison: ReturnType<typeof createAskForComparison>,
) {
  const { resource, config, sources, toSample, clock, onRecheck, wait = waitMs } = deps;
  const { recheck } = config;
  const reserve = createReserve(recheck.maxRps, clock);

  return async function confirmPair(
    { query, origin, spans }: ServedQuery,
    pair: ByOrigin<Answered>,
    signal: AbortSignal,
  ): Promise<
    Pick<Compared, 'isEqual' | 'corrected'> & {
      readonly found: Pick<
        Comparison,
        'query' | 'verdict' | 'differences' | 'ignored' | 'transient' | 'lagMs'
      >;
    }
  > {
    const read = (side: Origin, asked: Query) =>
      // A recheck waits for a slot, and gets it before new comparisons; otherwise no difference would be confirmed in a busy hour.
      askForComparison(sources[side], asked, spans, signal, 'waits');
    const confirmed = await confirm(pair, origin, {
      classify: (answers) => classify(query, answers),
      read: (side) => read(side, query),
      wait: () => wait(recheck.delay, signal),
      reserve,
      monotonic: clock.monotonic,
      rounds: ROUNDS[query.kind],
    });
    const { lagMs, isRechecked, last } = confirmed;
    if (isRechecked) onRecheck?.(RECHECK_RESULTS[confirmed.verdict]);
    const readPage: ReadPage = async (...page) => (reserve(1) ? read(...page) : undefined);
    const left = await withoutPageShift(resource, query, confirmed, readPage);
    const { verdict, differences, ignored, transient } = left;
    const key = listKey(query);
    // A difference of the list as a whole counts as one question, whichever page was asked for.
    const isOfList = verdict === 'mismatch' && differences.every(({ id }) => id === undefined);
    const traceId = spans?.ids?.traceId;
    const sampled = (all: typeof differences, as = key) =>
      all.map((difference) => ({ ...toSample(difference, as), traceId }));
    const isGiven = origin === 'new';
    const once = {
      // A transient wrong total shows on one page only, so each page counts.
      differences: sampled(transient, queryKey(query)),
      isAtOnce: lagMs === undefined && confirmed.verdict === 'transient',
    };
    return {
      found: {
        ...{ query: isOfList ? key : queryKey(query), verdict, lagMs },
        ...{ differences: sampled(differences), ignored: sampled(ignored) },
        transient: transient.length > 0 ? { ...once, isGiven } : undefined,
      },
      isEqual: verdict === 'match' && !isRechecked,
      corrected: isGiven && transient.length > 0 ? last : undefined,
    };
  };
}

/** Creates the function that asks the other source the same question, and both again if they differ. */
export function createComparer(deps: ComparerDeps) {
  const { resource, config, sources } = deps;
  const askForComparison = createAskForComparison({ ...deps, timeoutMs: config.shadow.timeout });
  const confirmPair = createConfirmPair(deps, createClassify(deps), askForComparison);

  return async function compare(question: ServedQuery, signal: AbortSignal): Promise<Compared> {
    const { operation, query, origin, served, spans } = question;
    const other = otherOrigin(origin);
    const second = await askForComparison(sources[other], query, spans, signal);
    if (second.kind === 'skipped') {
      if (second.reason === 'bounds' && other === 'new') deps.onRefused?.(operation, query);
      return { second };
    }
    const about = { resource: resource.name, operation, query: queryKey(query) };
    const msOf = (side: Origin) =>
      side === origin ? served.ms : second.kind === 'answered' ? second.ms : undefined;
    const measured = { ...about, legacyMs: msOf('legacy'), newMs: msOf('new') };
    if (second.kind === 'failed') {
      const failedNew = hasRecords(served.answer) ? 'failed_new' : 'odd';
      const verdict = other === 'new' ? failedNew : 'failed_legacy';
      return { second, comparison: { ...measured, verdict, differences: [], ignored: [] } };
    }
    const pair = { [origin]: served, [other]: second } as ByOrigin<Answered>;
    try {
      deps.onLegacy?.(question, pair.legacy);
      const { found, ...rest } = await confirmPair(question, pair, signal);
      return { second, comparison: { ...measured, ...found }, ...rest };
    } catch (error) {
      // The wait has ended because the gateway is closing.
      if (signal.aborted) return { second };
      throw error;
    }
  };
}
