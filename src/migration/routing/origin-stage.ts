// The pipeline stage that chooses the source of each call: legacy or new.

import type { FallbackCause, Origin } from '../../kernel/migration-origin.ts';
import type { Call, Handler } from '../../pipeline/stages/call.ts';
import type { MigrationState } from '../state/migration-state.ts';
import type { MigrationStateStore } from '../state/state-store.ts';
import type { LocalBreaker } from './local-breaker.ts';
import {
  createServeWithFallback,
  type GenerationHandler,
  type ServeWithFallbackDeps,
} from './serve-with-fallback.ts';
import { compileRoute, type CountCall, type RouteSpec } from './route.ts';

/** The permission that lets a caller choose the source by a header. */
export const OVERRIDE_PERMISSION = 'migration:override';

/** The source that the caller chose by the header; `undefined` without a valid choice, or without the permission. */
function requestedOrigin(call: Call, header: string): Origin | undefined {
  if (call.principal?.permissions.has(OVERRIDE_PERMISSION) !== true) return undefined;
  const [value, ...more] = call.headerLines(header);
  const isOne = more.length === 0 && (value === 'legacy' || value === 'new');
  return isOne ? value : undefined;
}

/** The handlers of one operation. Each source answers behind a cache of its own. */
export type OriginHandlers = {
  readonly legacy: Handler;
  /** The new source with the caches of a generation, while the legacy source can still answer instead. */
  readonly new: (generation: number) => GenerationHandler;
  /** The new source in the stage `complete`, with its usual cache and without a fallback. */
  readonly complete: Handler;
  /** One of the sources without its cache, for callers who choose the source. */
  readonly uncached: (origin: Origin, generation: number) => Handler;
};

/** The counters for calls of a resource that moves. */
export type RoutingMetrics = {
  migrationRequest(resource: string, operation: string, origin: Origin): void;
  migrationFallback(resource: string, operation: string, cause: FallbackCause): void;
  migrationOverride(resource: string, origin: Origin): void;
};

/** What the stage needs. It reads `states` for every call, so a new state counts from the next call on. */
export type OriginStageDeps = RouteSpec &
  Omit<ServeWithFallbackDeps, 'legacy' | 'breaker' | 'metrics'> & {
    readonly overrideHeader: string;
    readonly states: Pick<MigrationStateStore, 'current'>;
    /** The state from the configuration file, which is used if no state is kept. */
    readonly initial: MigrationState;
    readonly breaker: LocalBreaker;
    /** Counts the calls by caller, for `migration preview`; absent if they are not counted. */
    readonly count?: CountCall | undefined;
    readonly metrics: RoutingMetrics;
  };

/**
 * Creates the stage that chooses the source of each call of one operation, by the state when the call comes. A call that runs
 * keeps its source. In `legacy` and `complete` there is no choice, so the stage only looks at the state.
 */
export function createOriginStage(handlers: OriginHandlers, deps: OriginStageDeps): Handler {
  const { resource, operation, overrideHeader, states, breaker, metrics } = deps;
  const { legacy } = handlers;
  const serveNew = createServeWithFallback({ ...deps, legacy });

  /**
   * Serves a caller who has chosen the source by the header. There is neither a fallback nor a cache, because the caller wants
   * the present answer of this source, and such calls must not fill a cache for other callers.
   */
  function serveOverride(call: Call, origin: Origin, generation: number) {
    call.summary.origin = origin;
    metrics.migrationOverride(resource, origin);
    return handlers.uncached(origin, generation)(call);
  }

  /** Compiles how calls are served in this state. */
  function serveIn(state: MigrationState): Handler {
    const { stage, generation, choose } = compileRoute(deps, state, deps.count);
    if (stage === 'complete') return handlers.complete;
    // Calling `new` closes the earlier generation now, and not only at the next call.
    const newSource = stage === 'legacy' ? undefined : handlers.new(generation);
    return function served(call) {
      const override = requestedOrigin(call, overrideHeader);
      if (override !== undefined) return serveOverride(call, override, generation);
      if (newSource === undefined) return legacy(call);
      const chosen = choose(call);
      const origin = chosen === 'new' && breaker.allows() ? 'new' : 'legacy';
      call.summary.origin = origin;
      metrics.migrationRequest(resource, operation, origin);
      return origin === 'new' ? serveNew(call, newSource) : legacy(call);
    };
  }

  let seen: MigrationState | undefined;
  let serve: Handler | undefined;
  return function chosen(call) {
    // If a migration is no longer declared, its last state counts.
    const state = states.current(resource) ?? seen ?? deps.initial;
    if (state !== seen || serve === undefined) {
      seen = state;
      serve = serveIn(state);
    }
    return serve(call);
  };
}
