// Takes tokens of a source's rate limit (`net.requestsPerSecond`) for its bulkhead, and waits if there are none.

import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Takes one token from a rate limiter. Returns 0 if it is granted, else the milliseconds after which to ask again. Never rejects.
 */
export type TakeToken = () => number | Promise<number>;

/** Waits until a token is granted. */
export async function waitForToken(takeToken: TakeToken = () => 0): Promise<void> {
  for (;;) {
    const waitMs = await takeToken();
    if (waitMs <= 0) return;
    await sleep(waitMs, undefined, { ref: false });
  }
}

/**
 * Creates a pacer, which requests tokens and waits as long as the rate limiter says. Without `takeToken`, every token is granted
 * at once. `onSettled` is called when a pending request is answered, and after a wait.
 */
export function createTokenPacer(takeToken: TakeToken | undefined, onSettled: (isGranted: boolean) => void) {
  let pending = 0;
  let isThrottled = false;

  function throttle(ms: number): void {
    if (isThrottled) return;
    isThrottled = true;
    const resume = () => {
      isThrottled = false;
      onSettled(false);
    };
    setTimeout(resume, ms).unref();
  }

  function settle(waitMs: number): void {
    pending -= 1;
    if (waitMs > 0) throttle(waitMs);
    onSettled(waitMs <= 0);
  }

  return {
    /** Whether the rate limiter said to wait, so that nothing may be requested now. */
    get isThrottled() {
      return isThrottled;
    },
    /** The number of token requests without an answer yet. */
    get pending() {
      return pending;
    },
    /** Requests a token; true if it is granted at once. */
    request(): boolean {
      const answer = takeToken?.() ?? 0;
      if (typeof answer === 'number') {
        if (answer > 0) throttle(answer);
        return answer <= 0;
      }
      pending += 1;
      void answer.then(settle);
      return false;
    },
  };
}
