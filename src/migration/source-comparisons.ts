// Everything of one process that compares sources: shadows, walks, replays and explanations.

import type { Redis } from 'ioredis';
import type { Logger } from 'pino';
import { type Resource, resources } from '../contract/resources.ts';
import type { Query } from '../contract/query.ts';
import type { Clock } from '../kernel/clock.ts';
import type { ByOrigin, Origin } from '../kernel/upstream-call.ts';
import type { RedisKeys } from '../store/redis/redis-keys.ts';
import { queryKind } from './compare/query-kind.ts';
import { createToSample } from './compare/sample.ts';
import type { MigrationCounts } from './counts/migration-counts.ts';
import type { ServedMigration } from './migrations.ts';
import type { ExplainedQuestion, OnDifference, Run, WalkResult } from './tasks/task-results.ts';
import { attemptLimitMs } from './routing/serve-with-fallback.ts';
import type { OfferedAnswer } from './routing/offer-answers.ts';
import type { EdgeCaseResult } from './state/migration-state.ts';
import type { MigrationStateStore } from './state/state-store.ts';
import { askBothSources } from './shadow/ask-both-sources.ts';
import { createCompareEdgeCases } from './walk/compare-edge-cases.ts';
import { createWalk } from './walk/walk.ts';
import { type CompareQuestion, createCompareQuestion } from './shadow/compare-question.ts';
import { createOwnQuestions, type OwnQuestions } from './shadow/own-questions.ts';
import { createShadow, type Shadow, type ShadowMetrics } from './shadow/shadow.ts';
import { createShadowRateLimit, type ShadowRateLimit } from './shadow/shadow-rate-limit.ts';
import type { OverloadCause } from './shadow/overload-sensor.ts';

/** The comparisons of all resources that move, in one process. Each function throws an Error for another resource. */
export type SourceComparisons = {
  /** Offers an answer that was just read; a share of them is compared. It never throws, and returns at once. */
  offer(resource: string, read: OfferedAnswer): void;
  /** Why this process compares nothing with a source of the resource, by its name; none: it does. */
  uncompared(resource: string): readonly string[];
  /** Takes note of the configuration in force. */
  serveBy(served: readonly ServedMigration[]): void;
  /** Compares all records. @throws Error where a source fails */
  readonly walk: (resource: string, run: Run, onDifference?: OnDifference) => Promise<WalkResult>;
  /** Compares the edges of what may be asked. @throws Error where the legacy source fails */
  readonly compareEdgeCases: (resource: string, run: Run) => Promise<EdgeCaseResult>;
  /** Asks both sources one question, and returns their answers with values. */
  readonly explain: (resource: string, query: Query, signal: AbortSignal) => Promise<ExplainedQuestion>;
  /** Asks both sources one question; `undefined`: one of them could not be asked now. */
  readonly compareQuestion: (
    resource: string,
    ...question: Parameters<CompareQuestion>
  ) => ReturnType<CompareQuestion>;
  /** Asks by itself, see `OwnQuestions`; `undefined` also where the resource does not move. It never rejects. */
  readonly askOwnQuestions: (
    resource: string,
    ...question: Parameters<OwnQuestions['ask']>
  ) => ReturnType<OwnQuestions['ask']>;
  close(): Promise<void>;
};

/** All of it lives as long as the process; which resources are compared comes later, by `serveBy`. */
export type SourceComparisonsDeps = {
  readonly states: Pick<MigrationStateStore, 'current'>;
  readonly counts: Pick<MigrationCounts, 'compared' | 'refused' | 'isKnown' | 'rehearsed' | 'reread'>;
  readonly clock: Clock;
  /** Where calls are counted for a fleet; absent: this process counts alone. */
  readonly redis: Redis | undefined;
  readonly keys: Pick<RedisKeys, 'tierCounts'>;
  readonly overload: () => OverloadCause | undefined;
  readonly metrics: ShadowMetrics & { watchShadows(inFlight: () => number): void };
  readonly log: Pick<Logger, 'info' | 'warn'>;
  /** The key of the hashes in samples. */
  readonly secret: string;
};

/** What compares the sources of one resource. */
type ComparedResource = {
  readonly parts: ReturnType<typeof partsOf>;
  readonly rate: ShadowRateLimit;
  readonly shadow: Shadow;
  readonly names: ByOrigin<string>;
  readonly own: OwnQuestions;
};

/** The parts that shadows, walks, replays and explanations of one resource share. */
function partsOf({ declared, config, sources }: ServedMigration, deps: SourceComparisonsDeps) {
  const { states, counts, clock, secret } = deps;
  const resource = (resources as Readonly<Record<string, Resource>>)[declared.resource];
  if (resource === undefined) throw new Error(`the contract has no resource ${declared.resource}`);
  return {
    ...{ resource, config, counts, clock },
    sources: { legacy: sources.legacy, new: sources.new },
    keptRules: () => states.current(declared.resource)?.rules ?? [],
    toSample: createToSample({ secret, showMask: config.compare.showMask }),
    onRefused: (operation: string, query: Query) =>
      counts.refused(declared.resource, operation, queryKind(query)),
  };
}

/** Creates the comparisons of a process. Nothing is compared before `serveBy`. */
export function createSourceComparisons(deps: SourceComparisonsDeps): SourceComparisons {
  const { states, metrics, log } = deps;
  let compared: ReadonlyMap<string, ComparedResource> = new Map();

  function start(served: ServedMigration): ComparedResource {
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

  async function end(ended: ReadonlyMap<string, ComparedResource>): Promise<void> {
    for (const { rate } of ended.values()) rate.close();
    await Promise.all(Array.from(ended.values(), ({ shadow, own }) => [shadow.close(), own.close()]).flat());
  }

  function partsFor(resource: string): ComparedResource['parts'] {
    const found = compared.get(resource);
    if (found === undefined) throw new Error(`${resource} does not move`);
    return found.parts;
  }

  metrics.watchShadows(() =>
    Array.from(compared.values()).reduce((sum, { shadow }) => sum + shadow.inFlight, 0),
  );
  return {
    offer: (resource, read) => compared.get(resource)?.shadow.offer(read),
    uncompared(resource) {
      const { shadow, names } = compared.get(resource) ?? {};
      return (['legacy', 'new'] as const).flatMap((origin) => {
        const reason = shadow?.uncompared(origin);
        return reason === undefined ? [] : [`nothing is compared with ${names?.[origin] ?? ''}; ${reason}`];
      });
    },
    serveBy(served) {
      const before = compared;
      compared = new Map(served.map((one) => [one.declared.resource, start(one)]));
      void end(before);
    },
    walk: async (resource, ...run) => createWalk(partsFor(resource))(...run),
    compareEdgeCases: async (resource, run) => createCompareEdgeCases(partsFor(resource))(run),
    async explain(resource, query, signal) {
      const { resource: contract, sources } = partsFor(resource);
      return askBothSources(contract, sources, query, signal);
    },
    compareQuestion: async (resource, ...question) => createCompareQuestion(partsFor(resource))(...question),
    askOwnQuestions: async (resource, ...question) => compared.get(resource)?.own.ask(...question),
    close: () => end(compared),
  };
}
