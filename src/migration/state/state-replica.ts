// The copy of the states of migrations in this process, which is also written to `state.dir`. Without Redis, it is the only copy.

import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../../kernel/clock.ts';
import { type DeclaredMigration, initialState } from './declared-migration.ts';
import { type MigrationState, positionOf } from './migration-state.ts';
import type { KeptState, StateFile } from './state-file.ts';
import type { MigrationStage } from '../../config/schema/migration-stages.ts';
import { isBeyond } from './transitions.ts';
import type { MigrationStateStore } from './state-store.ts';

const SERVING: readonly MigrationStage[] = ['ramp', 'live', 'complete'];

/** Whether `state` sends callers to the new source that the local rollback (`local`) keeps at the legacy source. */
function isFurtherAhead(state: MigrationState, local: MigrationState): boolean {
  const operations = [undefined, ...Object.keys(state.operations), ...Object.keys(local.operations)];
  return operations.some((operation) => {
    const position = positionOf(state, operation);
    return SERVING.includes(position.stage) && isBeyond(position, positionOf(local, operation));
  });
}

/**
 * The state that a process uses after a local rollback, which affects only this process. The rollback decides where callers go;
 * everything else, such as rules, follows the shared state. Its `rev` is 0, so the process does not count as up to date.
 */
function withLocalRollback(local: MigrationState, shared: MigrationState): MigrationState {
  const { stage, percent, operations, hold, lastRollback } = local;
  const generation = Math.max(local.generation, shared.generation);
  return { ...shared, stage, percent, operations, hold, lastRollback, generation, rev: 0 };
}

/** The local rollback of a process after a change of the shared state; `undefined` if the change has ended it. */
function remainingLocalRollback(
  before: { readonly state: MigrationState; readonly override: MigrationState | undefined },
  next: MigrationState,
): MigrationState | undefined {
  const { state, override: local } = before;
  const isResumed = state.hold !== undefined && next.hold === undefined;
  if (local === undefined || isResumed || !isFurtherAhead(next, local)) return undefined;
  return withLocalRollback(local, next);
}

type Known = {
  declared: DeclaredMigration;
  state: MigrationState;
  override: MigrationState | undefined;
};

/** The states of the declared migrations as this process knows them. */
export type StateReplica = Pick<
  MigrationStateStore,
  'declare' | 'current' | 'shared' | 'rollBackHere' | 'endLocalRollback' | 'onChange'
> & {
  declared(): readonly DeclaredMigration[];
  /** Replaces the shared state by a newer one. The local rollback of this process stays, unless the newer state ends it. */
  replace(state: MigrationState): void;
};

/** What a replica needs. `file` is read once, at the start, and written after each change. */
export type StateReplicaDeps = {
  readonly file: StateFile;
  readonly clock: Pick<Clock, 'now'>;
  /** True without Redis: a stage that was changed in the configuration replaces the stored stage. */
  readonly isFileLeading: boolean;
};

/** Creates the copy of the states of a process. It reads the states in `state.dir` at once. */
export function createStateReplica({ file, clock, isFileLeading }: StateReplicaDeps): StateReplica {
  const kept = file.read();
  const known = new Map<string, Known>();
  const listeners = new Set<(state: MigrationState) => void>();
  const now = () => new Date(clock.now()).toISOString();

  function keep(): void {
    const isBegun = ({ state, override }: Known) => state.rev > 0 || override !== undefined;
    const states = [...known.values()].filter(isBegun);
    if (states.length > 0)
      file.write(states.map(({ declared, ...one }) => ({ ...one, declared: declared.position })));
  }

  function announce(resource: string): void {
    const one = known.get(resource);
    if (one === undefined) return;
    keep();
    for (const listener of listeners) listener(one.override ?? one.state);
  }

  function setOverride(resource: string, to: (shared: MigrationState) => MigrationState | undefined): void {
    const one = known.get(resource);
    if (one === undefined) return;
    one.override = to(one.state);
    announce(resource);
  }

  /** The state before this configuration: the state of this process, or else of an earlier process, from the file. */
  function findKept({ resource, sources }: DeclaredMigration): KeptState | undefined {
    const own = known.get(resource);
    const all = own === undefined ? kept : [{ ...own, declared: own.declared.position }];
    return all.find(({ state }) => state.resource === resource && isDeepStrictEqual(state.sources, sources));
  }

  function begin(declared: DeclaredMigration): Known {
    const before = findKept(declared);
    const { stage, percent } = declared.position;
    if (before === undefined || before.state.rev === 0)
      return { declared, state: initialState(declared, now()), override: before?.override };
    const { state, override } = before;
    const isMoved = stage !== before.declared.stage || percent !== before.declared.percent;
    if (!isFileLeading || !isMoved) return { declared, state, override };
    const moved = { ...state, stage, percent, operations: {}, rev: state.rev + 1, since: now() };
    return { declared, state: moved, override: undefined };
  }

  return {
    declare(all) {
      const next = all.map((declared) => [declared.resource, begin(declared)] as const);
      const before = new Map(known);
      known.clear();
      for (const [resource, one] of next) known.set(resource, one);
      for (const [resource, { state }] of next) if (before.get(resource)?.state !== state) announce(resource);
      keep();
    },
    declared: () => [...known.values()].map(({ declared }) => declared),
    current(resource) {
      const one = known.get(resource);
      return one?.override ?? one?.state;
    },
    shared: (resource) => known.get(resource)?.state,
    replace(state) {
      const one = known.get(state.resource);
      if (one === undefined || !isDeepStrictEqual(one.declared.sources, state.sources)) return;
      one.override = remainingLocalRollback(one, state);
      one.state = state;
      announce(state.resource);
    },
    rollBackHere: (state) => setOverride(state.resource, (shared) => withLocalRollback(state, shared)),
    endLocalRollback: (resource) => setOverride(resource, () => undefined),
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/** Creates the states of a gateway without Redis: they are in this process, and in `state.dir`. */
export function createLocalStates(deps: Omit<StateReplicaDeps, 'isFileLeading'>): MigrationStateStore {
  const replica = createStateReplica({ ...deps, isFileLeading: true });
  return {
    ...replica,
    change(expected, next) {
      const state = replica.shared(expected.resource);
      if (state?.rev !== expected.rev) return Promise.resolve({ kind: 'conflict', state: state ?? expected });
      const changed = { ...next, rev: state.rev + 1 };
      replica.replace(changed);
      return Promise.resolve({ kind: 'changed', state: changed });
    },
    refresh: () => Promise.resolve(),
    acknowledged: () => Promise.resolve({ total: 1, atRev: 1, stale: [] }),
    staleSeconds: () => 0,
    close: () => undefined,
  };
}
