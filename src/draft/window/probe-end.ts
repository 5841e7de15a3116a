import type { ListReader } from '../requests/list-reader.ts';
import { readTotal, type TotalPlace } from './probe-total.ts';
import { type NumberedWindows, type PastEnd, windowRequest } from '../requests/walk-list.ts';

/** What the last window of a list and the one behind it show of a total. */
export type EndProbe = { readonly holds: boolean; readonly pastEnd: PastEnd | undefined };

/**
 * Asks for the last window that a total leaves, and for the one behind it: the one must hold the rest of the rows,
 * the other none.
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
