// Holds everything in one process that compares sources: comparisons of callers' answers, walks, replays and explanations.

import type { Redis } from 'ioredis';
import type { Logger } from 'pino';
import type { Query } from '../contract/query.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Origin } from '../kernel/migration-origin.ts';
import type { RedisKeys } from '../store/redis/redis-keys.ts';
import { queryKind } from './compare/query-kind.ts';
import { createDifferenceSampler } from './compare/sample.ts';
import type { MigrationCounts } from './counts/count-comparisons.ts';
import type { ServedMigration } from './migrations.ts';
import type { ExplainedQuestion, Run } from './tasks/task-results.ts';
import { attemptLimitMs } from './routing/serve-with-fallback.ts';
import type { OfferedAnswer } from './routing/offer-answers.ts';
import type { MigrationStateStore } from './state/state-store.ts';
import { askBothSources } from './shadow/ask-both-sources.ts';
import { createCompareEdgeCases } from './walk/compare-edge-cases.ts';
import { createWalk } from './walk/walk.ts';
import { type CompareQuestion, createCompareQuestion } from './shadow/compare-question.ts';
import { createOwnQuestions, type OwnQuestions } from './shadow/own-questions.ts';
import { createShadow, type ShadowMetrics } from './shadow/shadow.ts';
import { createShadowRateLimit } from './shadow/shadow-rate-limit.ts';
import type { OverloadCause } from './shadow/overload-sensor.ts';

/** What the comparisons need; all of these live as long as the process. */
export type SourceComparisonsDeps = {
  readonly states: Pick<MigrationStateStore, 'current'>;
  readonly counts: Pick<
    MigrationCounts,
    'compared' | 'uncompared' | 'refused' | 'isKnown' | 'rehearsed' | 'reread'
  >;
  readonly clock: Clock;
  /** Where calls are counted for a fleet; without it, this process counts alone. */
  readonly redis: Redis | undefined;
  readonly keys: Pick<RedisKeys, 'tierCounts'>;
  readonly overload: () => OverloadCause | undefined;
  readonly metrics: ShadowMetrics & { watchShadows(inFlight: () => number): void };
  readonly log: Pick<Logger, 'info' | 'warn'>;
  /** The key of the hashes in samples. */
  readonly secret: string;
};

/** The parts that shadows, walks, replays and explanations of one resource share. */
function partsOf({ declared, resource, config, sources }: ServedMigration, deps: SourceComparisonsDeps) {
  const { states, counts, clock, secret } = deps;
  return {
    ...{ resource, config, counts, clock },
    sources: { legacy: sources.legacy, new: sources.new },
    keptRules: () => states.current(declared.resource)?.rules ?? [],
    toSample: createDifferenceSampler({
      ...{ secret, showMask: config.compare.showMask },
      fields: [...resource.itemFields, ...resource.detailFields],
    }),
    onRefused: (operation: string, query: Query) =>
      counts.refused(declared.resource, operation, queryKind(query, resource)),
  };
}

/** Creates the shadow, its rate limit and Portico's own questions for one resource. */
function startComparing(served: ServedMigration, deps: SourceComparisonsDeps) {
  const { states, log } = deps;
  const { declared, config } = served;
  const parts = partsOf(served, deps);
  const rate = createShadowRateLimit(declared.resource, config.shadow.maxRps, deps);
  const state = () => states.current(declared.resource);
  const names = { legacy: declared.sources[0], new: declared.sources[1] };
  function onUncompared(origin: Origin, reason: string | undefined): void {
    const about = { resource: declared.resource, source: names[origin], reason };
    if (reason === undefined) log.info(about, 'answers are compared with this source again');
    else log.warn(about, 'nothing is compared with this source');
  }
  const random = Math.random;
  const own = createOwnQuestions({
    ...parts,
    timeLimitMs: attemptLimitMs(served.deadlineMs, undefined, 0),
    random,
  });
  const shadow = createShadow({
    ...{ ...deps, ...parts, state, rate, random, warm: served.warm },
    ...{ onUncompared, onAnswered: own.answered },
  });
  return { parts, rate, shadow, names, own };
}

/** Creates the comparisons of a process. Nothing is compared before `serveBy`. */
export function createSourceComparisons(deps: SourceComparisonsDeps) {
  let compared: ReadonlyMap<string, ReturnType<typeof startComparing>> = new Map();

  async function end(ended: typeof compared): Promise<void> {
    for (const { rate } of ended.values()) rate.close();
    await Promise.all(Array.from(ended.values(), ({ shadow, own }) => [shadow.close(), own.close()]).flat());
  }

  /** The parts of a resource. @throws Error if the configuration declares no migration of it */
  function partsFor(resource: string) {
    const found = compared.get(resource);
    if (found === undefined) throw new Error(`${resource} does not move`);
    return found.parts;
  }

  deps.metrics.watchShadows(() =>
    Array.from(compared.values()).reduce((sum, { shadow }) => sum + shadow.inFlight, 0),
  );
  return {
    /** The contract's description of a resource. @throws Error if the configuration declares no migration of it */
    resourceOf: (resource: string) => partsFor(resource).resource,
    /** Offers an answer that was just read. A share of the answers is compared. It never throws, and returns at once. */
    offer: (read: OfferedAnswer) => compared.get(read.query.resource)?.shadow.offer(read),
    /** For each source of the resource with which nothing is compared in this process: the reason, in words. */
    uncompared(resource: string): readonly string[] {
      const { shadow, names } = compared.get(resource) ?? {};
      return (['legacy', 'new'] as const).flatMap((origin) => {
        const reason = shadow?.uncompared(origin);
        return reason === undefined ? [] : [`nothing is compared with ${names?.[origin] ?? ''}; ${reason}`];
      });
    },
    /** Sets the migrations of the configuration in force. */
    serveBy(served: readonly ServedMigration[]): void {
      const before = compared;
      compared = new Map(served.map((one) => [one.declared.resource, startComparing(one, deps)]));
      void end(before);
    },
    /** Compares all records. @throws Error if a source fails */
    walk: async (resource: string, ...run: Parameters<ReturnType<typeof createWalk>>) =>
      createWalk(partsFor(resource))(...run),
    /** Compares the edge cases. @throws Error if the legacy source fails */
    compareEdgeCases: async (resource: string, run: Run) => createCompareEdgeCases(partsFor(resource))(run),
    /** Asks both sources one question, and returns their answers with values. */
    explain: async (resource: string, query: Query, signal: AbortSignal): Promise<ExplainedQuestion> => {
      const { resource: contract, sources } = partsFor(resource);
      return askBothSources(contract, sources, query, signal);
    },
    /** Asks both sources one question; `undefined` if one of them could not be asked now. */
    compareQuestion: async (resource: string, ...question: Parameters<CompareQuestion>) =>
      createCompareQuestion(partsFor(resource))(...question),
    /** Asks Portico's own questions; `undefined` if there are no answers yet, or no migration is declared. It never rejects. */
    askOwnQuestions: async (resource: string, ...question: Parameters<OwnQuestions['ask']>) =>
      compared.get(resource)?.own.ask(...question),
    close: () => end(compared),
  };
}
