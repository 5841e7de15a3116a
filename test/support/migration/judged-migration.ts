import { Registry } from 'prom-client';
import { createJudgeMetrics } from '../../../src/telemetry/metrics/judge-metrics.ts';
import type { AuditChange } from '../../../src/store/audit/audit-entry.ts';
import { createMigrationCounts } from '../../../src/migration/counts/count-comparisons.ts';
import type { NewSourceCall } from '../../../src/migration/counts/migration-counts.ts';
import { createLocalCountsStore } from '../../../src/migration/counts/local-counts.ts';
import type { WebhookEvent } from '../../../src/telemetry/webhooks/webhook-message.ts';
import type { OwnAnswers } from '../../../src/migration/judge/carry-out-decision.ts';
import { createJudge } from '../../../src/migration/judge/judge.ts';
import { createLocalJudgeMemory, type JudgeMemory } from '../../../src/migration/judge/judge-memory.ts';
import { type MigrationState, positionText } from '../../../src/migration/state/migration-state.ts';
import { previewShare } from '../../../src/migration/routing/ramp-preview.ts';
import { createLocalStates } from '../../../src/migration/state/state-replica.ts';
import type { Clock } from '../../../src/kernel/clock.ts';
import { createManualClock } from '../time/manual-clock.ts';
import { BEGAN, migrationConfig, migrationState } from './migration-facts.ts';
import { endAfterTest } from '../jest/lifetime.ts';

/** A call that failed at the new source alone. */
export const FAILED: Partial<NewSourceCall> = { fallback: 'failed', isAttributable: true };

/** A call of one caller that failed at the new source alone, with a question of this shape. */
export const failedOf = (subject: string, shape = 'id=…'): Partial<NewSourceCall> => ({
  ...FAILED,
  failing: { subject, shape },
});

export type JudgedOptions = {
  readonly state?: Partial<MigrationState>;
  /** What the configuration declares besides the new source. */
  readonly declared?: object;
  readonly memory?: JudgeMemory;
  /** What the own questions of Portico show; by default, it can ask none. */
  readonly own?: () => OwnAnswers | undefined;
  /** The time of the test; absent: a clock that only the test moves. */
  readonly time?: Clock;
};

/** The metrics of the judge, and the series that a gauge of them shows: for each, its labels and its value. */
function openMetrics() {
  const registry = new Registry();
  const metrics = createJudgeMetrics({ registry, counters: new Map() });
  async function gauge(name: 'gate_ready' | 'cusum' | 'transient_exceeded' | 'replicas_at_rev') {
    const found = await registry.getSingleMetric(`portico_migration_${name}`)?.get();
    return found?.values.map(({ labels, value }) => [...Object.values(labels), value]);
  }
  return { metrics, gauge };
}

/** What a judge has done: lists to which the test adds. */
function openNotes() {
  const [audited, events]: [AuditChange[], WebhookEvent[]] = [[], []];
  const [rollbacks, warnings, asked]: [string[], string[], string[]] = [[], [], []];
  return { audited, events, rollbacks, warnings, asked };
}

/** The state of a migration of `users`, and its evidence. */
async function openStores(
  clock: Clock,
  { compare }: ReturnType<typeof migrationConfig>,
  state: JudgedOptions['state'],
) {
  const states = createLocalStates({ file: { read: () => [], write: () => undefined }, clock });
  const { sources, digests, ...first } = migrationState(state);
  states.declare([{ resource: 'users', sources, digests, position: { stage: 'legacy', percent: 0 } }]);
  await states.change(states.current('users')!, { ...first, sources, digests });
  const counts = createMigrationCounts({
    ...{ store: createLocalCountsStore(), states, clock, secret: 'of the test' },
    critical: () => compare.critical,
  });
  return { states, counts };
}

/** The judge over one migration of `users` in one process, on a clock that the test moves. */
export async function openJudged({
  state,
  declared = {},
  memory,
  own = () => undefined,
  time,
}: JudgedOptions = {}) {
  const manual = createManualClock(BEGAN);
  const clock = time ?? manual;
  const config = migrationConfig({ compare: { critical: ['data.email'] }, ...declared });
  const { states, counts } = await openStores(clock, config, state);
  const noted = openNotes();
  let caller = 0;
  const operations = ['users.list', 'users.get'];
  const { metrics, gauge } = openMetrics();
  let isDeclared = true;
  const judge = createJudge({
    ...{ states, counts, clock, memory: memory ?? createLocalJudgeMemory() },
    declared: () => (isDeclared ? [{ resource: 'users', operations, config, freshMs: 30_000 }] : []),
    audit: {
      record: (change) => Promise.resolve(noted.audited.push(change)).then(() => 'kept' as const),
    },
    preview: (_resource, percent) => Promise.resolve(previewShare([], percent, config)),
    metrics: {
      ...metrics,
      migrationRollback: (_resource, rule) => void noted.rollbacks.push(rule),
    },
    log: {
      info: () => undefined,
      warn: (_fields: unknown, message?: unknown) => void noted.warnings.push(String(message)),
    },
    askOwnQuestions: (_resource, operation, shapes) => {
      noted.asked.push([operation, ...shapes].join(' '));
      return Promise.resolve(own());
    },
    webhooks: { tell: (event) => void noted.events.push(event) },
  });
  const current = () => states.current('users')!;
  return {
    ...{ ...noted, clock: manual, states, counts, judge, current, config },
    position: () => positionText(current()),
    /** The file of the gateway declares the migration no longer. */
    undeclare: () => void (isDeclared = false),
    gauge,
    /** Counts a call; a test that does not say whose it is has ten callers in turn. */
    serve(call: Partial<NewSourceCall> = {}): void {
      caller = (caller + 1) % 10;
      const failing = { subject: `caller ${caller}`, shape: 'id=…' };
      const usual = { resource: 'users', operation: 'users.get', ms: 20, isAttributable: false };
      counts.served({ ...usual, ...(call.isAttributable === true ? { failing } : {}), ...call });
    },
    /** Lets time pass: `each` is called so many times a second, and the judge looks every two seconds. */
    async pass(seconds: number, perSecond: number, each: () => void): Promise<void> {
      for (let second = 0; second < seconds; second += 1) {
        for (let call = 0; call < perSecond; call += 1) each();
        manual.advance(1_000);
        if (second % 2 === 1) await judge.look();
      }
    },
    /** How many seconds it takes until the position is this one, at most `most`. */
    async secondsUntil(position: string, most: number, perSecond: number, each: () => void): Promise<number> {
      const startedAt = clock.now();
      while (positionText(current()) !== position && clock.now() - startedAt < most * 1_000)
        await this.pass(2, perSecond, each);
      return positionText(current()) === position ? (clock.now() - startedAt) / 1_000 : Infinity;
    },
    async close() {
      await judge.close();
      counts.close();
      states.close();
    },
  };
}

export type JudgedMigrationOfTest = Awaited<ReturnType<typeof openJudged>>;

/**
 * Opens judges, and closes them after each test. Call it in a `describe` or at the top of the file; `usual` is what a judge
 * is opened with where a test says nothing.
 */
export function useJudged(usual: JudgedOptions = {}) {
  return async function open(options = usual): Promise<JudgedMigrationOfTest> {
    return endAfterTest(await openJudged(options));
  };
}
