// Fetches fields that the rows of a list lack (`hydrate` of a source file), for a page or for a scan.

import { type DetailsAdapter, isLeftOut } from '../../../source/adapter/compile-record.ts';
import type { CanonicalRecord } from '../../../contract/response-body.ts';
import { createSemaphore } from '../../../kernel/semaphore.ts';
import { allOrAbort } from '../windows/all-or-abort.ts';
import { isPlanFailure, type RowVanished, rowVanished } from '../windows/plan-failure.ts';
import { readInThreadIfLarge } from '../large-replies/large-replies.ts';
import { overBudget } from '../windows/scan-faults.ts';
import {
  type CallContext,
  type FinishRows,
  observerOf,
  type SourceRuntime,
} from '../windows/source-runtime.ts';

/** The most concurrent calls, for a page and for a scan. A scan has fewer, so that calls for callers get through. */
const CONCURRENCY = { page: 8, scan: 3 };

/**
 * Asks for the fields that one row of the list lacks. The record is `undefined` if the list must leave it out.
 * @throws GatewayError as for a single record
 */
async function complete(
  source: SourceRuntime,
  details: DetailsAdapter,
  row: CanonicalRecord,
  context: CallContext,
): Promise<{ readonly record: CanonicalRecord | undefined } | RowVanished> {
  const { signal, usage, priority } = context;
  signal.throwIfAborted();
  const request = details.request(row.id);
  if (request === undefined) return rowVanished;
  const observer = observerOf(source, context);
  const found = await source.upstream.ask(
    request,
    (reply) =>
      readInThreadIfLarge(source, reply, { view: 'details', observer, signal }, (part) =>
        details.read(part, row.id, observer),
      ),
    signal,
    usage,
    priority,
  );
  if (found === undefined) return rowVanished;
  return { record: isLeftOut(found) ? undefined : { ...row, ...found } };
}

/**
 * Creates the detail fetch: it asks for the fields that rows of a list lack, with a call for each row. Each row costs one
 * call of the source's budget, and each window one more.
 */
export function createDetailFetch(source: SourceRuntime, work: keyof typeof CONCURRENCY): FinishRows {
  const { details } = source.adapter.list;
  if (details === undefined) return (rows) => Promise.resolve(rows);
  const semaphore = createSemaphore(CONCURRENCY[work]);
  let calls = 0;
  return async function fetchDetails(rows, context) {
    calls += 1 + rows.length;
    if (calls > source.budget.calls) throw overBudget('calls');
    const completed = await allOrAbort(context, (within) =>
      rows.map((row) => semaphore.run(() => complete(source, details, row, within))),
    );
    return isPlanFailure(completed) ? completed : completed.flatMap(({ record }) => record ?? []);
  };
}
