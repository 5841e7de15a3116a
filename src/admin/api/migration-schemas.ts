// What the actions on migrations answer. The page of the console imports these types, so this file imports nothing of Node.

import * as z from 'zod';
import { RESOURCE_NAME } from '../../contract/contract-schema.ts';
import { matching, utcTime, type Parsed } from './action.ts';
import { stages } from '../../config/schema/migration-stages.ts';

/** The input that names a resource with two sources. */
export const movingResource = matching(new RegExp(`^${RESOURCE_NAME}$`), 'a resource such as users').describe(
  'The resource that moves.',
);
/** An object whose keys the API does not promise. */
export const openObject = z.looseObject({});

/** Where a resource or an operation stands: its stage, and the share of callers that the new source serves. */
export const migrationPosition = z.strictObject({ stage: z.enum(stages), percent: z.number() });
/** A condition of the gate before the next step: what there is, and what is needed. */
const gateCondition = z.looseObject({
  ...{ id: z.string(), operation: z.string().optional().describe('Absent: the resource has to meet it.') },
  have: z.union([z.string(), z.number()]),
  need: z.union([z.string(), z.number()]),
  at: utcTime.optional().describe('When time alone meets it.'),
});
/** Which processes of the fleet have taken over a state. */
export const stateReplicas = z.strictObject({
  total: z.int().describe('Processes that have this migration.'),
  atRev: z.int().describe('Those that have taken over the state.'),
  stale: z.array(z.string()).describe('The names of the others.'),
});
/** A step forward that waits until another operator approves it. */
export const waitingStep = z.strictObject({
  to: z.string().describe('The position, such as `ramp:5`.'),
  operation: z.string().optional().describe('Absent: it is a step of the whole resource.'),
  isForced: z.boolean().describe('Whether it goes over a gate that is not ready.'),
  over: z
    .array(z.string())
    .describe('What it goes over if it is forced; it is not taken if anything else is unmet by then.'),
  by: z.string().describe('Who has asked for it.'),
  ...{ reason: z.string().optional(), at: utcTime },
  until: utcTime.describe('From then on it is as if nobody had asked.'),
});
/** The callers that a share of the ramp reaches. */
export const preview = z.strictObject({
  percent: z.number(),
  callers: z.int().describe('Callers of the last hour, over all processes.'),
  reached: z.int().describe('Those of them whom the share reaches.'),
  callsPercent: z.number().describe('Their part of the calls of the last hour, in percent.'),
  least: z
    .number()
    .nullable()
    .describe('The least share that reaches one of them; 0: `allow` has one; null: no share reaches any.'),
  largest: z
    .array(
      z.strictObject({
        caller: z.string().describe('The id as in the log; `h:…` where only another process knows it.'),
        label: z.string().optional().describe('The label of its key.'),
        callsPercent: z.number(),
        isReached: z.boolean(),
      }),
    )
    .describe('Those with the most calls: ten of all, and ten of those whom the share reaches.'),
});
/** The type of a preview. */
export type MigrationPreview = Parsed<typeof preview>;
/** Long work on a migration, and its progress. */
export const migrationTask = z.strictObject({
  ...{ kind: z.string(), by: z.string(), startedAt: utcTime },
  phase: z.string().optional().describe('What is done now; `done` and `of` are those of this phase.'),
  ...{ done: z.int(), of: z.int().optional().describe('Absent: it is not known how much there is.') },
  outcome: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('running') }),
    z.strictObject({ kind: z.literal('done'), at: utcTime, result: z.unknown() }),
    z.strictObject({ kind: z.literal('failed'), at: utcTime, problem: z.string() }),
  ]),
});

