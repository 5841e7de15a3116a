// Counts comparisons and calls in memory, writes them to the store every second, and reads the sums for judge and reports.

import { createHmac } from 'node:crypto';
import type { Clock } from '../../kernel/clock.ts';
import { createSerialQueue } from '../../kernel/semaphore.ts';
import type { Comparison } from '../compare/comparison.ts';
import type { MigrationStateStore } from '../state/state-store.ts';
import {
  addComparison,
  addRefused,
  addReread,
  addServed,
  addUncompared,
  type Delta,
  KEYS_MAX,
} from './delta.ts';
import type { DifferenceGroup, NewSourceCall } from './migration-counts.ts';
import {
  createByScope,
  differenceGroup,
  type CountsScope,
  type CountsStore,
  type OperationCounts,
  operationCounts,
} from './counts-store.ts';

/** Counts what comparisons and calls show about both sources: in Redis for a fleet, else in this process. */
export type MigrationCounts = ReturnType<typeof createMigrationCounts>;

/** What the counts need. `secret` is the same in the whole fleet, so that a question that several processes compare counts once. */
export type MigrationCountsDeps = {
  readonly store: CountsStore;
  readonly states: Pick<MigrationStateStore, 'current'>;
  readonly clock: Pick<Clock, 'now'>;
  /** The key of the hashes of questions. It is not in Redis, so nobody can guess a question from its hash. */
  readonly secret: string;
  /** The paths in which no difference is accepted. */
  readonly critical: (resource: string) => readonly string[];
  readonly onCompared?: ((comparison: Comparison) => void) | undefined;
};

const FLUSH_MS = 1_000;
const RECENT_MS = 86_400_000;

/** Creates the functions that read the counts of all processes. `flushed` first writes the counts of this process. */
function createCountsReads(
  { store, clock }: Pick<MigrationCountsDeps, 'store' | 'clock'>,
  flushed: (resource: string) => Promise<CountsScope | undefined>,
) {
  return {
    /** Reads the counts by operation; an operation without counts is absent. @throws Error if Redis fails */
    async read(resource: string): Promise<Readonly<Record<string, OperationCounts>>> {
      const scope = await flushed(resource);
      if (scope === undefined) return {};
      const stored = await store.read(scope, clock.now() - RECENT_MS);
      return Object.fromEntries(
        Object.entries(stored).map(([operation, one]): [string, OperationCounts] => [
          operation,
          operationCounts(one, scope.stepAt),
        ]),
      );
    },
    /** Reads the groups of differences, the largest first. @throws Error if Redis fails */
    async differences(resource: string): Promise<readonly DifferenceGroup[]> {
      const scope = await flushed(resource);
      if (scope === undefined) return [];
      const groups = Object.entries(await store.groups(scope)).flatMap(([operation, list]) =>
        list.map((group) => differenceGroup(operation, group)),
      );
      return groups.sort((a, b) => b.count - a.count);
    },
  };
}

/** Creates the counts of a process. They are written every second, and before each `read` and `differences`. */
export function createMigrationCounts(deps: MigrationCountsDeps) {
  const { store, states, clock, secret, critical, onCompared } = deps;
  const knownKeys = createByScope(() => new Set<string>());
  const inTurn = createSerialQueue();

  function scopeOf(resource: string): CountsScope | undefined {
    const state = states.current(resource);
    return state && { resource, name: state.evidence, stepAt: Date.parse(state.since) };
  }

  const hashOf = (text: string) => createHmac('sha256', secret).update(text).digest('base64url').slice(0, 14);
  const keyOf = (operation: string, query: string) => hashOf(`query:${operation}:${query}`);

  /** Adds to the counts of an operation; for a resource without a migration nothing is counted. */
  function count(resource: string, operation: string, add: (delta: Delta) => void): void {
    const scope = scopeOf(resource);
    if (scope !== undefined) add(store.deltaOf(scope, operation));
  }

  const flush = () => inTurn(() => store.flush());

  async function flushed(resource: string): Promise<CountsScope | undefined> {
    const scope = scopeOf(resource);
    if (scope !== undefined) await flush();
    return scope;
  }

  const timer = setInterval(() => void flush().catch(() => undefined), FLUSH_MS).unref();

  return {
    /** Counts a comparison. It never waits or fails. */
    compared(comparison: Comparison): void {
      const { resource, operation, query } = comparison;
      onCompared?.(comparison);
      const scope = scopeOf(resource);
      if (scope === undefined) return;
      const key = keyOf(operation, query);
      const keys = knownKeys(scope);
      if (keys.size < KEYS_MAX) keys.add(key);
      const facts = { key, critical: critical(resource), now: clock.now() };
      addComparison(store.deltaOf(scope, operation), comparison, facts);
    },
    /** Counts a call of a caller to the new source. It never waits or fails. */
    served(call: NewSourceCall): void {
      const { subject, shape = '' } = call.failing ?? {};
      const failing = subject === undefined ? '' : `${hashOf(`caller:${subject}`)} ${shape}`;
      count(call.resource, call.operation, (delta) => addServed(delta, call, clock.now(), failing));
    },
    /** Counts an answer that was not compared. */
    uncompared: (resource: string, operation: string, outcome: string) =>
      count(resource, operation, (delta) => addUncompared(delta, outcome)),
    /** Counts a kind of question (see `queryKind`) that the new source cannot answer within its limits. */
    refused: (resource: string, operation: string, kind: string) =>
      count(resource, operation, (delta) => addRefused(delta, kind)),
    /** Counts a repeated question to the legacy source after the lag, and the fields that had changed in its answer. */
    reread: (resource: string, operation: string, changed: readonly string[]) =>
      count(resource, operation, (delta) => addReread(delta, changed)),
    /** Counts a call that a failure drill made fail. */
    rehearsed: (resource: string, operation: string) =>
      count(resource, operation, ({ step }) => step.set('rehearsed', (step.get('rehearsed') ?? 0) + 1)),
    /** Whether this process has compared the question before. Never waits. */
    isKnown(resource: string, operation: string, query: string): boolean {
      const scope = scopeOf(resource);
      return scope !== undefined && knownKeys(scope).has(keyOf(operation, query));
    },
    ...createCountsReads(deps, flushed),
    /** Writes the counts of this process to the store. @throws Error if Redis fails */
    flush,
    close: () => clearInterval(timer),
  };
}
