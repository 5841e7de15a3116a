// Asks both sources one question for an operator (`portico migration explain`), and returns both answers with their values.

import type { Query } from '../../contract/query.ts';
import type { Resource } from '../../contract/resource.ts';
import { parseExact } from '../../kernel/json/json.ts';
import type { ByOrigin } from '../../kernel/migration-origin.ts';
import type { SourceHandler } from '../../pipeline/stages/call.ts';
import { compareAnswers } from '../compare/compare-answers.ts';
import { bodyOrCode, createAskAtLowPriority, type LowPriorityReply } from '../tasks/ask-at-low-priority.ts';
import type { ExplainedQuestion } from '../tasks/task-results.ts';

const ask = createAskAtLowPriority({});

function shownBody(reply: LowPriorityReply): unknown {
  const read = bodyOrCode(reply);
  return 'code' in read ? { error: read.code } : parseExact(read.body);
}

/** Asks both sources one question at the same time, and compares their answers. */
export async function askBothSources(
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
  return { legacy: shownBody(legacyReply), new: shownBody(newReply), differences };
}
