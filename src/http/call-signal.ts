import { fault, type GatewayError } from '../errors/fault.ts';

/** The longest delay a Node timer holds; beyond it, it would fire at once. */
const TIMER_MS_MAX = 2 ** 31 - 1;

/** One call's deadline and the signal that tells its handler to stop. */
export type CallSignal = {
  /** Made when first asked for: a call that is answered from memory never needs it. */
  readonly signal: AbortSignal;
  /** Aborts the signal; only the first reason counts. */
  readonly abort: (reason: Error) => void;
  /** Starts the deadline; to be called where the handler has not settled at once. */
  readonly start: () => void;
  /** Ends the deadline; to be called once the handler has settled. */
  readonly settle: () => void;
};

/**
 * Makes the deadline of a call. Once `deadlineMs` are spent after `start`, the signal aborts with `upstream_timeout` and
 * `onSpent` is told the same, so that the answer does not depend on the handler's manners.
 */
export function createCallSignal(deadlineMs: number, onSpent: (error: GatewayError) => void): CallSignal {
  let controller: AbortController | undefined;
  let stopped: Error | undefined;
  let timer: NodeJS.Timeout | undefined;

  function spend() {
    const error = fault('upstream_timeout', { detail: `deadline of ${deadlineMs} ms spent` });
    abort(error);
    onSpent(error);
  }

  function abort(reason: Error) {
    if (stopped !== undefined) return;
    stopped = reason;
    clearTimeout(timer);
    controller?.abort(reason);
  }

  return {
    get signal() {
      if (controller === undefined) {
        controller = new AbortController();
        if (stopped !== undefined) controller.abort(stopped);
      }
      return controller.signal;
    },
    abort,
    start() {
      if (stopped === undefined) timer = setTimeout(spend, Math.min(deadlineMs, TIMER_MS_MAX));
    },
    settle: () => clearTimeout(timer),
  };
}

/** The reason of a signal whose client left before its answer was finished. */
export function clientGone(): Error {
  const error = new Error('the client has gone');
  error.name = 'ClientGone';
  return error;
}
