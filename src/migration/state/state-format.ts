// Writes and parses a stored state, and refuses a state that is damaged or has another format.

import { stages } from '../../config/schema/migration-stages.ts';
import type { MigrationState } from './migration-state.ts';

/** The version of the format. A state without a version has format 1, because the first versions of Portico wrote none. */
const VERSION = 1;

const isText = (value: unknown): value is string => typeof value === 'string';
const isPair = (value: unknown) => Array.isArray(value) && value.length === 2 && value.every(isText);
const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

function isPosition(value: unknown): boolean {
  const { stage, percent } = Object(value) as Record<string, unknown>;
  return (
    (stages as readonly unknown[]).includes(stage) &&
    typeof percent === 'number' &&
    percent >= 0 &&
    percent <= 100
  );
}

/** Returns a value if it is a state, else `undefined`, so that no call is routed by damaged data. */
export function asState(value: unknown): MigrationState | undefined {
  if (!isPosition(value) || !isObject(value)) return undefined;
  const { resource, sources, digests, rev, generation, operations, rules, acknowledged, lastRollback } =
    value;
  const isSound =
    [resource, value['salt'], value['evidence'], value['since'], value['evidenceSince']].every(isText) &&
    isPair(sources) &&
    isPair(digests) &&
    Number.isSafeInteger(rev) &&
    Number.isSafeInteger(generation) &&
    isObject(operations) &&
    Object.values(operations).every(isPosition) &&
    Array.isArray(rules) &&
    Array.isArray(acknowledged) &&
    typeof lastRollback === 'object';
  return isSound ? (value as MigrationState) : undefined;
}

/** Writes a state as JSON, with the version of the format. */
export function writeState(state: MigrationState): string {
  return JSON.stringify({ version: VERSION, ...state });
}

/** Parses a text of `writeState`; `damaged` if it is no state, `newer` if a newer Portico wrote it in another format. */
export function readState(text: string): MigrationState | 'damaged' | 'newer' {
  try {
    const { version = VERSION, ...state } = Object(JSON.parse(text)) as { readonly version?: unknown };
    if (version !== VERSION) return typeof version === 'number' && version > VERSION ? 'newer' : 'damaged';
    return asState(state) ?? 'damaged';
  } catch {
    return 'damaged';
  }
}
