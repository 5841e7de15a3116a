import type { RecordOrder } from '../contract/order.ts';
import type { EvidenceRow } from './claim.ts';

/** Whether rows are in strict order; equal neighbours would be the same row twice. */
export function isOrdered(rows: readonly EvidenceRow[], order: RecordOrder): boolean {
  return rows.every((row, index) => {
    const before = rows[index - 1];
    return before === undefined || order(before, row) < 0;
  });
}
