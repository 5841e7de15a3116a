// The schemas that the actions on migrations answer with.

import * as z from 'zod';
import { stages } from '../../config/schema/migration.ts';

/** The name of the resource. */
export const resource = z
  .string()
  .regex(/^[a-z]{1,40}$/, 'expected a resource such as users')
  .describe('The resource that moves.');
const instant = z.string().describe('An instant in UTC.');
/** An object whose keys are not part of the contract of the API. */
export const anything = z.looseObject({});

/** The stage and the share of a resource or an operation. */
export const position = z.strictObject({ stage: z.enum(stages), percent: z.number() });
const unmet = z.looseObject({
  id: z.string(),
  have: z.union([z.string(), z.number()]),
  need: z.union([z.string(), z.number()]),
});
/** Which processes of the fleet have taken over a state. */
export const replicas = z.strictObject({
  total: z.int().describe('Processes that have this migration.'),
  atRev: z.int().describe('Those that have taken over the state.'),
  stale: z.array(z.string()).describe('The names of the others.'),
});
/** Long work on a migration, and its progress. */
export const task = z.strictObject({
  ...{ kind: z.string(), by: z.string(), startedAt: instant },
  ...{ done: z.int(), of: z.int().optional().describe('Absent: it is not known how much there is.') },
  outcome: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('running') }),
    z.strictObject({ kind: z.literal('done'), at: instant, result: z.unknown() }),
    z.strictObject({ kind: z.literal('failed'), at: instant, problem: z.string() }),
  ]),
});

/** The status of a migration. */
export const status = z.strictObject({
  ...{ resource, sources: z.array(z.string()).length(2), rev: z.int(), ...position.shape },
  operations: z.record(z.string(), position).describe('Operations that are elsewhere.'),
  hold: z.strictObject({ by: z.string(), at: instant, reason: z.string() }).nullable(),
  ...{ since: instant, evidenceSince: instant, generation: z.int(), replicas },
  staleSeconds: z.number().describe('How long ago the state was last known to be that of the fleet.'),
  gate: z.looseObject({
    next: z.string().nullable().describe('The next step; null after the last.'),
    ready: z.boolean(),
    unmet: z.array(unmet).describe('What it still asks for: what there is, and what is needed.'),
  }),
  compare: z.record(
    z.string(),
    z.looseObject({
      keys: z.int().describe('Distinct questions compared.'),
      ...{ match: z.int(), mismatch: z.int(), inconclusive: z.int() },
      ...{ ignored: z.int(), failedNew: z.int() },
      odd: z
        .int()
        .describe('Failures of the new source at questions for which the legacy one has no record.'),
      transient: z
        .int()
        .describe(
          'Comparisons in which the new source had said something else first, which the legacy one did not confirm.',
        ),
      given: z.int().describe('Answers of this kind that callers were given.'),
      once: z
        .array(
          z.strictObject({
            field: z.string(),
            isAtOnce: z
              .boolean()
              .describe(
                'Whether the new source has changed its answer within milliseconds; else after a wait.',
              ),
            share: z.number().describe('The share of comparisons, from 0 to 1.'),
            noise: z.number().describe('The share that writes explain.'),
            isMeasured: z.boolean().describe('Whether that was measured long enough to be judged.'),
          }),
        )
        .describe('The same by field.'),
      bound95: z
        .number()
        .describe(
          'The largest share of questions that differ which is still plausible, with 95 % confidence.',
        ),
      cusum: z
        .number()
        .describe(
          'How much the failures of the new source alone speak for 5 % rather than 0.5 %; the limit is 9.2.',
        ),
      lagP99Ms: z
        .number()
        .nullable()
        .describe(
          'How long, in milliseconds, 99 % of the differences that went by themselves lasted at most; null: there were none.',
        ),
    }),
  ),
  fallback: z
    .record(z.string(), z.int())
    .describe('Calls that the legacy source answered instead, by cause.'),
  lastRollback: anything.nullable(),
  rehearsedAt: instant.nullable(),
  ...{ walk: anything.nullable(), edges: anything.nullable() },
  rules: z.array(anything),
  acknowledged: z.array(z.string()),
  task: task.nullable().describe('Long work that runs in this process, or ran last.'),
  breakerOpen: z
    .boolean()
    .describe(
      'Whether the process that answers serves from the legacy source for now, because the new one fails there.',
    ),
  notes: z.array(z.string()).describe('What an operator should know before he trusts a gate.'),
});
