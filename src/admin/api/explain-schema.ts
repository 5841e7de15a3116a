import * as z from 'zod';
import type { Parsed } from './action.ts';

const placedClaim = z.strictObject({ claim: z.string(), file: z.string(), line: z.int().optional() });

const live = z.strictObject({
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
  contradicted: z.array(placedClaim),
  gaps: z.record(z.string(), z.int()),
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

/** The answer of `explain`: a plan, a mistake of the client, or what becomes of a request to a pass-through route. */
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
      left: z.array(z.string()).describe('What the gateway does itself, in words.'),
      dependsOn: z.array(placedClaim),
    })
    .optional(),
  budget: z
    .strictObject({ rows: z.int(), calls: z.int(), timeMs: z.int(), beyond: z.string() })
    .optional()
    .describe('What a scan may cost, and the answer if it would cost more.'),
  freshSeconds: z.number().optional(),
  live: live.optional(),
  mistake: z.strictObject({ status: z.int(), body: z.string() }).optional(),
  sentTo: z.array(z.string()).optional(),
  refused: z.strictObject({ status: z.int(), code: z.string(), because: z.string() }).optional(),
  inForce: z
    .strictObject({ rev: z.int(), digest: z.string() })
    .describe('The configuration that it holds for.'),
});

/** The same as a type. */
export type ExplainAnswer = Parsed<typeof explanation>;
