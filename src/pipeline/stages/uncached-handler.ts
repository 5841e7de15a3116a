import { fault } from '../../kernel/errors/fault.ts';
import { etagOf } from './cache-entry-maker.ts';
import { sourceCallOf } from './cache-stage.ts';
import type { Handler, SourceHandler } from './call.ts';

/** Creates a handler that asks the source for each call, past the cache: it looks nothing up there, and keeps nothing. */
export function createUncachedHandler(source: SourceHandler): Handler {
  return async function uncached(call) {
    call.summary.cache = 'miss';
    const answer = await source(sourceCallOf(call));
    if (!answer.found) throw fault('not_found');
    const { body, storedAt, freshSeconds } = answer;
    return { body, etag: etagOf(body), storedAt, freshSeconds, cache: 'miss' };
  };
}
