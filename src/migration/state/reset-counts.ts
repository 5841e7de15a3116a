// Begins the evidence of a migration anew when the file of one of its sources has changed.

import { isDeepStrictEqual } from 'node:util';
import type { Logger } from 'pino';
import type { Clock } from '../../kernel/clock.ts';
import type { DeclaredMigration } from './declared-migration.ts';
import type { MigrationState } from './migration-state.ts';
import type { MigrationStateStore } from './state-store.ts';
import { withDigests } from './transitions.ts';

/**
 * `states.change` is a compare-and-set: of several processes that see a changed file, one renews the evidence and the
 * others learn of it.
 */
export type CountsResetDeps = {
  readonly states: Pick<MigrationStateStore, 'shared' | 'change' | 'onChange'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Pick<Logger, 'warn'>;
  /** Called once a state is changed, for the audit. It must not throw, and must return at once. */
  readonly onCountsReset?: ((before: MigrationState, after: MigrationState) => void) | undefined;
};

/** Renews evidence that was collected with other source files than those in force. */
export type CountsReset = {
  /** Compares the states with the source files of a configuration: now, or as soon as a state is known. */
  expect(declared: readonly DeclaredMigration[]): void;
  close(): void;
};

/**
 * Creates the renewal. Where a source file has changed it begins the evidence anew: the stage stays, and nothing that was
 * read with the old file is served. It does so once for each configuration: a process that still has the old file must not
 * change the state back and forth with one that has the new file.
 */
export function createCountsReset({
  states,
  clock,
  log,
  onCountsReset,
}: CountsResetDeps): CountsReset {
  const expected = new Map<string, DeclaredMigration['digests']>();

  async function renew(state: MigrationState, digests: DeclaredMigration['digests']): Promise<void> {
    const { resource, stage, rev } = state;
    const next = withDigests(state, digests, new Date(clock.now()).toISOString());
    const written = await states.change(state, next);
    if (written.kind === 'conflict') {
      compare(resource);
      return;
    }
    expected.delete(resource);
    onCountsReset?.(state, written.state);
    if (stage !== 'legacy' && stage !== 'complete')
      log.warn(
        { resource, stage, rev: rev + 1 },
        'the file of a source has changed: the stage stays, and the evidence begins anew',
      );
  }

  function compare(resource: string): void {
    const state = states.shared(resource);
    const digests = expected.get(resource);
    // No state is kept, or it was not read from Redis yet.
    if (digests === undefined || state === undefined || state.rev === 0) return;
    if (isDeepStrictEqual(state.digests, digests)) expected.delete(resource);
    // While Redis fails it stays expected; the next state that is learnt tries again.
    else renew(state, digests).catch(() => undefined);
  }

  const unsubscribe = states.onChange(({ resource }) => compare(resource));
  return {
    expect(declared) {
      expected.clear();
      for (const { resource, digests } of declared) {
        expected.set(resource, digests);
        compare(resource);
      }
    },
    close: unsubscribe,
  };
}