/** A rule by which differences at a path do not count until a day. */
const ignoreRule = z.looseObject({
  ...{ id: z.string(), path: z.string(), hint: z.string().optional(), owner: z.string(), reason: z.string() },
  until: z.number().describe('When it ends, milliseconds since the epoch.'),
});
/** The fields that the answers of `migrations` and `migrations.status` share. */
const migrationRow = {
  resource: movingResource,
  sources: z.array(z.string()),
  rev: z.int(),
  ...migrationPosition.shape,
};
/** The answer of `migrations`. */
export const migrationList = z.strictObject({
  migrations: z.array(
    z.strictObject({
      ...migrationRow,
      operations: z
        .record(z.string(), migrationPosition)
        .optional()
        .describe('Operations that are elsewhere.'),
    }),
  ),
});
/** The type of the answer of `migrations`. */
export type MigrationList = Parsed<typeof migrationList>;

/** What may be shown of a value that differs: never the value. */
const valueShape = z.looseObject({
  ...{ type: z.string(), length: z.number().optional(), mask: z.string().optional() },
  hash: z.string().optional().describe('Equal for equal values.'),
});
/** One record that differs, by both sources. */
const differenceSample = z.looseObject({
  key: z.string().describe('A keyed hash of the id of the record.'),
  ...{ legacy: valueShape.optional(), new: valueShape.optional() },
  ...{ hint: z.string().optional(), traceId: z.string().optional() },
});
/** The answer of `migrations.diffs`. */
export const differenceList = z.strictObject({
  differences: z.array(
    z.looseObject({
      ...{ operation: z.string(), path: z.string(), kind: z.string(), hint: z.string().optional() },
      ...{ count: z.int(), ignored: z.boolean().describe('Whether a rule ignores it.') },
      ...{ firstAt: utcTime, lastAt: utcTime, samples: z.array(differenceSample) },
    }),
  ),
});
/** The type of the answer of `migrations.diffs`. */
export type DifferenceList = Parsed<typeof differenceList>;

/** The answer of `migrations.status`. */
export const migrationStatus = z.strictObject({
  ...{ ...migrationRow, sources: migrationRow.sources.length(2) },
  operations: z.record(z.string(), migrationPosition).describe('Operations that are elsewhere.'),
  hold: z.strictObject({ by: z.string(), at: utcTime, reason: z.string() }).nullable(),
  pending: waitingStep.nullable().describe('The step that waits for the approval of another operator.'),
  ...{ since: utcTime, evidenceSince: utcTime, generation: z.int(), replicas: stateReplicas },
  forced: z
    .array(z.string())
    .describe('The conditions that the step to this position went over; empty if it was not forced.'),
  scope: z
    .enum(['fleet', 'process'])
    .describe(
      'process: Redis does not answer, so this is what the process that answers has known for `staleSeconds`, without counts.',
    ),
  staleSeconds: z.number().describe('How long ago the state was last known to be that of the fleet.'),
  gate: z.looseObject({
    next: z.string().nullable().describe('The next step; null after the last.'),
    ready: z.boolean(),
    unmet: z.array(gateCondition).describe('What it still asks for: what there is, and what is needed.'),
    met: z.array(gateCondition),
    earliestAt: utcTime
      .optional()
      .describe('When the conditions of time are met; absent if time does not hold the step up.'),
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
  uncompared: z
    .array(z.strictObject({ outcome: z.string(), count: z.int(), why: z.string() }))
    .describe('Answers that were not compared, by why: the other source did not answer, or was not asked.'),
  lastRollback: z
    .looseObject({ at: utcTime, by: z.string(), rule: z.string(), evidence: z.string() })
    .nullable(),
  rehearsedAt: utcTime.nullable(),
  walk: z.looseObject({ records: z.int(), differences: z.int() }).nullable(),
  edges: z.looseObject({ asked: z.int(), different: z.int() }).nullable(),
  rules: z.array(ignoreRule).describe('Rules that were made while the gateway runs.'),
  acknowledged: z.array(z.string()),
  task: migrationTask.nullable().describe('Long work that runs in this process, or ran last.'),
  breakerOpen: z
    .boolean()
    .describe(
      'Whether the process that answers serves from the legacy source for now, because the new one fails there.',
    ),
  notes: z.array(z.string()).describe('What an operator should know before he trusts a gate.'),
});

/** The type of the answer of `migrations.status`. */
export type MigrationStatus = Parsed<typeof migrationStatus>;
