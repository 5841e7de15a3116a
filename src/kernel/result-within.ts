import { setTimeout as delay } from 'node:timers/promises';

/** The result of some work; `undefined` if it fails or takes longer than `ms`. The work itself goes on. */
export async function resultWithin<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
  const settled = new AbortController();
  const late = delay(ms, undefined, { ref: false, signal: settled.signal });
  try {
    return await Promise.race([work, late]);
  } catch {
    return undefined;
  } finally {
    // The timer of a long wait would hold what waits for it.
    settled.abort();
  }
}
