import * as z from 'zod';
import type { ActionSpec, Parsed } from './action.ts';
import { count, counts, scope, since, span } from './figure-specs.ts';

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
  .describe('Fields that became null in each slot; only those that did.');

const quality = z.strictObject({ sources: z.array(resourceQuality), trend: trend.optional() });

/** The answer of `quality`. */
export type QualityDetail = Parsed<typeof quality>;

/** What an operator asks of the quality of replies. */
export const qualitySpecs = {
  quality: {
    method: 'get',
    path: '/api/quality',
    role: 'viewer',
    summary:
      'How well the replies of each source fit its file, since the start, and which fields became null when.',
    input: z.strictObject({ span }),
    output: quality,
  },
} as const satisfies Readonly<Record<string, ActionSpec>>;
