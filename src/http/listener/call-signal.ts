import { fault, type GatewayError } from '../../kernel/errors/fault.ts';

/** The longest delay of a Node timer; a longer one would fire at once. */
const TIMER_MS_MAX = 2 ** 31 - 1;

/**
 * One call's deadline, and the abort signal that stops its handler. When the deadline expires, the signal aborts with
 * `upstream_timeout` and `onTimeout` gets the same error, so the response does not wait for the handler to notice.
 *
 * A class, because V8 gives every object literal with a getter a hidden class of its own: thousands a second, which
 * outlive their request and cost more than the request itself.
 */
export class CallSignal {
  readonly #onTimeout: (error: GatewayError) => void;
  readonly #lateClient: (() => GatewayError | undefined) | undefined;
  #controller: AbortController | undefined;
  #reason: Error | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** If the client is late and not the upstream, `lateClient` gives the error in place of `upstream_timeout`. */
  constructor(onTimeout: (error: GatewayError) => void, lateClient?: () => GatewayError | undefined) {
    this.#onTimeout = onTimeout;
    this.#lateClient = lateClient;
  }

  /** Created on first use: a call that is answered from memory never needs it. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#reason !== undefined) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  /** Aborts the signal; only the first reason counts. */
  abort(reason: Error): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    clearTimeout(this.#timer);
    this.#controller?.abort(reason);
  }

  /** Starts the deadline, for a handler that has not settled at once. */
  startDeadline(deadlineMs: number): void {
    if (this.#reason !== undefined) return;
    this.#timer = setTimeout(() => this.#expire(deadlineMs), Math.min(deadlineMs, TIMER_MS_MAX));
  }

  /** Stops the deadline, once the handler has settled. */
  settle(): void {
    clearTimeout(this.#timer);
  }

  #expire(deadlineMs: number): void {
    const detail = `deadline of ${deadlineMs} ms spent`;
    const error = this.#lateClient?.() ?? fault('upstream_timeout', { detail });
    this.abort(error);
    this.#onTimeout(error);
  }
}

/** The reason of a signal whose client left before its response was finished; nginx calls that 499. */
export function clientClosedRequest(): Error {
  const error = new Error('the client has gone');
  error.name = 'ClientGone';
  return error;
}
