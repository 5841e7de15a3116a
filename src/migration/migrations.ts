// The migrations of one process: their states, the choice of a source for each call, and which callers a share would reach.

import type { Resource } from '../contract/resource.ts';
import type { Logger } from 'pino';
import type { Clock } from '../kernel/clock.ts';
import type { ByOrigin, Origin } from '../kernel/migration-origin.ts';
import type { BeginPrewarm } from '../pipeline/stages/cache-prewarm.ts';
import type { Handler, SourceHandler } from '../pipeline/stages/call.ts';
import type { NewSourceCall } from './counts/migration-counts.ts';
import type { JudgedMigration } from './judge/evaluate-gate.ts';
import { attemptLimitMs } from './routing/serve-with-fallback.ts';
import { offerAnswers, type OfferedAnswer } from './routing/offer-answers.ts';
import { createLocalBreaker, type LocalBreaker } from './routing/local-breaker.ts';
import { previewShare } from './routing/ramp-preview.ts';
import type { RecentCallers } from './routing/recent-callers.ts';
import { createOriginStage, type OriginHandlers, type RoutingMetrics } from './routing/origin-stage.ts';
import { type MigrationState, positionOf } from './state/migration-state.ts';
import type { Preview } from './tasks/task-results.ts';
import { type DeclaredMigration, initialState } from './state/declared-migration.ts';
import { createCountsReset } from './state/reset-counts.ts';
import type { MigrationStateStore } from './state/state-store.ts';

/** A resource that moves to a new source, as one configuration describes it. */
export type MigratingResource = Omit<JudgedMigration, 'resource'> & {
  readonly declared: DeclaredMigration;
  readonly resource: Resource;
  /** How long a caller waits at most, in milliseconds. */
  readonly deadlineMs: number;
};

/** A resource that moves, and its assembled sources. */
export type ServedMigration = MigratingResource & {
  /** Both sources without their caches, but with their scan caches. */
  readonly sources: ByOrigin<SourceHandler>;
  /** Puts answers of the new source into its cache before it serves callers. */
  readonly warm: BeginPrewarm;
};

/** The migrations of a process. They stay the same when the configuration changes. */
export type Migrations = ReturnType<typeof createMigrations>;

/** The part of a migration from which the stages of its resource are assembled. */
export type ResourceMigration = ReturnType<Migrations['of']>;

/**
 * What migrations need; all of these live as long as the process. Without `legacyP99Ms`, a call to the new source may take half
 * of the resource's deadline.
 */
export type MigrationsDeps = {
  readonly states: MigrationStateStore;
  readonly clock: Clock;
  readonly log: Pick<Logger, 'info' | 'warn'>;
  readonly metrics: RoutingMetrics;
  /** Opens the record of the callers of a migration, by its name. */
  readonly openCallers: (name: string) => RecentCallers;
  /** The 99th percentile of an operation at its legacy source, in milliseconds, if it is known. */
  readonly legacyP99Ms?: ((operation: string) => number | undefined) | undefined;
  /** Called for each call that reached a new source. It must not throw, and must return at once. */
  readonly onServed?: ((call: NewSourceCall) => void) | undefined;
  /** Called with each answer that was just read for a caller. It must not throw, and must return at once. */
  readonly offerAnswer?: ((read: OfferedAnswer) => void) | undefined;
  /** Called after a changed source file has begun the comparison counts anew. It must not throw, and must return at once. */
  readonly onCountsReset?: ((before: MigrationState, after: MigrationState) => void) | undefined;
};

/** What this process has seen of a migration: its breaker and its callers. They survive changes of the configuration. */
type Observed = { readonly breaker: LocalBreaker; readonly callers: RecentCallers };

