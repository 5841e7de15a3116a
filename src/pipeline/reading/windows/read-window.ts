// Makes one call for a window of a list, and checks that the reply has the window which was asked for.

import type { Rows, WrittenRows } from '../../../source/adapter/compile.ts';
import type { WindowRequest } from '../../../source/adapter/plan/plan.ts';
import type { WindowCall } from '../../../source/adapter/plan/window.ts';
import type { WindowEvidence, WindowEnvelope } from '../../../source/checks/claim.ts';
import { brokenEcho } from '../../../source/checks/echo.ts';
import { brokenTypes } from '../../../source/checks/filter-types.ts';
import { wrongRowCount } from '../../../source/checks/window-size.ts';
import type { CanonicalRecord } from '../../../contract/response-body.ts';
import { invalidReply } from '../../../kernel/errors/fault.ts';
import { createYieldToLoop } from '../../../kernel/yield-to-loop.ts';
import type { UpstreamReply } from '../../../kernel/upstream-call.ts';
import { isPlanFailure, type PlanFailure } from './plan-failure.ts';
import { type CallContext, disableClaim, observerOf, type SourceRuntime } from './source-runtime.ts';

/** Reads the rows of a reply. If it is large, a thread reads it, and the rows come in parts. @throws GatewayError */
async function readRows(
  source: SourceRuntime,
  reply: UpstreamReply,
  context: CallContext,
  as: 'written' | undefined,
): Promise<Rows | WrittenRows> {
  const { adapter, largeReplies } = source;
  const { list } = adapter;
  const { signal } = context;
  const observer = observerOf(source, context);
  const parts = await largeReplies?.parts(reply, observer, signal);
  if (parts === undefined)
    return as === 'written' ? list.readWritten(reply, observer) : list.read(reply, observer);
  const yieldToLoop = createYieldToLoop(signal);
  let all: Rows | undefined;
  const records: CanonicalRecord[] = [];
  for (const part of parts) {
    const rows = list.read(part, observer);
    for (const record of rows.records) records.push(record);
    // The last part has the total and the next cursor.
    all = { ...rows, records, received: rows.received + (all?.received ?? 0) };
    await yieldToLoop();
  }
  if (all === undefined) throw new Error('a reply is read to at least one part');
  return all;
}

/** A window whose rows are written as bytes, as in the body of an answer. */
export type WrittenWindow = WindowEnvelope & { readonly rows: WrittenRows };

/** Whether the rows of a window are written as bytes. */
export function isWrittenWindow(window: WindowEvidence | WrittenWindow): window is WrittenWindow {
  return 'written' in window.rows;
}

/** Asks the source for one window. With `written`, its rows may come as the bytes of an answer. @throws GatewayError */
export async function readWindow(
  source: SourceRuntime,
  request: WindowRequest,
  call: WindowCall,
  context: CallContext,
): Promise<WindowEvidence | PlanFailure>;
export async function readWindow(
  source: SourceRuntime,
  request: WindowRequest,
  call: WindowCall,
  context: CallContext,
  as: 'written' | undefined,
): Promise<WindowEvidence | WrittenWindow | PlanFailure>;
export async function readWindow(
  source: SourceRuntime,
  request: WindowRequest,
  call: WindowCall,
  context: CallContext,
  as?: 'written',
): Promise<WindowEvidence | WrittenWindow | PlanFailure> {
  const { signal, usage, priority } = context;
  const read = (reply: UpstreamReply) => readRows(source, reply, context, as);
  const asked = request(call);
  const named = usage.spans?.isSampled === true ? { ...asked, window: call } : asked;
  const rows = await source.upstream.ask(named, read, signal, usage, priority);
  if (rows.otherTypes !== undefined)
    for (const { capability, detail } of brokenTypes(rows.otherTypes))
      disableClaim(source, capability, detail);
  const window = { call, rows };
  const oversized = wrongRowCount(window);
  if (oversized !== undefined) throw invalidReply('window', oversized);
  const broken = rows.echo && brokenEcho(rows.echo, call);
  if (broken !== undefined)
    throw invalidReply('window', `the source says that it was asked for another ${broken} than it was`);
  if ('written' in rows) return { call, rows };
  if (context.finish === undefined) return { call, rows };
  const records = await context.finish(rows.records, context);
  return isPlanFailure(records) ? records : { call, rows: { ...rows, records } };
}
