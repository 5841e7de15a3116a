import type { Rows } from '../adapter/compile.ts';
import { brokenEcho } from '../adapter/read/echo.ts';
import type { WindowRequest } from '../adapter/plan/plan.ts';
import type { WindowCall } from '../adapter/plan/window.ts';
import type { CanonicalRecord } from '../contract/response-body.ts';
import { invalidReply } from '../errors/fault.ts';
import { createYieldToLoop } from '../kernel/yield-to-loop.ts';
import type { UpstreamReply } from '../kernel/upstream-call.ts';
import { type CallContext, Moved, type SourceRuntime } from './source-runtime.ts';

/** Rows of one window, with the number of rows the source says there are. */
export type WindowRows = { readonly call: WindowCall; readonly rows: Rows };

/** The rows of a reply; those of a large one are read by a thread, and taken over in parts. @throws GatewayError */
async function readRows(
  { adapter: { list }, observer, largeReplies }: SourceRuntime,
  reply: UpstreamReply,
  signal: AbortSignal,
): Promise<Rows> {
  const parts = await largeReplies?.parts(reply, signal);
  if (parts === undefined) return list.read(reply, observer.fieldGap);
  const yieldToLoop = createYieldToLoop(signal);
  let all: Rows | undefined;
  const records: CanonicalRecord[] = [];
  for (const part of parts) {
    const rows = list.read(part, observer.fieldGap);
    for (const record of rows.records) records.push(record);
    // The last part tells the total and what comes next.
    all = { ...rows, records, received: rows.received + (all?.received ?? 0) };
    await yieldToLoop();
  }
  if (all === undefined) throw new Error('a reply is read to at least one part');
  return all;
}

/** Asks the source for one window. @throws GatewayError, Gone */
export async function readWindow(
  source: SourceRuntime,
  request: WindowRequest,
  call: WindowCall,
  context: CallContext,
): Promise<WindowRows> {
  const read = (reply: UpstreamReply) => readRows(source, reply, context.signal);
  const rows = await source.upstream.ask(
    request(call),
    read,
    context.signal,
    context.usage,
    context.priority,
  );
  if (rows.received > call.size) {
    throw invalidReply('window', `the source gave ${rows.received} rows where ${call.size} were asked for`);
  }
  const broken = rows.echo && brokenEcho(rows.echo, call);
  if (broken !== undefined)
    throw invalidReply('window', `the source says that it was asked for another ${broken} than it was`);
  if (context.finish === undefined) return { call, rows };
  return { call, rows: { ...rows, records: await context.finish(rows.records, context) } };
}

/** Checks that a window holds exactly the rows that a total says it must. @throws Moved */
export function checkWindow({ call, rows }: WindowRows, total: number): void {
  const expected = Math.max(0, Math.min(call.size, total - call.firstRow));
  if (rows.total !== undefined && rows.total !== total) throw new Moved('the total changed during the walk');
  if (rows.received !== expected) throw new Moved('a window has fewer or more rows than the total allows');
}
