import { setTimeout as sleep } from 'node:timers/promises';
import type { Resilience, CallAttempt } from './resilience.ts';

/**
 * Has a question asked, and asked once more for as long as its trial says that it may help. `signal` is its caller's:
 * who has left is not asked for again.
 * @throws unknown what `ask` throws, the signal's reason, and what `check` throws
 */
export async function retryCall<T>(
  ask: () => Promise<T>,
  trial: CallAttempt,
  signal: AbortSignal,
  resilience: Pick<Resilience, 'check'> | undefined,
): Promise<T> {
  for (;;) {
    // Before it waits for a place; it may be otherwise once it has one.
    resilience?.check();
    try {
      return await ask();
    } catch (error) {
      const waitMs = signal.aborted ? undefined : trial.retryDelayMs(error);
      if (waitMs === undefined) throw error;
      await sleep(waitMs);
      signal.throwIfAborted();
    }
  }
}
