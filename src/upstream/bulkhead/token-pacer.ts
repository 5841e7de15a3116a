/**
 * Asks a rate limiter for one token: 0 where it is granted, else the milliseconds after which to ask again. It never
 * rejects.
 */
export type TakeToken = () => number | Promise<number>;

/** Requests tokens, and keeps quiet for as long as the rate limiter says. */
export type TokenPacer = {
  /** Whether the rate limiter said to wait: nothing may be requested now. */
  readonly isThrottled: boolean;
  /** Tokens that were requested and not answered yet. */
  readonly pending: number;
  /** Requests a token; true where it is granted at once. */
  request(): boolean;
};

/**
 * Creates a pacer; without `takeToken`, every token is granted at once. `onSettled` is called when a pending request was
 * answered, and when a wait is over.
 */
export function createTokenPacer(
  takeToken: TakeToken | undefined,
  onSettled: (isGranted: boolean) => void,
): TokenPacer {
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
    get isThrottled() {
      return isThrottled;
    },
    get pending() {
      return pending;
    },
    request() {
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
