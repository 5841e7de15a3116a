// Asks both sources a question that no caller has asked, and compares the answers: for walks and replays.

import type { Query } from '../../contract/query.ts';
import type { Comparison } from '../compare/comparison.ts';
import { type ComparerDeps, createComparer } from './comparer.ts';
import { createAskLeg } from './leg.ts';
import { createSlots } from './slots.ts';

/** Asks both sources of a resource one question; `undefined` where one of them could not be asked now. */
export type CompareQuestion = (
  operation: string,
  query: Query,
  signal: AbortSignal,
) => Promise<Comparison | undefined>;

/** Creates the function. It asks the legacy source first, and then compares as a shadow does. */
export function createCompareQuestion(deps: Omit<ComparerDeps, 'slots'>): CompareQuestion {
  const { sources, config, clock } = deps;
  const { concurrency, timeout: timeoutMs } = config.shadow;
  const slots = createSlots(concurrency);
  const askLeg = createAskLeg({ slots, timeoutMs, clock });
  const comparer = createComparer({ ...deps, slots });
  return async function compareQuestion(operation, query, signal) {
    const served = await askLeg(sources.legacy, query, undefined, signal);
    if (served.kind !== 'answered') return undefined;
    const { comparison } = await comparer.compare({ operation, query, origin: 'legacy', served }, signal);
    return comparison;
  };
}
