import type { WindowEvidence } from './claim.ts';

/** Whether a window is as full as the total says, and the rows end where it says: then windows have fixed positions. */
export function isFullWindow({ call, rows }: WindowEvidence, total: number): boolean {
  const expected = Math.min(call.size, total - call.firstRow);
  const isFull = rows.received === expected && rows.records.length === rows.received;
  const goesOn = rows.next !== undefined || call.firstRow + rows.received === total;
  return isFull && goesOn && (rows.total ?? total) === total;
}
