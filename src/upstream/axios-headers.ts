import type { IncomingHttpHeaders } from 'node:http';
import { AxiosHeaders } from 'axios';

/**
 * The headers of a request, in the form in which axios hands them on as they are. Of two that have one name, in
 * whatever case, the later counts, in the place of the earlier.
 */
export class SentHeaders extends AxiosHeaders {
  readonly #sent = new Map<string, readonly [name: string, value: string]>();

  constructor(...parts: readonly Readonly<Record<string, string>>[]) {
    super();
    for (const part of parts) for (const name in part) this.put(name, part[name] as string);
  }

  put(name: string, value: string): void {
    const key = name.toLowerCase();
    this.#sent.set(key, [this.#sent.get(key)?.[0] ?? name, value]);
  }

  /**
   * Names and values in turn: Node checks and writes such a list as it stands, at a third of the price of an object. A
   * source that goes by another name than its address has that among its headers.
   */
  lines(host: string): string[] {
    const lines = ['Host', this.#sent.get('host')?.[1] ?? host];
    for (const [key, [name, value]] of this.#sent) if (key !== 'host') lines.push(name, value);
    return lines;
  }
}

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
}
