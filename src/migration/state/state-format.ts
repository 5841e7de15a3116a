// Writes and parses the state of a migration for Redis and the file, and refuses one that is damaged or of another format.

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

const isTime = (value: unknown): value is string => isText(value) && Number.isFinite(Date.parse(value));
const isTexts = (value: unknown) => Array.isArray(value) && value.every(isText);
const isAbsentOrText = (value: unknown) => value === undefined || isText(value);

function isPendingStep(value: unknown): boolean {
  const { to, operation, isForced, over, by, reason, at, until } = Object(value) as Record<string, unknown>;
  const isAsked = isPosition(to) && isAbsentOrText(operation) && typeof isForced === 'boolean';
  return isAsked && isTexts(over) && isText(by) && isAbsentOrText(reason) && isTime(at) && isTime(until);
}

/** The hold of a state. A damaged hold still holds, because an operator should look at it before the migration goes on. */
function asHold({ hold, since }: Readonly<Record<string, unknown>>) {
  if (hold === undefined) return undefined;
  const { by, at, reason } = Object(hold) as Record<string, unknown>;
  const isSound = isText(by) && isTime(at) && isText(reason);
  return isSound ? hold : { by: 'nobody known', at: since, reason: 'what is stored of the hold is damaged' };
}

/** What a state has at times. What is damaged of it is left out: calls can be routed without it. */
function asExtras(value: Readonly<Record<string, unknown>>) {
  const { pending, forced, isBegun } = value;
  const { at, over } = Object(forced) as Record<string, unknown>;
  return {
    isBegun: typeof isBegun === 'boolean' ? isBegun : undefined,
    hold: asHold(value),
    pending: isPendingStep(pending) ? pending : undefined,
    forced: isText(at) && isTexts(over) ? forced : undefined,
  };
}

/** Returns a value if it is a state, else `undefined`, so that no call is routed by damaged data. */
export function asState(value: unknown): MigrationState | undefined {
  if (!isPosition(value) || !isObject(value)) return undefined;
  const { resource, sources, digests, rev, generation, operations, rules, acknowledged, lastRollback } =
    value;
  const isSound =
    [resource, value['salt'], value['evidence']].every(isText) &&
    [value['since'], value['evidenceSince']].every(isTime) &&
    isPair(sources) &&
    isPair(digests) &&
    Number.isSafeInteger(rev) &&
    Number.isSafeInteger(generation) &&
    isObject(operations) &&
    Object.values(operations).every(isPosition) &&
    Array.isArray(rules) &&
    Array.isArray(acknowledged) &&
    typeof lastRollback === 'object';
  return isSound ? ({ ...value, ...asExtras(value) } as MigrationState) : undefined;
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
