import type { ListReader } from '../requests/list-reader.ts';
import { readTotal, type TotalPlace } from './probe-total.ts';
import { type NumberedWindows, type PastEnd, windowRequest } from '../requests/walk-list.ts';

/** Whether the last window and the one after it agree with a total. */
export type EndProbe = { readonly holds: boolean; readonly pastEnd: PastEnd | undefined };

/**
 * Requests the last window of a list with that total, and the one after it. The first must hold the rest of the rows, the
 * second none.
 */
export async function probeEnd(
  reader: ListReader,
  numbered: NumberedWindows,
  place: TotalPlace,
  total: number,
): Promise<EndProbe> {
  if (total === 0 || reader.client.callsLeft < 2) return { holds: false, pastEnd: undefined };
  const { rows } = numbered;
  const lastRow = Math.floor((total - 1) / rows) * rows;
  const last = (await reader.read(windowRequest(numbered, lastRow))).listing;
  const full = last?.rows.length === total - lastRow && readTotal(place, last) === total;
  const { reply, listing } = await reader.read(windowRequest(numbered, lastRow + rows));
  if (listing?.rows.length === 0) {
    const { document } = listing;
    return { holds: full, pastEnd: { kind: 'empty', status: reply.status, document } };
  }
  const repeats = listing?.ids.some((id) => last?.ids.includes(id) === true) === true;
  const isError = listing === undefined;
  const document = reader.layout.read(reply);
  return { holds: full && (repeats || isError), pastEnd: { kind: 'other', status: reply.status, document } };
}
