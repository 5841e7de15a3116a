// Asks both sources one question for an operator, and returns both answers with their values.

import type { Query } from '../../contract/query.ts';
import type { Resource } from '../../contract/resources.ts';
import { GatewayError } from '../../errors/fault.ts';
import type { SourceAnswer, SourceHandler } from '../../policy/call.ts';
import { compareAnswers } from '../compare/compare-answers.ts';
import type { ExplainedQuestion } from '../operate/operator-tasks.ts';
import type { ByOrigin } from '../../kernel/upstream-call.ts';

type SourceReply = { readonly answer: SourceAnswer } | { readonly error: string };

async function ask(source: SourceHandler, query: Query, signal: AbortSignal): Promise<SourceReply> {
  try {
    const usage = { upstreamCalls: 0, upstreamMs: 0 };
    return { answer: await source({ query, usage, signal, priority: 'shadow' }) };
  } catch (error) {
    if (error instanceof GatewayError) return { error: error.code };
    throw error;
  }
}

function bodyOf(reply: SourceReply): unknown {
  if ('error' in reply) return reply;
  return reply.answer.found ? (JSON.parse(reply.answer.body) as unknown) : { error: 'not_found' };
}

/** Asks both sources one question at the same time, and compares their answers. */
export async function explainQuestion(
  resource: Resource,
  sources: ByOrigin<SourceHandler>,
  query: Query,
  signal: AbortSignal,
): Promise<ExplainedQuestion> {
  const [legacyReply, newReply] = await Promise.all([
    ask(sources.legacy, query, signal),
    ask(sources.new, query, signal),
  ]);
  const differences =
    'answer' in legacyReply && 'answer' in newReply
      ? compareAnswers(resource, query, legacyReply.answer, newReply.answer)
      : [];
  return { legacy: bodyOf(legacyReply), new: bodyOf(newReply), differences };
}
