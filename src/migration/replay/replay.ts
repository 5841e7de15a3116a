// Asks both sources recorded questions and compares the answers.

import { setTimeout as sleep } from 'node:timers/promises';
import { operations } from '../../contract/operations.ts';
import { compileParser } from '../../contract/parse-query.ts';
import type { Query } from '../../contract/query.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { MigrationCounts } from '../counts/migration-counts.ts';
import type { RecordedQuery, TrafficReplayResult, Run } from '../tasks/task-results.ts';
import type { CompareQuestion } from '../shadow/compare-question.ts';

/**
 * `compareQuestion` answers `undefined` where one of the sources could not be asked: it is busy, or the question needs a scan
 * or lies beyond its bounds. The question is tried five times in all.
 */
export type TrafficReplayDeps = {
  readonly compareQuestion: CompareQuestion;
  readonly counts: Pick<MigrationCounts, 'compared'>;
  readonly clock: Pick<Clock, 'monotonic'>;
  /** Waits; replaced in tests. */
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<unknown>;
};

/** How often a question is tried that a source refuses because callers go first. */
const ATTEMPTS_MAX = 5;

/** Parses a recorded question. @throws Error that names the question where the contract does not know it */
export function parseRecordedQuery({ operation: name, query }: RecordedQuery): Query {
  const operation = operations.find((one) => one.name === name);
  if (operation === undefined) throw new Error(`there is no operation ${name}`);
  const parse = compileParser(operation, { limitOverflow: 'clamp' });
  try {
    const id = new URLSearchParams(query).get('id') ?? '';
    return operation.kind === 'get' ? parse('', encodeURIComponent(id)) : parse(query, undefined);
  } catch {
    throw new Error(`${name} cannot be asked for: ${query}`);
  }
}

/**
 * Makes the function that asks both sources of one resource recorded questions. It gives evidence where there is little
 * traffic.
 */
export function createTrafficReplay({ compareQuestion, counts, clock, wait }: TrafficReplayDeps) {
  const pause = wait ?? ((ms, signal) => sleep(ms, undefined, { signal }));

  return async function replay(
    recorded: readonly RecordedQuery[],
    rps: number,
    { signal, progress }: Run,
  ): Promise<TrafficReplayResult> {
    const questions = recorded.map((one) => ({ operation: one.operation, query: parseRecordedQuery(one) }));
    const verdicts: Record<string, number> = {};
    let nextMs = clock.monotonic();

    /** Waits for the turn of the next question. */
    async function turn(): Promise<void> {
      await pause(Math.max(0, nextMs - clock.monotonic()), signal);
      nextMs = Math.max(nextMs, clock.monotonic()) + 1_000 / rps;
    }

    async function ask(operation: string, query: Query): Promise<string> {
      for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
        await turn();
        const comparison = await compareQuestion(operation, query, signal);
        if (comparison === undefined) continue;
        counts.compared(comparison);
        return comparison.verdict;
      }
      return 'not_asked';
    }

    for (const [index, { operation, query }] of questions.entries()) {
      const verdict = await ask(operation, query);
      verdicts[verdict] = (verdicts[verdict] ?? 0) + 1;
      progress(index + 1, questions.length);
    }
    return { asked: questions.length - (verdicts['not_asked'] ?? 0), verdicts };
  };
}
