// What `explain` answers: how Portico would answer a request, and with `live` also what the source answers now. The types of
// src/workbench/explain say more about each part.

import * as z from 'zod';
import type { Parsed } from './action.ts';

/** A claim of a source file, with its place in the file. */
const placedClaim = z.strictObject({ claim: z.string(), file: z.string(), line: z.int().optional() });

/** What came of the request when the source was asked. Addresses and values are masked. */
const liveResult = z.strictObject({
  calls: z.array(
    z.strictObject({
      ...{ method: z.string(), url: z.string(), status: z.int().optional(), ms: z.number() },
      ...{ rows: z.int().optional(), problem: z.string().optional() },
      outcome: z
        .strictObject({ is: z.string(), file: z.string(), line: z.int().optional() })
        .nullish()
        .describe('The outcome rule that decided; null: none fits.'),
    }),
  ),
  answer: z.strictObject({
    ...{ status: z.int(), code: z.string().optional(), detail: z.string().optional() },
    ...{ total: z.int().optional(), records: z.int().optional() },
  }),
  contradicted: z.array(placedClaim).describe('Claims that the replies broke; the answer does without them.'),
  missingValues: z
    .record(z.string(), z.int())
    .describe('How often a field became null, by field and reason, such as `name missing`.'),
  record: z
    .array(
      z.looseObject({
        ...{ field: z.string(), from: z.array(z.string()), line: z.int().optional(), state: z.string() },
        value: z.unknown().describe('Always ***.'),
      }),
    )
    .optional()
    .describe('Where the fields of the first record come from.'),
});

/** The answer of `explain`: it has `plan` for a query, `mistake` for a wrong one, `sentTo` for a pass-through route. */
export const explanation = z.looseObject({
  ...{ request: z.string(), operation: z.string() },
  permission: z.string().nullish().describe('null: it is public.'),
  source: z.strictObject({ name: z.string(), file: z.string(), credential: z.string() }).optional(),
  question: z.string().optional().describe('What is asked, in words.'),
  plan: z
    .strictObject({
      ...{ kind: z.enum(['page', 'scan', 'record', 'nothing']), reason: z.string().optional() },
      calls: z.array(z.looseObject({ method: z.string(), url: z.string(), body: z.string().optional() })),
      callsMax: z.int(),
      gatewaySteps: z
        .array(z.string())
        .describe('What the gateway does itself because the source does not, in words.'),
      dependsOn: z.array(placedClaim).describe('The claims that the answer trusts.'),
    })
    .optional(),
  budget: z
    .strictObject({ rows: z.int(), calls: z.int(), timeMs: z.int(), beyond: z.string() })
    .optional()
    .describe('What a scan may cost, and the answer if it would cost more.'),
  freshSeconds: z.number().optional().describe('How long the cache serves the answer.'),
  live: liveResult.optional().describe('What the source answered; absent: it was not asked.'),
  mistake: z
    .strictObject({ status: z.int(), body: z.string() })
    .optional()
    .describe('The error that the client gets for a wrong request.'),
  sentTo: z
    .array(z.string())
    .optional()
    .describe('Where a pass-through route sends it; empty: it is refused.'),
  refused: z
    .strictObject({ status: z.int(), code: z.string(), because: z.string() })
    .optional()
    .describe('Why a pass-through route refuses the request.'),
  inForce: z
    .strictObject({ rev: z.int(), digest: z.string() })
    .describe('The configuration that it holds for.'),
});

/** The type of the answer of `explain`. */
export type ExplainAnswer = Parsed<typeof explanation>;
