// The specification of the action `audit`, which reads who changed what.

import * as z from 'zod';
import { type Parsed, readAction } from './action.ts';

const auditAnswer = z.strictObject({
  lines: z.array(z.string()).describe('Each a text of JSON; its SHA-256 is `previous` of the next line.'),
  chain: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('empty') }),
    z.strictObject({
      kind: z.literal('intact'),
      first: z.int().describe('The first line that is kept; earlier ones have made room.'),
      last: z.int(),
      digest: z.string().describe('SHA-256 of the last line.'),
    }),
    z.strictObject({ kind: z.literal('broken'), number: z.int() }),
  ]),
});

/** The answer of `audit`. */
export type AuditAnswer = Parsed<typeof auditAnswer>;

/** The action that reads the audit. */
export const auditSpecs = {
  audit: readAction(
    '/api/audit',
    'Who changed what: the kept lines of the audit, the oldest first, and whether their chain is intact.',
    auditAnswer,
    {
      since: z.string().max(40).optional().describe('A span such as 24h, or an instant.'),
    },
  ),
} as const;
