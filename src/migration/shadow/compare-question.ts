// Asks both sources a question that no caller has asked, and compares the answers. Walks and replays use it.

import { queryKey, type Query } from '../../contract/query.ts';
import type { Comparison } from '../compare/comparison.ts';
import { type ComparerDeps, createComparer } from './comparer.ts';
import { createAskForComparison } from './comparison-call.ts';
import { createSemaphore } from '../../kernel/semaphore.ts';

/** Asks both sources of a resource one question; `undefined` if one of them could not be asked now. */
export type CompareQuestion = (
  operation: string,
  query: Query,
  signal: AbortSignal,
) => Promise<Comparison | undefined>;

/**
 * Creates the function. It asks the legacy source first, and then compares as a shadow does. If the legacy source fails, the new
 * source is asked, too, because a question at which both fail does not count against either.
 */
export function createCompareQuestion(deps: Omit<ComparerDeps, 'slots'>): CompareQuestion {
  const { resource, sources, config, clock } = deps;
  const { concurrency, timeout: timeoutMs } = config.shadow;
  const slots = createSemaphore(concurrency);
  const askForComparison = createAskForComparison({ slots, timeoutMs, clock });
  const compare = createComparer({ ...deps, slots });
  return async function compareQuestion(operation, query, signal) {
    const served = await askForComparison(sources.legacy, query, undefined, signal);
    if (served.kind === 'skipped') return undefined;
    if (served.kind === 'failed') {
      const second = await askForComparison(sources.new, query, undefined, signal);
      if (second.kind === 'skipped') return undefined;
      const verdict = second.kind === 'failed' ? 'failed_both' : 'failed_legacy';
      const about = { resource: resource.name, operation, query: queryKey(query) };
      return { ...about, verdict, differences: [], ignored: [] };
    }
    const { comparison } = await compare({ operation, query, origin: 'legacy', served }, signal);
    return comparison;
  };
}
