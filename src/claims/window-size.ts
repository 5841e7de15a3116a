import type { WindowEvidence } from './claim.ts';

/** How a window breaks its size, in words: a source that gives more rows than asked for counts them otherwise. */
export function brokenSize({ call, rows }: WindowEvidence): string | undefined {
  if (rows.received <= call.size) return undefined;
  return `the source gave ${rows.received} rows where ${call.size} were asked for`;
}
