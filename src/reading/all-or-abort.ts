import type { CallContext } from './source-runtime.ts';

/** Does the parts of an context at once; the first failure cancels the others, and the context. */
export async function allOrAbort<T>(
  context: CallContext,
  start: (within: CallContext) => readonly Promise<T>[],
): Promise<readonly T[]> {
  const failed = new AbortController();
  const within = { ...context, signal: AbortSignal.any([context.signal, failed.signal]) };
  try {
    return await Promise.all(start(within));
  } catch (error) {
    failed.abort(error);
    throw error;
  }
}
