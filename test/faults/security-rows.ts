import type { FaultRow } from './harness/row.ts';
import { securityAnswers } from './security-answers.ts';
import { securityCredentials } from './security-credentials.ts';
import { securityInput } from './security-input.ts';
import { securityPatterns } from './security-patterns.ts';

const groups = [...securityCredentials, ...securityAnswers, ...securityInput, ...securityPatterns];

/** S1 to S15: what attackers can do. */
export const securityRows: readonly FaultRow[] = groups.sort(
  (a, b) => Number(a.id.slice(1)) - Number(b.id.slice(1)),
);
