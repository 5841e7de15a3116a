import type { IncomingHttpHeaders } from 'node:http';
import { AxiosHeaders } from 'axios';

/**
 * The headers of a reply, in a form that axios does not copy. Node has already named, joined and checked them; axios
 * would do so twice more for each header.
 */
export class ReplyHeaders extends AxiosHeaders {
  readonly #received: IncomingHttpHeaders;

  constructor(received: IncomingHttpHeaders) {
    super();
    this.#received = received;
  }

  /** The value of a header by its lower-case name, repeated lines joined. */
  named(name: string): string | undefined {
    if (!Object.hasOwn(this.#received, name)) return undefined;
    const value = this.#received[name];
    // Repeated `Set-Cookie` lines are the only header that Node keeps as a list.
    return Array.isArray(value) ? value.join(', ') : value;
  }

  override normalize(): this {
    return this;
  }
}
