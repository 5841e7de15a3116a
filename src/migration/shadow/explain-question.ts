// Asks both sources one question for an operator, and returns both answers with their values.

import type { Query } from '../../contract/query.ts';
import type { Resource } from '../../contract/resources.ts';
import { GatewayError } from '../../errors/fault.ts';
import type { SourceAnswer, SourceHandler } from '../../policy/call.ts';
import { compareAnswers } from '../compare/compare-answers.ts';
import type { AnswerDifference } from '../compare/comparison.ts';
import type { Both } from './confirm.ts';

/** What both sources say now, with their values. It is shown to who has asked, and kept nowhere. */
export type AnswersWithValues = {
  readonly legacy: unknown;
  readonly next: unknown;
  readonly differences: readonly AnswerDifference[];
};

type Told = { readonly answer: SourceAnswer } | { readonly error: string };

async function ask(source: SourceHandler, query: Query, signal: AbortSignal): Promise<Told> {
  try {
    const usage = { upstreamCalls: 0, upstreamMs: 0 };
    return { answer: await source({ query, usage, signal, priority: 'shadow' }) };
  } catch (error) {
    if (error instanceof GatewayError) return { error: error.code };
    throw error;
  }
}

function shown(told: Told): unknown {
  if ('error' in told) return told;
  return told.answer.found ? (JSON.parse(told.answer.body) as unknown) : { error: 'not_found' };
}

/** Asks both sources one question, and says what they differ in. */
export async function explainAnswers(
  resource: Resource,
  sources: Both<SourceHandler>,
  query: Query,
  signal: AbortSignal,
): Promise<AnswersWithValues> {
  const [legacy, next] = await Promise.all([
    ask(sources.legacy, query, signal),
    ask(sources.new, query, signal),
  ]);
  const differences =
    'answer' in legacy && 'answer' in next ? compareAnswers(resource, query, legacy.answer, next.answer) : [];
  return { legacy: shown(legacy), next: shown(next), differences };
}
