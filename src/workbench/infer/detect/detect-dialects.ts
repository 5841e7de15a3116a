import type { Dialect, DialectEvidence } from '../dialects/dialect.ts';
import { businessDialects } from '../dialects/business.ts';
import { conventionDialects } from '../dialects/conventions.ts';
import { dataDialects } from '../dialects/data.ts';
import { identityDialects } from '../dialects/identity.ts';
import { shopDialects } from '../dialects/shop.ts';

const dialects: readonly Dialect[] = [
  ...identityDialects,
  ...businessDialects,
  ...shopDialects,
  ...dataDialects,
  ...conventionDialects,
];

/** The dialects that match the first reply, the most probable first. */
export function detectDialects(evidence: DialectEvidence): readonly Dialect[] {
  return dialects.filter((dialect) => dialect.matches(evidence));
}
