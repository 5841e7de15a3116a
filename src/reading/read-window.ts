import type { Rows } from '../adapter/compile.ts';
import type { WindowRequest } from '../adapter/plan/plan.ts';
import type { WindowCall } from '../adapter/plan/window.ts';
import type { WindowEvidence } from '../claims/claim.ts';
import { brokenEcho } from '../claims/windows/echo.ts';
import { brokenSize } from '../claims/windows/window-size.ts';
import type { CanonicalRecord } from '../contract/response-body.ts';
import { invalidReply } from '../errors/fault.ts';
import { createYieldToLoop } from '../kernel/yield-to-loop.ts';
import type { UpstreamReply } from '../kernel/upstream-call.ts';
import { isMismatch, type Mismatch } from './mismatch.ts';
import type { CallContext, SourceRuntime } from './source-runtime.ts';

/** The rows of a reply. Those of a large one are read by a thread, and taken over in parts. @throws GatewayError */
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
    // The last part has the total and what comes next.
    all = { ...rows, records, received: rows.received + (all?.received ?? 0) };
    await yieldToLoop();
  }
  if (all === undefined) throw new Error('a reply is read to at least one part');
  return all;
}

/** Asks the source for one window. @throws GatewayError */
export async function readWindow(
  source: SourceRuntime,
  request: WindowRequest,
  call: WindowCall,
  context: CallContext,
): Promise<WindowEvidence | Mismatch> {
  const { signal, usage, priority } = context;
  const read = (reply: UpstreamReply) => readRows(source, reply, signal);
  const asked = request(call);
  const named = usage.spans?.isSampled === true ? { ...asked, window: call } : asked;
  const rows = await source.upstream.ask(named, read, signal, usage, priority);
  const window = { call, rows };
  const oversized = brokenSize(window);
  if (oversized !== undefined) throw invalidReply('window', oversized);
  const broken = rows.echo && brokenEcho(rows.echo, call);
  if (broken !== undefined)
    throw invalidReply('window', `the source says that it was asked for another ${broken} than it was`);
  if (context.finish === undefined) return window;
  const records = await context.finish(rows.records, context);
  return isMismatch(records) ? records : { call, rows: { ...rows, records } };
}
