// Asks the legacy source once, before callers who have left it go back to it.

import { bodyOrCode, createAskAtLowPriority } from '../tasks/ask-at-low-priority.ts';
import { firstPageQuery, type SourcePair } from '../tasks/source-pair.ts';

/** An operator waits for the rollback, so a source that hangs must not hold it up for long. */
const ask = createAskAtLowPriority({ timeLimitMs: 3_000 });

/** Why the legacy source does not answer the first page of the list; `undefined`: it does. */
export async function legacyProblem(
  { resource, names, legacy }: SourcePair,
  signal: AbortSignal,
): Promise<string | undefined> {
  const read = bodyOrCode(await ask(legacy, firstPageQuery(resource), signal));
  return 'code' in read ? `${names[0]} does not answer: ${read.code}` : undefined;
}
