import type { FaultRow } from '../harness/row.ts';
import { securityAnswers } from './answers.ts';
import { securityCredentials } from './credentials.ts';
import { securityGuessing } from './guessing.ts';
import { securityInput } from './input.ts';
import { securityPatterns } from './patterns.ts';

const groups = [
  ...securityCredentials,
  ...securityGuessing,
  ...securityAnswers,
  ...securityInput,
  ...securityPatterns,
];

/** S1 to S18: what attackers can do. */
export const securityRows: readonly FaultRow[] = groups.sort(
  (a, b) => Number(a.id.slice(1)) - Number(b.id.slice(1)),
);
