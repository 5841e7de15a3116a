// Begins the evidence of a migration anew when the file of one of its sources has changed.

import { isDeepStrictEqual } from 'node:util';
import type { Logger } from 'pino';
import type { Clock } from '../../kernel/clock.ts';
import type { DeclaredMigration } from './declared-migration.ts';
import type { MigrationState } from './migration-state.ts';
import type { MigrationStates } from './migration-states.ts';
import { withDigests } from './transitions.ts';

export type RenewEvidenceDeps = {
  readonly states: Pick<MigrationStates, 'current' | 'change' | 'onChange'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Pick<Logger, 'warn'>;
};

/** Looks after states whose evidence is about other source files than those in force. */
export type EvidenceRenewal = {
  /** Compares the states with the files of a configuration: now, or as soon as they are known. */
  expect(declared: readonly DeclaredMigration[]): void;
  close(): void;
};

/**
 * Creates what begins the evidence anew where the file of a source has changed: the stage stays, and nothing that was read
 * before is served. It is done once for each configuration: processes that do not have the new file yet must not undo it.
 */
export function createEvidenceRenewal({ states, clock, log }: RenewEvidenceDeps): EvidenceRenewal {
  const expected = new Map<string, DeclaredMigration['digests']>();

  async function renew(state: MigrationState, digests: DeclaredMigration['digests']): Promise<void> {
    const { resource, stage, rev } = state;
    const next = withDigests(state, digests, new Date(clock.now()).toISOString());
    const written = await states.change(state, next);
    if (written.kind === 'conflict') {
      compare(written.state);
      return;
    }
    expected.delete(resource);
    if (stage !== 'legacy' && stage !== 'complete')
      log.warn(
        { resource, stage, rev: rev + 1 },
        'the file of a source has changed: the stage stays, and the evidence begins anew',
      );
  }

  function compare(state: MigrationState): void {
    const { resource } = state;
    const digests = expected.get(resource);
    // Nothing is kept yet, or it was not read yet.
    if (digests === undefined || state.rev === 0) return;
    if (isDeepStrictEqual(state.digests, digests)) expected.delete(resource);
    // While Redis fails it stays expected; the next state that is learnt tries again.
    else renew(state, digests).catch(() => undefined);
  }

  const unsubscribe = states.onChange(compare);
  return {
    expect(declared) {
      expected.clear();
      for (const { resource, digests } of declared) {
        expected.set(resource, digests);
        const state = states.current(resource);
        if (state !== undefined) compare(state);
      }
    },
    close: unsubscribe,
  };
}
