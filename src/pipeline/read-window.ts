import type { Rows } from '../adapter/compile.ts';
import { brokenEcho } from '../adapter/echo.ts';
import type { WindowRequest } from '../adapter/plan.ts';
import type { WindowCall } from '../adapter/window.ts';
import { invalidReply } from '../errors/fault.ts';
import type { UpstreamReply } from '../kernel/upstream.ts';
import { type Errand, Moved, type SourceRuntime } from './source-runtime.ts';

/** Rows of one window, with the number of rows the source says there are. */
export type WindowRows = { readonly call: WindowCall; readonly rows: Rows };

/** Asks the source for one window. @throws GatewayError */
export async function readWindow(
  source: SourceRuntime,
  request: WindowRequest,
  call: WindowCall,
  errand: Errand,
): Promise<WindowRows> {
  const { list } = source.adapter;
  const read = (reply: UpstreamReply) => list.read(reply, source.observer.fieldGap);
  const rows = await source.upstream.ask(request(call), read, errand.signal, errand.meter);
  if (rows.received > call.size) {
    throw invalidReply('window', `the source gave ${rows.received} rows where ${call.size} were asked for`);
  }
  const broken = rows.echo && brokenEcho(rows.echo, call);
  if (broken !== undefined)
    throw invalidReply('window', `the source says that it was asked for another ${broken} than it was`);
  return { call, rows };
}

/** Checks that a window holds exactly the rows that a total says it must. @throws Moved */
export function checkWindow({ call, rows }: WindowRows, total: number): void {
  const expected = Math.max(0, Math.min(call.size, total - call.firstRow));
  if (rows.total !== undefined && rows.total !== total) throw new Moved('the total changed during the walk');
  if (rows.received !== expected) throw new Moved('a window has fewer or more rows than the total allows');
}
