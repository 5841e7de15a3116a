// The pipeline stage that chooses the source of each call: legacy or new.

import type { FallbackCause, Origin } from '../../kernel/upstream-call.ts';
import type { Call, Handler } from '../../policy/call.ts';
import type { MigrationState } from '../state/migration-state.ts';
import type { LocalBreaker } from './local-breaker.ts';
import type { GenerationHandler, OnServed } from './serve-with-fallback.ts';
import { createServeWithFallback } from './serve-with-fallback.ts';
import { overrideOf } from './override.ts';
import { compileRoute, type CountCall, type RouteSpec } from './route.ts';

/** What answers one operation from either source, each behind its own cache. */
export type OriginHandlers = {
  readonly legacy: Handler;
  /** The new source, with what is kept of it under one generation. */
  readonly new: (generation: number) => GenerationHandler;
  /** The new source as if it were the only one. */
  readonly complete: Handler;
};

/** What is counted of the calls of a resource that moves. */
export type RoutingMetrics = {
  migrationRequest(resource: string, operation: string, origin: Origin): void;
  migrationFallback(resource: string, operation: string, cause: FallbackCause): void;
  migrationOverride(resource: string, origin: Origin): void;
};

export type OriginStageDeps = RouteSpec & {
  readonly overrideHeader: string;
  /** How long the new source may take before the legacy one is asked, milliseconds. */
  readonly attemptMs: number;
  readonly current: () => MigrationState | undefined;
  /** What counts where there is no state: the file's. */
  readonly initial: MigrationState;
  readonly breaker: LocalBreaker;
  /** Milliseconds. */
  readonly monotonic: () => number;
  /** Counts the calls that have a bucket; absent: nobody asks. */
  readonly count?: CountCall | undefined;
  readonly onServed: OnServed;
  readonly metrics: RoutingMetrics;
};

/** Notes the choice, for the log line, the span and the metrics; a caller never learns of it. */
function createNote({ resource, operation, metrics }: OriginStageDeps) {
  return function note(call: Call, origin: Origin): void {
    call.trace.origin = origin;
    metrics.migrationRequest(resource, operation, origin);
  };
}

/**
 * Creates the stage that chooses the source of each call of one operation. The choice is made once, when the call comes,
 * by the state of that moment. At rest it costs a look at the state: neither `legacy` nor `complete` chooses anything.
 */
export function createOriginStage(handlers: OriginHandlers, deps: OriginStageDeps): Handler {
  const { resource, overrideHeader, breaker, metrics } = deps;
  const { legacy } = handlers;
  const note = createNote(deps);
  const serveNew = createServeWithFallback({ ...deps, legacy });

  /** Serves a caller who has chosen the source himself, without a fallback: he wants to see what it answers. */
  function serveOverride(call: Call, origin: Origin, generation: number) {
    call.trace.origin = origin;
    metrics.migrationOverride(resource, origin);
    return origin === 'legacy' ? legacy(call) : handlers.new(generation).handler(call);
  }

  /** Compiles how calls are served while the state is this one. */
  function serveIn(state: MigrationState): Handler {
    const { stage, generation, choose } = compileRoute(deps, state, deps.count);
    if (stage === 'complete') return handlers.complete;
    // The generation before this one ends now, and not with the next call.
    const newSource = stage === 'legacy' ? undefined : handlers.new(generation);
    return function served(call) {
      const override = overrideOf(call, overrideHeader);
      if (override !== undefined) return serveOverride(call, override, generation);
      if (newSource === undefined) return legacy(call);
      const chosen = choose(call);
      const origin = chosen === 'new' && breaker.allows() ? 'new' : 'legacy';
      note(call, origin);
      return origin === 'new' ? serveNew(call, newSource) : legacy(call);
    };
  }

  let seen: MigrationState | undefined;
  let serve: Handler | undefined;
  return function chosen(call) {
    // A migration that is no longer declared is served as it was last.
    const state = deps.current() ?? seen ?? deps.initial;
    if (state !== seen || serve === undefined) {
      seen = state;
      serve = serveIn(state);
    }
    return serve(call);
  };
}
