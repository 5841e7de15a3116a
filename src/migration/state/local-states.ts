// The states of migrations of a gateway without Redis.

import { createStateReplica, type StateReplicaDeps } from './state-replica.ts';
import type { MigrationStateStore } from './state-store.ts';

/** Creates the states of a gateway without Redis: they are in this process, and in `state.dir`. */
export function createLocalStates(deps: Omit<StateReplicaDeps, 'isFileLeading'>): MigrationStateStore {
  const known = createStateReplica({ ...deps, isFileLeading: true });
  return {
    declare: known.declare,
    current: known.current,
    shared: known.shared,
    change(expected, next) {
      const state = known.shared(expected.resource);
      if (state?.rev !== expected.rev) return Promise.resolve({ kind: 'conflict', state: state ?? expected });
      const changed = { ...next, rev: state.rev + 1 };
      known.learn(changed);
      return Promise.resolve({ kind: 'changed', state: changed });
    },
    rollBackHere: known.rollBackHere,
    endLocalRollback: known.endLocalRollback,
    onChange: known.onChange,
    refresh: () => Promise.resolve(),
    acknowledged: () => Promise.resolve({ total: 1, atRev: 1, stale: [] }),
    staleSeconds: () => 0,
    close: () => undefined,
  };
}
