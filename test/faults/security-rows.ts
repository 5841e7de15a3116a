import type { FaultRow } from './harness/row.ts';
import { securityCredentials } from './security-credentials.ts';

const groups = [...securityCredentials];

/** S1 to S15: what attackers can do. */
export const securityRows: readonly FaultRow[] = groups.sort(
  (a, b) => Number(a.id.slice(1)) - Number(b.id.slice(1)),
);
