// The specifications of the actions on the quality of replies (`portico quality`) and on disabled claims (`portico claims`).

import * as z from 'zod';
import { changeAction, type Parsed, readAction, reason } from './action.ts';
import { count, counts, scope, since, span } from './metric-specs.ts';

const field = z.strictObject({
  ...{ field: z.string(), from: z.array(z.string()), line: z.int().optional() },
  ...{ null: count, missing: count, unreadable: count },
  steps: z.record(z.string(), count),
});

const resourceQuality = z.looseObject({
  ...{ source: z.string(), resource: z.string(), file: z.string() },
  views: z.array(
    z.looseObject({
      ...{ view: z.string(), records: count, dropped: count, totalsLost: count },
      fields: z.array(field),
    }),
  ),
});

const trend = z
  .strictObject({
    ...{ scope, since, stepMs: count, at: z.array(z.int()) },
    fields: z.array(
      z.strictObject({
        ...{ source: z.string(), field: z.string(), reason: z.string() },
        counts,
      }),
    ),
  })
  .describe('Fields that became null, for each data point; only fields that did.');

const quality = z.strictObject({ sources: z.array(resourceQuality), trend: trend.optional() });

const disabledClaim = z.strictObject({
  ...{ source: z.string(), resource: z.string(), claim: z.string() },
  digest: z.string().describe('Of what the source file says: another file has other claims.'),
  at: z.string().describe('When it was disabled, in UTC.'),
  detail: z.string().describe('What contradicted it: never a value.'),
});
const disabledClaims = z.strictObject({ disabled: z.array(disabledClaim) });

/** The answer of `claims`. */
export type DisabledClaimList = Parsed<typeof disabledClaims>;

/** The answer of `quality`. */
export type QualityDetail = Parsed<typeof quality>;

/** The actions on the quality of replies, and on claims that replies contradicted. */
export const qualitySpecs = {
  quality: readAction(
    '/api/quality',
    'How well the replies of each source fit its file, since the start, and which fields became null when.',
    quality,
    { span },
  ),
  claims: readAction(
    '/api/claims',
    'The claims of source files that replies have contradicted.',
    disabledClaims,
    {},
  ),
  'claims.reset': changeAction(
    '/api/claims/reset',
    'Believes disabled claims again, in every process; without a source or claim, all of them.',
    {
      source: z.string().min(1).max(40).optional(),
      claim: z.string().min(1).max(200).optional(),
      reason,
    },
    z.strictObject({ reset: z.array(disabledClaim) }),
  ),
} as const;
