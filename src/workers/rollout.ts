import type { WorkerGeneration, WorkerPlan } from './worker-slots.ts';

/** Where a change of configuration stands. */
type RolloutState =
  | { readonly kind: 'idle' }
  /** The first worker of a new configuration starts. If it fails, the configuration is refused. */
  | { readonly kind: 'trial'; readonly candidate: WorkerGeneration }
  /** The new configuration is in force, and the old workers are replaced. */
  | { readonly kind: 'replacing' };

/** Which configuration is in force, which one is tried, and which one waits. */
export type Rollout = {
  readonly current: WorkerGeneration;
  /** The configuration that is tried; `undefined` if there is none. */
  readonly candidate: WorkerGeneration | undefined;
  /** Keeps a configuration until `nextCandidate` takes it. A later one replaces it; `undefined` removes it. */
  queue(plan: WorkerPlan | undefined): void;
  /** Makes the waiting configuration the candidate, unless another is tried. */
  nextCandidate(): WorkerGeneration | undefined;
  /** Puts the candidate in force. */
  accept(): void;
  refuse(): void;
  /** Ends a replacement. Returns whether there was one. */
  finish(): boolean;
};

/** Creates the rollout that begins with the configuration of the start. */
export function createRollout(plan: WorkerPlan): Rollout {
  let current: WorkerGeneration = { number: 1, plan };
  let state: RolloutState = { kind: 'idle' };
  let waiting: WorkerPlan | undefined;
  return {
    get current() {
      return current;
    },
    get candidate() {
      return state.kind === 'trial' ? state.candidate : undefined;
    },
    queue(next) {
      waiting = next;
    },
    nextCandidate() {
      if (waiting === undefined || state.kind === 'trial') return undefined;
      const candidate = { number: current.number + 1, plan: waiting };
      waiting = undefined;
      state = { kind: 'trial', candidate };
      return candidate;
    },
    accept() {
      if (state.kind !== 'trial') return;
      current = state.candidate;
      state = { kind: 'replacing' };
    },
    refuse() {
      state = { kind: 'idle' };
    },
    finish() {
      if (state.kind !== 'replacing') return false;
      state = { kind: 'idle' };
      return true;
    },
  };
}
