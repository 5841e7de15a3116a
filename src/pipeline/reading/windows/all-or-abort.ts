import { isPlanFailure, type PlanFailure } from './plan-failure.ts';
import type { CallContext } from './source-runtime.ts';

/** Runs parts of a call at once; the first that rejects or brings a `PlanFailure` aborts the others, and is the result. */
export async function allOrAbort<T>(
  context: CallContext,
  start: (within: CallContext) => readonly Promise<T | PlanFailure>[],
): Promise<readonly T[] | PlanFailure> {
  const stopped = new AbortController();
  const within = { ...context, signal: AbortSignal.any([context.signal, stopped.signal]) };
  let planFailure: PlanFailure | undefined;

  async function watch(part: Promise<T | PlanFailure>): Promise<T[]> {
    const result = await part;
    if (!isPlanFailure(result)) return [result];
    planFailure ??= result;
    stopped.abort();
    return [];
  }

  try {
    const results = await Promise.all(start(within).map(watch));
    return planFailure ?? results.flat<T[][]>();
  } catch (error) {
    stopped.abort(error);
    // What is rejected after a plan failure comes from its abort.
    if (planFailure !== undefined) return planFailure;
    throw error;
  }
}
