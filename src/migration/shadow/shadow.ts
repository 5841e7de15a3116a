// Takes a sample of the answers that callers got, and compares them with the other source in the background.

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { MigrationStage } from '../../config/schema/migration-stages.ts';
import { queryKey, type Query } from '../../contract/query.ts';
import { createBackgroundTasks } from '../../kernel/background-tasks.ts';
import type { ByOrigin, Origin } from '../../kernel/migration-origin.ts';
import type { BeginPrewarm } from '../../pipeline/stages/cache-prewarm.ts';
import type { MigrationCounts } from '../counts/count-comparisons.ts';
import { failsInDrill } from '../judge/failure-drill.ts';
import type { OfferedAnswer } from '../routing/offer-answers.ts';
import { type MigrationState, positionOf } from '../state/migration-state.ts';
import { type ComparerDeps, createComparer, type RecheckResult } from './comparer.ts';
import { otherOrigin } from './confirm.ts';
import { createComparisonBreaker } from './comparison-breaker.ts';
import { type ComparisonCall, isReadSince } from './comparison-call.ts';
import { createLegacyRereads } from './reread-legacy.ts';
import type { ShadowRateLimit } from './shadow-rate-limit.ts';
import { createSemaphore } from '../../kernel/semaphore.ts';
import type { OverloadCause } from './overload-sensor.ts';
import { createUncompared, type ShadowOutcome } from './uncompared.ts';

/** The metrics to which shadows report. */
export type ShadowMetrics = {
  shadow(resource: string, outcome: ShadowOutcome): void;
  recheck(resource: string, result: RecheckResult): void;
  /** Counts how long a source took to answer. `isShadow`: whether the call was made for a comparison. */
  migrationAnswered(resource: string, origin: Origin, isShadow: boolean, ms: number): void;
};

/**
 * What a shadow needs. `state` is called for each offered answer, and again when its comparison begins; `overload` only for a
 * chosen answer. `random` decides which answers are chosen, and which calls fail in a failure drill.
 */
export type ShadowDeps = Omit<ComparerDeps, 'slots' | 'keptRules' | 'onRecheck' | 'onLegacy'> & {
  readonly state: () => MigrationState | undefined;
  readonly counts: Pick<MigrationCounts, 'compared' | 'uncompared' | 'isKnown' | 'rehearsed' | 'reread'>;
  readonly rate: Pick<ShadowRateLimit, 'take'>;
  readonly overload: () => OverloadCause | undefined;
  readonly metrics: ShadowMetrics;
  /** Returns a new random number for each answer: from 0, and below 1. */
  readonly random: () => number;
  /** Called once with the reason when nothing is compared with a source any more, and with `undefined` when that ends. */
  readonly onUncompared?: ((origin: Origin, reason: string | undefined) => void) | undefined;
  /** Called with a question that both sources have just answered. */
  readonly onAnswered?: ((operation: string, query: Query) => void) | undefined;
  /** Puts equal answers of the new source into its cache before it serves, and replaces a wrong answer by the right one. */
  readonly warm?: BeginPrewarm | undefined;
};

/** The highest percentage of answers that are compared in `live`, when the new source serves all callers. */
const LIVE_PERCENT_MAX = 5;

/** The percentage of answers that are compared in a stage. */
function percentIn(stage: MigrationStage, percent: number): number {
  if (stage === 'shadow' || stage === 'ramp') return percent;
  return stage === 'live' ? Math.min(percent, LIVE_PERCENT_MAX) : 0;
}

const SKIPPED: Record<Extract<ComparisonCall, { kind: 'skipped' }>['reason'], ShadowOutcome | undefined> = {
  cap: 'dropped_cap',
  scan: 'dropped_scan',
  bounds: 'dropped_scan',
  source: 'dropped_source',
  closed: undefined,
};

function outcomeOf(call: ComparisonCall): ShadowOutcome | undefined {
  if (call.kind === 'answered') return 'ok';
  if (call.kind === 'skipped') return SKIPPED[call.reason];
  return call.isTimeout ? 'timeout' : 'error';
}

/**
 * Creates the slots of a resource. A comparison that is accepted but has not sent its call yet also counts; otherwise one turn of
 * the event loop could accept any number of comparisons.
 */
function createComparisonSlots(size: number) {
  const slots = createSemaphore(size);
  let begun = 0;
  return {
    slots,
    /** Reserves a slot for a comparison; false if all are taken. */
    begin(): boolean {
      if (slots.taken + begun >= size) return false;
      begun += 1;
      return true;
    },
    /** Ends the reservation, just before the first call takes a slot. */
    started: () => void (begun -= 1),
  };
}