/** Creates the holder of the breakers and callers of all migrations. */
function createObserved({ clock: { monotonic }, log, openCallers }: MigrationsDeps) {
  const all = new Map<string, Observed>();

  function create(resource: string, name: string): Observed {
    function onChange(isOpen: boolean): void {
      if (isOpen)
        log.warn(
          { resource },
          'the new source fails; this process serves from the legacy one for half a minute',
        );
      else log.info({ resource }, 'the new source answers again; this process serves from it by the state');
    }
    return { breaker: createLocalBreaker({ monotonic, onChange }), callers: openCallers(name) };
  }

  return {
    of({ resource, sources }: DeclaredMigration): Observed {
      // Another pair of sources has another salt, so the same callers have other buckets.
      const name = [resource, ...sources].join(':');
      const observed = all.get(name) ?? create(resource, name);
      all.set(name, observed);
      return observed;
    },
    close: () => all.forEach(({ callers }) => callers.close()),
  };
}

/** Creates the migrations of a process. None is declared before `serveBy`. */
export function createMigrations(deps: MigrationsDeps) {
  const { states, clock, metrics, legacyP99Ms, onServed, offerAnswer } = deps;
  const observed = createObserved(deps);
  const countsReset = createCountsReset(deps);
  const { monotonic } = clock;

  /** The migration of a resource, under one configuration of it. */
  function of({ declared, resource: contract, config, deadlineMs }: MigratingResource) {
    const { resource } = declared;
    const initial = initialState(declared, new Date(clock.now()).toISOString());
    const { breaker, callers } = observed.of(declared);
    return {
      /** Creates the stage that chooses the source of each call of one operation. */
      originStage: (operation: string, handlers: OriginHandlers): Handler =>
        createOriginStage(handlers, {
          ...config,
          ...{ resource, contract, operation, states, initial, monotonic, metrics },
          attemptMs: () => attemptLimitMs(deadlineMs, legacyP99Ms?.(operation), config.gate.latencySlack),
          breaker,
          count: callers.count,
          onServed: (call) => onServed?.({ ...call, resource, operation }),
        }),
      /** Wraps a source, so that its answers to callers are offered for comparison. */
      reported: (operation: string, origin: Origin, source: SourceHandler): SourceHandler =>
        offerAnswer === undefined
          ? source
          : offerAnswers({ operation, origin }, source, { monotonic, offerAnswer }),
      /** The present generation of the new source. */
      generation: (): number => (states.current(resource) ?? initial).generation,
      /** Calls `listener` with the generation after each change of the state. Returns the function that stops this. */
      onGeneration: (listener: (generation: number) => void): (() => void) =>
        states.onChange((state) => {
          if (state.resource === resource) listener(state.generation);
        }),
    };
  }

  let served: readonly ServedMigration[] = [];
  return {
    of,
    /** Sets the migrations of the configuration in force. */
    serveBy(next: readonly ServedMigration[]): void {
      served = next;
      const declared = next.map((one) => one.declared);
      states.declare(declared);
      countsReset.expect(declared);
    },
    states,
    /** The position of each operation of the resources that move. */
    positions: () =>
      served.flatMap(({ declared: { resource }, operations }) => {
        const state = states.current(resource);
        if (state === undefined) return [];
        return operations.map((operation) => {
          const { stage, percent } = positionOf(state, operation);
          return { resource, operation, stage, percent, rev: state.rev };
        });
      }),
    staleSeconds: () => states.staleSeconds(),
    /** The resources that this process serves from the legacy source now, because the new one fails here. */
    openBreakers: (): readonly string[] =>
      served.flatMap(({ declared }) => (observed.of(declared).breaker.isOpen ? [declared.resource] : [])),
    /** The callers that a share would reach; callers in `named` are shown by these ids. Rejects if Redis fails, or nothing moves. */
    async preview(resource: string, percent: number, named: readonly string[] = []): Promise<Preview> {
      const migrating = served.find(({ declared }) => declared.resource === resource);
      if (migrating === undefined) throw new Error(`${resource} does not move`);
      const { declared, config } = migrating;
      const callers = await observed.of(declared).callers.list([...config.allow, ...config.deny, ...named]);
      return previewShare(callers, percent, config);
    },
    close(): void {
      observed.close();
      countsReset.close();
      states.close();
    },
  };
}
