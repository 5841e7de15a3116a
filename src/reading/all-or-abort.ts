import type { Errand } from './source-runtime.ts';

/** Does the parts of an errand at once; the first failure cancels the others, and the errand. */
export async function together<T>(
  errand: Errand,
  start: (within: Errand) => readonly Promise<T>[],
): Promise<readonly T[]> {
  const failed = new AbortController();
  const within = { ...errand, signal: AbortSignal.any([errand.signal, failed.signal]) };
  try {
    return await Promise.all(start(within));
  } catch (error) {
    failed.abort(error);
    throw error;
  }
}
