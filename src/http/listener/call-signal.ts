import { fault, type GatewayError } from '../../errors/fault.ts';

/** The longest delay a Node timer holds; beyond it, it would fire at once. */
const TIMER_MS_MAX = 2 ** 31 - 1;

/**
 * One call's deadline and the signal that tells its handler to stop. Once `deadlineMs` are spent after `start`, the
 * signal aborts with `upstream_timeout` and `onSpent` is told the same, so that the answer does not depend on the
 * handler's manners.
 *
 * A class, because V8 gives every object literal with a getter a hidden class of its own: thousands a second, which
 * outlive their request and cost more than the request itself.
 */
export class CallSignal {
  readonly #onSpent: (error: GatewayError) => void;
  readonly #lateness: (() => GatewayError | undefined) | undefined;
  #controller: AbortController | undefined;
  #stopped: Error | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** `lateness` tells what to say in place of `upstream_timeout`, where somebody else is late. */
  constructor(onSpent: (error: GatewayError) => void, lateness?: () => GatewayError | undefined) {
    this.#onSpent = onSpent;
    this.#lateness = lateness;
  }

  /** Made when first asked for: a call that is answered from memory never needs it. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#stopped !== undefined) this.#controller.abort(this.#stopped);
    }
    return this.#controller.signal;
  }

  /** Aborts the signal; only the first reason counts. */
  abort(reason: Error): void {
    if (this.#stopped !== undefined) return;
    this.#stopped = reason;
    clearTimeout(this.#timer);
    this.#controller?.abort(reason);
  }

  /** Starts the deadline; to be called where the handler has not settled at once. */
  start(deadlineMs: number): void {
    if (this.#stopped !== undefined) return;
    this.#timer = setTimeout(() => this.#spend(deadlineMs), Math.min(deadlineMs, TIMER_MS_MAX));
  }

  /** Ends the deadline; to be called once the handler has settled. */
  settle(): void {
    clearTimeout(this.#timer);
  }

  #spend(deadlineMs: number): void {
    const detail = `deadline of ${deadlineMs} ms spent`;
    const error = this.#lateness?.() ?? fault('upstream_timeout', { detail });
    this.abort(error);
    this.#onSpent(error);
  }
}

/** The reason of a signal whose client left before its answer was finished. */
export function clientClosedRequest(): Error {
  const error = new Error('the client has gone');
  error.name = 'ClientGone';
  return error;
}
