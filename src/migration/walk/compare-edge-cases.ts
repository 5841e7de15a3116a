// Asks both sources the edge cases (questions that callers hardly ever ask) and compares the answers, for a gate with
// `gate.edges`.

import { queryKey } from '../../contract/query.ts';
import type { GatewayError } from '../../kernel/errors/fault.ts';
import { isBeyondBounds } from '../../pipeline/reading/windows/scan-faults.ts';
import { lastingDifferences } from '../compare/compare-answers.ts';
import type { ComparisonVerdict, DifferenceSample } from '../compare/comparison.ts';
import { queryKind } from '../compare/query-kind.ts';
import { readListBody } from '../compare/read-body.ts';
import {
  answerOf,
  createAskAtLowPriority,
  createPacer,
  type LowPriorityReply,
  waitMs,
} from '../tasks/ask-at-low-priority.ts';
import type { Run } from '../tasks/task-results.ts';
import { createClassify } from '../shadow/comparer.ts';
import type { ClassifiedDifferences } from '../shadow/confirm.ts';
import type { EdgeCaseResult } from '../state/migration-state.ts';
import { type EdgeCase, edgeCasesOf } from './edge-cases.ts';
import { pageQuery } from './list-records.ts';
import type { WalkDeps } from './walk.ts';

/** The most edge cases whose names are kept. */
const NAMED_MAX = 20;

/** The outcome of one question to both sources. */
type Outcome =
  /** The legacy source has no answer, so nothing is compared. */
  | { readonly kind: 'unasked' }
  /** The new source has no answer. */
  | { readonly kind: 'refused'; readonly error: GatewayError }
  | ({ readonly kind: 'compared' } & ClassifiedDifferences);

/** Returns the reply. @throws Error if the source stayed busy, because such a reply says nothing about the question */
function decidedReply(reply: LowPriorityReply): LowPriorityReply {
  if ('error' in reply && reply.error.code === 'overloaded') answerOf(reply);
  return reply;
}

/** Creates the function that counts an outcome. It returns whether both sources answered the same. */
function createCount({ resource, toSample, counts }: WalkDeps) {
  return function count({ query }: EdgeCase, outcome: Exclude<Outcome, { kind: 'unasked' }>): boolean {
    const operation = `${resource.name}.${query.kind}`;
    const about = { resource: resource.name, operation, query: queryKey(query) };
    if (outcome.kind === 'refused') {
      // If the answer is beyond the limits of the new source, the source has not failed.
      if (!isBeyondBounds(outcome.error))
        counts.compared({ ...about, verdict: 'failed_new', differences: [], ignored: [] });
      return false;
    }
    const [differences, ignored] = [outcome.counting, outcome.accepted].map((all) =>
      all.map((one) => toSample(one, about.query)),
    ) as [DifferenceSample[], DifferenceSample[]];
    const equal: ComparisonVerdict = ignored.length === 0 ? 'match' : 'ignored';
    const verdict = differences.length === 0 ? equal : 'mismatch';
    counts.compared({ ...about, verdict, differences, ignored });
    return differences.length === 0;
  };
}

/**
 * Creates the function that asks both sources the edge cases. A difference counts only if it is there again after
 * `recheck.delay`. It rejects if the legacy source does not answer a plain list.
 */
export function createCompareEdgeCases(deps: WalkDeps) {
  const { resource, config, sources, clock, wait = waitMs } = deps;
  const classify = createClassify(deps);
  const ask = createAskAtLowPriority({ pace: createPacer(config.shadow.maxRps, clock, wait), wait });
  const count = createCount(deps);

  async function compare({ query }: EdgeCase, signal: AbortSignal): Promise<Outcome> {
    const legacy = decidedReply(await ask(sources.legacy, query, signal));
    if ('error' in legacy) return { kind: 'unasked' };
    const next = decidedReply(await ask(sources.new, query, signal));
    if ('error' in next) return { kind: 'refused', error: next.error };
    return { kind: 'compared', ...classify(query, { legacy: legacy.answer, new: next.answer }) };
  }

  /** Asks again if the answers differ, because callers write to the stores, and a service may fail once. */
  async function compareLasting(question: EdgeCase, signal: AbortSignal): Promise<Outcome> {
    const first = await compare(question, signal);
    if (first.kind === 'unasked' || (first.kind === 'compared' && first.counting.length === 0)) return first;
    await wait(config.recheck.delay, signal);
    const again = await compare(question, signal);
    if (first.kind !== 'compared' || again.kind !== 'compared') return again;
    return { ...again, counting: lastingDifferences(first.counting, again.counting) };
  }

  return async function compareEdgeCases({ signal, progress }: Run): Promise<EdgeCaseResult> {
    const plain = answerOf(await ask(sources.legacy, pageQuery(resource, 1), signal));
    const questions = edgeCasesOf(resource, readListBody(resource, plain.found ? plain.body : '{}'));
    const different: string[] = [];
    const refused: EdgeCaseResult['refused'][number][] = [];
    let asked = 0;
    for (const [index, question] of questions.entries()) {
      const outcome = await compareLasting(question, signal);
      if (outcome.kind !== 'unasked') {
        asked += 1;
        if (!count(question, outcome)) different.push(question.text);
        const { query } = question;
        if (outcome.kind === 'refused' && isBeyondBounds(outcome.error))
          refused.push({ operation: `${resource.name}.${query.kind}`, kind: queryKind(query, resource) });
      }
      progress(index + 1, questions.length, 'compares the edge cases');
    }
    const named = different.slice(0, NAMED_MAX);
    return { asked, different: different.length, named, refused };
  };
}
