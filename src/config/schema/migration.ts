// The schema of `migration`: how a resource moves from its source to another one, and which conditions each step has.

import { stages } from './migration-stages.ts';
import * as z from 'zod';
import { duration, flag, headerName, integer, name, numeric, share, timeLimit } from './elements/scalars.ts';
import { withNotation } from './elements/notation.ts';

/** A share of the calls in percent, in steps of 0.01. */
export const percent = withNotation(
  numeric(z.number(), /^(?:\d{1,2}(?:\.\d{1,2})?|100)$/, 'expected a number from 0 to 100').pipe(
    z
      .number()
      .min(0, 'must be at least 0')
      .max(100, 'must be at most 100')
      .refine((value) => Math.abs(value * 100 - Math.round(value * 100)) < 1e-6, 'must be in steps of 0.01'),
  ),
  '0 to 100, in steps of 0.01',
);

/** An instant in UTC, such as 2026-12-01T08:00:00Z, or a day, which begins at midnight. */
const instant = withNotation(
  z
    .string()
    .regex(
      /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\dZ)?$/,
      'expected a day or an instant in UTC such as 2026-12-01T08:00:00Z',
    )
    .refine((text) => !Number.isNaN(Date.parse(text)), 'there is no such day or instant')
    .transform((text) => Date.parse(text)),
  'a day or an instant in UTC (`2026-12-01`, `2026-12-01T08:00:00Z`)',
);

/** A decision that a difference does not matter: in which field, by whom, why, and until when. */
const decided = {
  path: z
    .string()
    .min(1)
    .max(200)
    .describe('The field: `data.name` in a single record, `data[].name` in a list, `meta.total`.'),
  owner: z.string().min(1).max(100).describe('Who has decided it.'),
  reason: z.string().min(1).max(500).describe('Why it does not matter.'),
  until: instant.describe('When it ends; from then on the difference counts again.'),
};

const ignoreRule = z.strictObject(decided);

const tolerateRule = z.strictObject({
  ...decided,
  abs: z.number().min(0).optional().describe('Numbers may differ by this much.'),
  rel: share.optional().describe('Numbers may differ by this share of the larger one.'),
  precision: timeLimit.optional().describe('Instants may differ by less than this.'),
  text: z
    .array(z.enum(['trim', 'nfc', 'case']))
    .min(1)
    .optional()
    .describe(
      'trim: outer blanks do not count. nfc: texts are compared in the Unicode form NFC. case: upper and lower case are equal.',
    ),
});

const shadow = z.strictObject({
  rate: percent
    .default(100)
    .describe(
      'The share of fresh answers for which the other source is asked, too. If an answer was never compared, the other source is always asked.',
    ),
  maxRps: integer(1, 10_000).default(20).describe('The most such calls a second, over all processes.'),
  concurrency: integer(1, 64)
    .default(8)
    .describe(
      'The most of them at once, in each process, including the extra list calls that they cause; calls above this are skipped.',
    ),
  timeout: timeLimit.default(1_000).describe('How long such a call may take.'),
  prewarm: flag
    .default(true)
    .describe(
      'Whether answers of the new source that are equal fill its cache, so that it is not cold at a step of the ramp.',
    ),
});

const recheck = z.strictObject({
  delay: timeLimit
    .default(5_000)
    .describe(
      'How long a difference has to last before it counts: about three times the time that a write takes to reach the new store.',
    ),
  maxRps: integer(1, 1_000).default(10).describe('The most calls of rechecks a second, in each process.'),
});

const compare = z.strictObject({
  ignore: z.array(ignoreRule).default([]).describe('Differences that do not count.'),
  tolerate: z
    .array(tolerateRule)
    .default([])
    .describe('Differences that do not count as long as they are small.'),
  critical: z
    .array(z.string().min(1).max(200))
    .default([])
    .describe('Fields of which no difference is accepted: three records that differ roll back.'),
  transientPercent: percent
    .default(0.1)
    .describe(
      'The percentage of answers of the new source that may differ only once without a write that explains it (a recheck finds no difference, and the legacy source never gave that answer).',
    ),
  showMask: z
    .array(z.string().min(1).max(200))
    .default([])
    .describe('Fields of which samples show a masked value, such as a***@x***.com.'),
});

