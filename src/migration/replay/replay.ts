// Asks both sources recorded questions and compares the answers (`portico migration replay`), because a resource with little
// traffic is compared too seldom.

import type { Resource } from '../../contract/resource.ts';
import { compileParser } from '../../contract/parse-query.ts';
import type { Query } from '../../contract/query.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { MigrationCounts } from '../counts/count-comparisons.ts';
import { type Wait, waitMs } from '../tasks/ask-at-low-priority.ts';
import type { RecordedQuery, TrafficReplayResult, Run } from '../tasks/task-results.ts';
import type { CompareQuestion } from '../shadow/compare-question.ts';

/** What a replay needs. */
type TrafficReplayDeps = {
  readonly compareQuestion: CompareQuestion;
  readonly resource: Resource;
  readonly counts: Pick<MigrationCounts, 'compared'>;
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly wait?: Wait;
};

/** How often a question is asked at most if it cannot be compared, because a source is busy or the question needs a scan. */
const ATTEMPTS_MAX = 5;

/** Parses a recorded question. @throws Error with the question if the contract does not know it */
export function parseRecordedQuery(
  { operation: name, query }: RecordedQuery,
  { operations }: Resource,
): Query {
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

/** Creates the function that asks both sources of one resource recorded questions, `rps` per second, and counts the verdicts. */
export function createTrafficReplay({
  compareQuestion,
  resource,
  counts,
  clock,
  wait = waitMs,
}: TrafficReplayDeps) {
  return async function replay(
    recorded: readonly RecordedQuery[],
    rps: number,
    { signal, progress }: Run,
  ): Promise<TrafficReplayResult> {
    const questions = recorded.map((one) => ({
      operation: one.operation,
      query: parseRecordedQuery(one, resource),
    }));
    const verdicts: Record<string, number> = {};
    let nextMs = clock.monotonic();

    /** Waits for the turn of the next question. */
    async function turn(): Promise<void> {
      await wait(Math.max(0, nextMs - clock.monotonic()), signal);
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
