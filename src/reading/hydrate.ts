import type { DetailsAdapter } from '../adapter/compile-record.ts';
import type { CanonicalRecord } from '../contract/response-body.ts';
import { createSemaphore } from '../kernel/semaphore.ts';
import { overBudget } from './scan-faults.ts';
import { type CallContext, type FinishRows, Gone, type SourceRuntime } from './source-runtime.ts';
import { allOrAbort } from './all-or-abort.ts';

/** Details that are asked for at once: of a page, and of a scan, behind which callers must get through. */
const AT_ONCE = { page: 8, scan: 3 };

/** Asks for what one row lacks. @throws GatewayError as a single record does; Gone where there is no such record */
async function complete(
  { upstream, observer }: SourceRuntime,
  details: DetailsAdapter,
  row: CanonicalRecord,
  { signal, usage, priority }: CallContext,
): Promise<CanonicalRecord> {
  signal.throwIfAborted();
  const request = details.request(row.id);
  if (request === undefined) throw new Gone();
  const found = await upstream.ask(
    request,
    (reply) => details.read(reply, row.id, observer.fieldGap),
    signal,
    usage,
    priority,
  );
  if (found === undefined) throw new Gone();
  return { ...row, ...found };
}

/**
 * Creates what asks for what the rows of windows lack, with a call for each row. All rows that it is given cost the
 * source's budget of calls, and each time that it is given some one call more: that for their window.
 */
export function createHydration(source: SourceRuntime, work: keyof typeof AT_ONCE): FinishRows {
  const { details } = source.adapter.list;
  if (details === undefined) return (rows) => Promise.resolve(rows);
  const semaphore = createSemaphore(AT_ONCE[work]);
  let calls = 0;
  return async function hydrate(rows, context) {
    calls += 1 + rows.length;
    if (calls > source.budget.calls) throw overBudget('calls');
    return allOrAbort(context, (within) =>
      rows.map((row) => semaphore(() => complete(source, details, row, within))),
    );
  };
}
