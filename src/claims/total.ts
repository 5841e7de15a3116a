import { inconsistent, type InconsistentReads, type WindowEvidence } from './claim.ts';

/** How a window breaks a total: it must hold exactly the rows that the total promises there. */
export function brokenTotal({ call, rows }: WindowEvidence, total: number): InconsistentReads | undefined {
  const expected = Math.max(0, Math.min(call.size, total - call.firstRow));
  if (rows.total !== undefined && rows.total !== total)
    return inconsistent('the total changed during the walk');
  if (rows.received !== expected)
    return inconsistent('a window has fewer or more rows than the total allows');
  return undefined;
}