/** Creates the function that compares one answer with the other source if the rate limit allows it, and counts the result. */
function createCompareRead(
  deps: ShadowDeps,
  comparisonSlots: ReturnType<typeof createComparisonSlots>,
  breakers: ByOrigin<ReturnType<typeof createComparisonBreaker>>,
  report: (read: OfferedAnswer, outcome: ShadowOutcome, detail?: string) => void,
  tasks: Pick<ReturnType<typeof createBackgroundTasks>, 'run'>,
) {
  const { resource, config, state, counts, rate, metrics, clock, random, warm } = deps;
  const parts = { ...deps, slots: comparisonSlots.slots, keptRules: () => state()?.rules ?? [] };
  const rereads = createLegacyRereads({
    ...parts,
    onReread: (operation, changed) => counts.reread(resource.name, operation, changed),
    onAnswered: (ms) => metrics.migrationAnswered(resource.name, 'legacy', true, ms),
  });
  const compareWithOther = createComparer({
    ...parts,
    onRecheck: (result) => metrics.recheck(resource.name, result),
    onLegacy: (question, first) => tasks.run((signal) => rereads.reread(question, first, signal)),
  });

  async function isWithinRate(): Promise<boolean> {
    try {
      return await rate.take();
    } finally {
      comparisonSlots.started();
    }
  }

  return async function compare(read: OfferedAnswer, isFresh: boolean, signal: AbortSignal): Promise<void> {
    const { operation, origin, query, answer, ms, spans } = read;
    await nextTurn();
    const isAllowed = await isWithinRate();
    if (!isAllowed) {
      report(read, 'dropped_rate');
      return;
    }
    const current = state();
    if (current !== undefined && failsInDrill(current, clock.now(), random())) {
      counts.rehearsed(resource.name, operation);
      return;
    }
    const served = { kind: 'answered', answer, ms, isFresh } as const;
    const mayKeep = origin === 'new' || config.shadow.prewarm;
    const keep = mayKeep ? warm?.(operation, query) : undefined;
    const { second, comparison, isEqual, corrected } = await compareWithOther(
      { operation, query, origin, served, spans },
      signal,
    );
    // Failures at odd questions do not show that the source is broken.
    if (comparison?.verdict !== 'odd') breakers[otherOrigin(origin)].record(second);
    if (second.kind === 'answered') {
      deps.onAnswered?.(operation, query);
      metrics.migrationAnswered(resource.name, otherOrigin(origin), true, second.ms);
    }
    const outcome = outcomeOf(second);
    if (outcome !== undefined) report(read, outcome, second.kind === 'skipped' ? second.detail : undefined);
    if (comparison === undefined) return;
    counts.compared(comparison);
    if (comparison.lagMs !== undefined) rereads.lagged(operation, comparison.lagMs);
    if (origin === 'legacy' && isEqual === true && second.kind === 'answered') await keep?.(second.answer);
    if (corrected !== undefined) await keep?.(corrected);
  };
}

/** Creates the shadow of a resource: it compares a sample of the answers. No caller waits for it. */
export function createShadow(deps: ShadowDeps) {
  const { resource, config, state, counts, overload, metrics, clock, random } = deps;
  const { concurrency, rate: percent } = config.shadow;
  const tasks = createBackgroundTasks();
  const comparisonSlots = createComparisonSlots(concurrency);
  const { monotonic } = clock;
  const breakers = { legacy: createComparisonBreaker(monotonic), new: createComparisonBreaker(monotonic) };
  const uncomparedOf = (origin: Origin) =>
    createUncompared(monotonic, (reason) => deps.onUncompared?.(origin, reason));
  const uncompared = { legacy: uncomparedOf('legacy'), new: uncomparedOf('new') };
  function report({ operation, origin }: OfferedAnswer, outcome: ShadowOutcome, detail?: string): void {
    metrics.shadow(resource.name, outcome);
    uncompared[otherOrigin(origin)].count(outcome, detail);
    if (outcome !== 'ok') counts.uncompared(resource.name, operation, outcome);
  }
  const compare = createCompareRead(deps, comparisonSlots, breakers, report, tasks);

  /** A question that was never compared is always chosen, because a random share would rarely contain rare questions. */
  function isChosen({ operation, query }: OfferedAnswer): boolean {
    const current = state();
    const chance = current === undefined ? 0 : percentIn(positionOf(current, operation).stage, percent);
    if (chance === 0) return false;
    return random() * 100 < chance || !counts.isKnown(resource.name, operation, queryKey(query));
  }

  function refusalOf({ origin }: OfferedAnswer): ShadowOutcome | undefined {
    if (overload() !== undefined) return 'dropped_overload';
    if (breakers[otherOrigin(origin)].isOpen) return 'dropped_breaker';
    return comparisonSlots.begin() ? undefined : 'dropped_cap';
  }

  return {
    /** Offers an answer for comparison. It never throws, and returns at once. */
    offer(read: OfferedAnswer): void {
      if (!isChosen(read)) return;
      const refusal = refusalOf(read);
      const isFresh = isReadSince(read.answer, clock.now() - read.ms);
      if (refusal === undefined) tasks.run((signal) => compare(read, isFresh, signal));
      else report(read, refusal);
    },
    /** How many comparison calls run in this process. */
    get inFlight(): number {
      return comparisonSlots.slots.taken;
    },
    /** Why no answer is compared with a source; `undefined` if answers are compared. */
    uncompared: (origin: Origin) => uncompared[origin].reason,
    /** Aborts the comparisons that run, and waits for their end. */
    close: () => tasks.close(),
  };
}
