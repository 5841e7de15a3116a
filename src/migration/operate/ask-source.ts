// Asks a source for the preflight check: with the lowest priority, and again while it is busy.

import { setTimeout as sleep } from 'node:timers/promises';
import type { ListQuery, Query } from '../../contract/query.ts';
import type { Resource } from '../../contract/resources.ts';
import { GatewayError } from '../../errors/fault.ts';
import type { SourceHandler } from '../../policy/call.ts';

/** The two sources of a resource that is to move. */
export type CheckedSources = {
  readonly resource: Resource;
  /** Their names. */
  readonly names: readonly [legacy: string, new: string];
  readonly legacy: SourceHandler;
  readonly new: SourceHandler;
};

/** What a source answers: a body, nothing, or why it could not. */
export type CheckAnswer =
  | { readonly kind: 'found'; readonly body: string }
  | { readonly kind: 'missing' }
  | { readonly kind: 'failed'; readonly code: string };

/** As many records say whether two services mean the same. */
const RECORDS = 20;
const CALL_MS = 10_000;
/** Callers go first: a source that is busy is asked again. */
const ATTEMPTS = 5;
const RETRY_MS = 300;

async function askOnce(source: SourceHandler, query: Query, stop: AbortSignal): Promise<CheckAnswer> {
  const signal = AbortSignal.any([stop, AbortSignal.timeout(CALL_MS)]);
  const usage = { upstreamCalls: 0, upstreamMs: 0 };
  try {
    const answer = await source({ query, usage, signal, priority: 'shadow' });
    return answer.found ? { kind: 'found', body: answer.body } : { kind: 'missing' };
  } catch (error) {
    stop.throwIfAborted();
    return { kind: 'failed', code: error instanceof GatewayError ? error.code : 'server_error' };
  }
}

/** Asks a source as the lowest priority; it rejects only when `stop` aborts. */
export async function askCheckedSource(
  source: SourceHandler,
  query: Query,
  stop: AbortSignal,
): Promise<CheckAnswer> {
  for (let attempt = 1; ; attempt += 1) {
    const answer = await askOnce(source, query, stop);
    if (answer.kind !== 'failed' || answer.code !== 'overloaded' || attempt === ATTEMPTS) return answer;
    await sleep(RETRY_MS, undefined, { signal: stop });
  }
}

/** The first page of a list. */
export function firstPage({ name: resource }: Resource, more: Partial<ListQuery> = {}): ListQuery {
  return { kind: 'list', resource, page: 1, limit: RECORDS, sort: null, filters: [], ...more };
}
