import type { BenchRow } from '../harness/row.ts';
import { securityAnswers } from './answers.ts';
import { securityCredentials } from './credentials.ts';
import { securityFiles } from './files.ts';
import { securityGuessing } from './guessing.ts';
import { securityInput } from './input.ts';
import { securityPatterns } from './patterns.ts';

const groups = [
  ...securityCredentials,
  ...securityGuessing,
  ...securityAnswers,
  ...securityInput,
  ...securityPatterns,
  ...securityFiles,
];

/** S1 to S25: what attackers can do. */
export const securityRows: readonly BenchRow[] = groups.sort(
  (a, b) => Number(a.id.slice(1)) - Number(b.id.slice(1)),
);
