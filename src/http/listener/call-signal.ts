import { fault, type GatewayError } from '../../kernel/errors/fault.ts';

/** The longest delay of a Node timer. A longer one would fire at once. */
const TIMER_MS_MAX = 2 ** 31 - 1;

/**
 * The deadline of one call, and the abort signal that stops its handler. When the deadline is over, the signal aborts with
 * `upstream_timeout`, and `onTimeout` gets the same error, so that the response does not wait for the handler.
 *
 * It is a class, because V8 makes a new hidden class for every object literal with a getter. Thousands of them a second
 * would outlive their requests and cost more than the requests.
 */
export class CallSignal {
  readonly #onTimeout: (error: GatewayError) => void;
  readonly #lateClient: (() => GatewayError | undefined) | undefined;
  #controller: AbortController | undefined;
  #reason: Error | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** `lateClient` returns the error if Portico was still waiting for the client; `undefined`: for the upstream. */
  constructor(onTimeout: (error: GatewayError) => void, lateClient?: () => GatewayError | undefined) {
    this.#onTimeout = onTimeout;
    this.#lateClient = lateClient;
  }

  /** The abort signal. It is created on first use, because a call that is answered from memory never needs it. */
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

  /** Starts the deadline, for a handler that did not answer at once. */
  startDeadline(deadlineMs: number): void {
    if (this.#reason !== undefined) return;
    this.#timer = setTimeout(() => this.#expire(deadlineMs), Math.min(deadlineMs, TIMER_MS_MAX));
  }

  /** Stops the deadline. To be called when the handler has answered or failed. */
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

/** The abort reason if the client left before its response was complete (status 499 in nginx). */
export function clientClosedRequest(): Error {
  const error = new Error('the client has gone');
  error.name = 'ClientGone';
  return error;
}
