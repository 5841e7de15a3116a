// Finds the events to send: what has changed in a migration since the last events.

import type { MigrationState } from '../state/migration-state.ts';
import { positionText } from '../state/operation-position.ts';

/** The part of a state that events are about, as it was last announced to the webhook. */
export type AnnouncedState = {
  readonly position: string;
  readonly isHeld: boolean;
  /** When it was last rolled back. */
  readonly rolledBackAt: string | null;
  readonly isReady: boolean;
};

/** An event of a migration that is sent to its webhook. */
export type MigrationEvent = {
  readonly type:
    | 'migration.gate_ready'
    | 'migration.stepped'
    | 'migration.held'
    | 'migration.rolled_back'
    | 'migration.finished';
  readonly resource: string;
  readonly position: string;
  readonly rev: number;
  /** Why: figures and the words of an operator, never a value of a record. */
  readonly reason?: string | undefined;
};

/** The announced part of a state. */
export function announcedStateOf(state: MigrationState, isReady: boolean): AnnouncedState {
  const { hold, lastRollback } = state;
  return {
    position: positionText(state),
    isHeld: hold !== undefined,
    rolledBackAt: lastRollback?.at ?? null,
    isReady,
  };
}

/** The events that lead from the last announced state to the present one. The first announcement has none. */
export function eventsSince(
  before: AnnouncedState | undefined,
  now: AnnouncedState,
  { resource, rev, hold, lastRollback }: MigrationState,
): readonly MigrationEvent[] {
  if (before === undefined) return [];
  const about = { resource, position: now.position, rev };
  if (now.rolledBackAt !== before.rolledBackAt)
    return [{ type: 'migration.rolled_back', ...about, reason: lastRollback?.evidence }];
  const events: MigrationEvent[] = [];
  if (now.position !== before.position)
    events.push({ type: now.position === 'complete' ? 'migration.finished' : 'migration.stepped', ...about });
  if (now.isHeld && !before.isHeld) events.push({ type: 'migration.held', ...about, reason: hold?.reason });
  if (now.isReady && !before.isReady) events.push({ type: 'migration.gate_ready', ...about });
  return events;
}
