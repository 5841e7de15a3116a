// Begins the comparison counts of a migration anew when the file of one of its sources has changed, because the earlier
// comparisons say nothing about answers by the new file.

import { isDeepStrictEqual } from 'node:util';
import type { Logger } from 'pino';
import type { Clock } from '../../kernel/clock.ts';
import type { DeclaredMigration } from './declared-migration.ts';
import type { MigrationState } from './migration-state.ts';
import type { MigrationStateStore } from './state-store.ts';
import { withDigests } from './transitions.ts';

/** What the reset needs. `states.change` is a compare-and-set, so only one of several processes starts new counts. */
export type CountsResetDeps = {
  readonly states: Pick<MigrationStateStore, 'shared' | 'change' | 'onChange'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Pick<Logger, 'warn'>;
  /** Called after the state has changed, for the audit. It must not throw, and must return at once. */
  readonly onCountsReset?: ((before: MigrationState, after: MigrationState) => void) | undefined;
};

/**
 * Creates the reset of the comparison counts after a change of a source file. The stage stays, and no answer that was read with the
 * old file is served. It happens once for each configuration; otherwise processes with the old and the new file would change the
 * state back and forth.
 */
export function createCountsReset({ states, clock, log, onCountsReset }: CountsResetDeps) {
  const expected = new Map<string, DeclaredMigration['digests']>();

  async function reset(state: MigrationState, digests: DeclaredMigration['digests']): Promise<void> {
    const { resource, stage, rev } = state;
    const next = withDigests(state, digests, new Date(clock.now()).toISOString());
    const written = await states.change(state, next);
    if (written.kind === 'conflict') {
      compareDigests(resource);
      return;
    }
    expected.delete(resource);
    onCountsReset?.(state, written.state);
    if (stage !== 'legacy' && stage !== 'complete')
      log.warn(
        { resource, stage, rev: rev + 1 },
        'the file of a source or the contract has changed: the stage stays, and the comparison counts begin anew',
      );
  }

  function compareDigests(resource: string): void {
    const state = states.shared(resource);
    const digests = expected.get(resource);
    // No state is stored, or it was not read from Redis yet.
    if (digests === undefined || state === undefined || state.rev === 0) return;
    if (isDeepStrictEqual(state.digests, digests)) expected.delete(resource);
    // If Redis fails, the next change of the state tries again.
    else reset(state, digests).catch(() => undefined);
  }

  const unsubscribe = states.onChange(({ resource }) => compareDigests(resource));
  return {
    /** Compares the digests of a configuration with the digests in the states, now and whenever a state changes. */
    expect(declared: readonly DeclaredMigration[]): void {
      expected.clear();
      for (const { resource, digests } of declared) {
        expected.set(resource, digests);
        compareDigests(resource);
      }
    },
    close: unsubscribe,
  };
}
