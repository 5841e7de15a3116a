// The states of migrations of a gateway without Redis.

import { createKnownStates, type KnownStatesDeps } from './known-states.ts';
import type { MigrationStates } from './migration-states.ts';

/** Creates the states of a gateway without Redis: they are in this process, and in `state.dir`. */
export function createLocalStates(deps: Omit<KnownStatesDeps, 'isFileLeading'>): MigrationStates {
  const known = createKnownStates({ ...deps, isFileLeading: true });
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
    override: known.override,
    endOverride: known.endOverride,
    onChange: known.onChange,
    refresh: () => Promise.resolve(),
    acknowledged: () => Promise.resolve({ total: 1, atRev: 1, stale: [] }),
    staleSeconds: () => 0,
    close: () => undefined,
  };
}
