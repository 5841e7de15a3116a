// Finds the webhook events that the judge sends: what has changed in a migration since the last events.

import { forcedOver, type MigrationState, positionOf, positionText } from '../state/migration-state.ts';

/** The position of a resource or an operation, and whether its next step may be taken. */
type AnnouncedPosition = { readonly position: string; readonly isReady: boolean };

/** The part of a state that events are about, as it was last announced. */
export type AnnouncedState = AnnouncedPosition & {
  readonly isHeld: boolean;
  /** When the migration was last rolled back. */
  readonly rolledBackAt: string | null;
  /** The operations with a position of their own. Absent if an earlier version of Portico wrote this. */
  readonly operations?: Readonly<Record<string, AnnouncedPosition>>;
};

/** An event that is sent to the receivers of webhooks. */
export type MigrationEvent = {
  readonly type:
    | 'migration.gate_ready'
    | 'migration.stepped'
    | 'migration.held'
    | 'migration.rolled_back'
    | 'migration.finished';
  readonly resource: string;
  /** The operation that the event is about; absent if it is about the whole resource. */
  readonly operation?: string | undefined;
  readonly position: string;
  readonly rev: number;
  /** Counts, or the text of an operator. It never contains a value of a record. */
  readonly reason?: string | undefined;
  /** The unmet conditions of a forced step; absent if the step was not forced. */
  readonly forced?: readonly string[] | undefined;
};

/** The part of a state that is announced. `isReady` is called for the resource and for each operation with its own position. */
export function announcedStateOf(
  state: MigrationState,
  isReady: (operation?: string) => boolean,
): AnnouncedState {
  const { hold, lastRollback } = state;
  const positionAt = (operation?: string): AnnouncedPosition => ({
    position: positionText(positionOf(state, operation)),
    isReady: isReady(operation),
  });
  return {
    ...positionAt(),
    isHeld: hold !== undefined,
    rolledBackAt: lastRollback?.at ?? null,
    operations: Object.fromEntries(Object.keys(state.operations).map((one) => [one, positionAt(one)])),
  };
}

/** The operations whose own position has changed, or that moved while the resource did not. */
function movedOperations(before: AnnouncedState, now: AnnouncedState): readonly string[] {
  const { operations: earlier, position: from } = before;
  const { operations: apart = {}, position: to } = now;
  if (earlier === undefined) return [];
  return [...new Set([...Object.keys(earlier), ...Object.keys(apart)])].filter(
    (one) =>
      (apart[one] !== undefined || from === to) &&
      (earlier[one]?.position ?? from) !== (apart[one]?.position ?? to),
  );
}

/** The events for the changes from the last announced state to this one. The first announcement has none. */
export function eventsSince(
  before: AnnouncedState | undefined,
  now: AnnouncedState,
  { hold, lastRollback, ...state }: MigrationState,
): readonly MigrationEvent[] {
  if (before === undefined) return [];
  const { resource, rev } = state;
  const { position, operations = {} } = now;
  const over = forcedOver(state);
  const forced = over.length > 0 && { forced: over };
  const ofResource = { resource, position, rev };
  const of = (operation: string) => ({
    ...{ resource, operation, rev },
    position: operations[operation]?.position ?? position,
  });
  const hasStepped = position !== before.position;
  const moved = movedOperations(before, now);
  if (now.rolledBackAt !== before.rolledBackAt) {
    const about = hasStepped || moved[0] === undefined ? ofResource : of(moved[0]);
    return [{ type: 'migration.rolled_back', ...about, reason: lastRollback?.evidence }];
  }
  const events: MigrationEvent[] = [];
  if (hasStepped)
    events.push({
      type: position === 'complete' ? 'migration.finished' : 'migration.stepped',
      ...ofResource,
      ...forced,
    });
  for (const operation of moved) events.push({ type: 'migration.stepped', ...of(operation), ...forced });
  if (now.isHeld && !before.isHeld)
    events.push({ type: 'migration.held', ...ofResource, reason: hold?.reason });
  if (now.isReady && !before.isReady) events.push({ type: 'migration.gate_ready', ...ofResource });
  for (const [operation, { isReady }] of Object.entries(operations))
    if (isReady && before.operations?.[operation]?.isReady !== true)
      events.push({ type: 'migration.gate_ready', ...of(operation) });
  return events;
}