const gate = z.strictObject({
  mismatch: share
    .default(0.001)
    .describe(
      'The share of records that may differ at most, with 95 % confidence. 0.001 needs 2,995 records without a difference.',
    ),
  soak: duration.default(86_400_000).describe('The bake time: how long a shadow has to run before the ramp.'),
  step: duration.default(1_800_000).describe('How long a step of the ramp has to last before the next.'),
  stepRequests: integer(0, 1_000_000_000)
    .default(1_000)
    .describe('How many requests the new source has to have served in a step.'),
  liveFor: duration.default(604_800_000).describe('How long `live` has to last before `complete`.'),
  quiet: duration
    .default(86_400_000)
    .describe(
      'How long there has to have been no rollback before a step, and no fallback before `complete`.',
    ),
  failed: share.default(0.005).describe('The share of calls that may fail at the new source alone.'),
  inconclusive: share.default(0.1).describe('The share of comparisons that may be inconclusive.'),
  latencyFactor: z
    .number()
    .min(1)
    .max(100)
    .default(1.2)
    .describe(
      'The 99th percentile of the latency of the new source may be this many times that of the legacy one, plus `latencySlack`.',
    ),
  latencySlack: duration
    .default(20)
    .describe('The time that is added to the latency which `latencyFactor` allows.'),
  rehearsal: flag
    .default(true)
    .describe('Whether a failure drill (`portico migration rehearse`) is needed before the ramp.'),
  walk: flag
    .default(true)
    .describe('Whether a walk over all records without a difference is needed before the ramp.'),
  edges: flag
    .default(true)
    .describe(
      'Whether the edge cases have to be compared without a difference before the ramp: first and last pages, past the end, unknown ids and values, each sort and filter. A walk then ends with them.',
    ),
  file: flag
    .default(true)
    .describe('Whether the step to `complete` needs `stage: complete` in this file first.'),
});

const rollback = z.strictObject({
  cooldown: duration.default(1_800_000).describe('How long after a rollback no step forward is possible.'),
});

const freeze = z.strictObject({
  from: instant.describe('When the window begins.'),
  until: instant.describe('When it ends.'),
  why: z.string().min(1).max(200).describe('Why; the message of a refused step shows it.'),
});

/** How a resource moves from its source to another one. */
export const migration = z.strictObject({
  to: name.describe('The new source (a file in sources/).'),
  stage: z
    .enum(stages)
    .default('legacy')
    .describe(
      'The stage with which a process starts if no state is kept. Write `complete` here before the legacy service is switched off.',
    ),
  percent: percent.default(0).describe('The share of the ramp with which it then starts.'),
  bucketBy: z
    .enum(['caller', 'record', 'request'])
    .default('caller')
    .describe(
      'What stays with one source: a caller (of a public resource: its address), a record (lists stay with the legacy source until `live`), or nothing.',
    ),
  allow: z
    .array(z.string().min(1).max(200))
    .default([])
    .describe('Callers who are served by the new source from the ramp on, by the id that the log shows.'),
  deny: z
    .array(z.string().min(1).max(200))
    .default([])
    .describe('Callers who stay with the legacy source until `live`.'),
  overrideHeader: headerName
    .default('X-Portico-Origin')
    .describe('A caller with the permission `migration:override` chooses by this header: legacy or new.'),
  steps: z.array(percent).min(1).default([1, 5, 25, 50, 100]).describe('The shares of the ramp.'),
  promote: z
    .enum(['ask', 'auto'])
    .default('ask')
    .describe('Who takes a step whose gate is ready: a person, or the gateway by itself.'),
  approvals: integer(0, 1)
    .default(0)
    .describe(
      'How many other operators have to approve each step forward (`portico migration approve`). A rollback needs none.',
    ),
  shadow: shadow.prefault({}),
  recheck: recheck.prefault({}),
  compare: compare.prefault({}),
  gate: gate.prefault({}),
  rollback: rollback.prefault({}),
  freeze: z
    .array(freeze)
    .default([])
    .describe('Windows without a step forward. A rollback is always possible.'),
});

/**
 * `resources.<name>.migration` with its defaults: durations in milliseconds, instants in milliseconds since the epoch,
 * `percent` and `steps` from 0 to 100, the shares of `gate` from 0 to 1.
 */
export type MigrationConfig = z.infer<typeof migration>;
