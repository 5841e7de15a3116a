// Where a resource or one of its operations is, and how that is written.

import type { MigrationState, Position } from './migration-state.ts';

/** The position of an operation: its own where it has one, else that of the resource. */
export function positionOf(state: MigrationState, operation?: string): Position {
  return (operation === undefined ? undefined : state.operations[operation]) ?? state;
}

/** A position as commands and answers write it: `shadow`, `ramp:5`, `live`. */
export function positionText({ stage, percent }: Position): string {
  return stage === 'ramp' ? `ramp:${percent}` : stage;
}
