// A call to the new source that can be aborted before the caller's own deadline, so that the legacy source can still answer.

import type { Call } from '../../pipeline/stages/call.ts';

/**
 * A caller's call as it is passed to the new source. It can end before the caller's own call, so that the legacy source still has
 * time to answer. A cache hit needs no signal, so the signal is made on first use.
 */
export class AbortableCall implements Call {
  readonly #call: Call;
  readonly #ending = new AbortController();
  #signal: AbortSignal | undefined;
  readonly operation: string;
  readonly permission: string | null;
  readonly request: Call['request'];
  readonly requestId: string;
  readonly summary: Call['summary'];
  readonly answerHeaders: string[];
  principal: Call['principal'];
  query: Call['query'];
  queryKey: Call['queryKey'];

  constructor(call: Call) {
    this.#call = call;
    this.operation = call.operation;
    this.permission = call.permission;
    this.request = call.request;
    this.requestId = call.requestId;
    this.summary = call.summary;
    this.answerHeaders = call.answerHeaders;
    this.principal = call.principal;
    this.query = call.query;
    this.queryKey = call.queryKey;
  }

  get signal(): AbortSignal {
    this.#signal ??= AbortSignal.any([this.#call.signal, this.#ending.signal]);
    return this.#signal;
  }

  /** Aborts the attempt at the new source; the caller's call goes on. */
  end(reason: Error): void {
    this.#ending.abort(reason);
  }

  openTrace(): ReturnType<Call['openTrace']> {
    return this.#call.openTrace();
  }

  startDeadline(deadlineMs: number): void {
    this.#call.startDeadline(deadlineMs);
  }

  headerLines(name: string): readonly string[] {
    return this.#call.headerLines(name);
  }
}
