import type { IncomingHttpHeaders } from 'node:http';
import { AxiosHeaders } from 'axios';

/**
 * The headers of a reply, in the form in which axios hands them on as they are. Node has named, joined and checked them
 * already; axios would do so twice more for each of them.
 */
export class ReplyHeaders extends AxiosHeaders {
  readonly #received: IncomingHttpHeaders;

  constructor(received: IncomingHttpHeaders) {
    super();
    this.#received = received;
  }

  /** The value of a header by its lower-case name; lines that were repeated are one. */
  named(name: string): string | undefined {
    if (!Object.hasOwn(this.#received, name)) return undefined;
    const value = this.#received[name];
    // Repeated `Set-Cookie` lines are the one header that Node keeps as a list.
    return Array.isArray(value) ? value.join(', ') : value;
  }

  override normalize(): this {
    return this;
  }
}
