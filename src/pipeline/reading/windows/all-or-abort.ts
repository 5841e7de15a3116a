import { isPlanFailure, type PlanFailure } from './plan-failure.ts';
import type { CallContext } from './source-runtime.ts';

/** Runs parts of a call at the same time. The first part that rejects or has a `PlanFailure` aborts all others. */
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
    // Errors after a plan failure come from the abort, so the failure is the result.
    if (planFailure !== undefined) return planFailure;
    throw error;
  }
}
