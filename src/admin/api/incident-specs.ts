// The specifications of the actions that read incidents, and the types of their answers, which the page of the console
// shows.

import * as z from 'zod';
import { incidentKinds } from '../../telemetry/incidents/incident.ts';
import { type ActionSpec, type Parsed, readAction, utcTime } from './action.ts';

const count = z.int().min(0);
const failedOf = { failed: count, total: count };
const share = z.number().min(0).max(1).nullable().describe('From 0 to 1; null where nothing was counted.');
const severity = z.enum(['critical', 'warning', 'info']);

/** Something that needs an operator: an incident, or a condition that no incident explains. */
export const attention = z.strictObject({
  severity,
  code: z.string(),
  text: z.string(),
  entry: z.string().optional().describe('The entry of the runbook.'),
  view: z.string().optional().describe('The address of the view of the console.'),
  incident: z.string().optional().describe('Its id, where it is an incident.'),
  since: utcTime
    .optional()
    .describe('An instant in UTC: since when. It is absent if the beginning is not known.'),
  next: z.array(z.string()).optional().describe('What happens by itself; absent if the entry says it.'),
  todo: z
    .strictObject({ line: z.string().describe('What is to do.'), command: z.string() })
    .optional()
    .describe('Absent if the entry says it.'),
});

const incident = z.strictObject({
  id: z.string().describe('It may stand in an address, and stays the same.'),
  kind: z.enum(incidentKinds),
  subject: z.string().describe('What it is about, such as the name of a source.'),
  cause: z.string().describe('Why, in words.'),
  text: z.string().describe('The whole in a sentence.'),
  severity: z.enum(['critical', 'warning']),
  state: z.enum(['open', 'ended']),
  since: utcTime.describe(
    'An instant in UTC, such as 2026-01-31T03:09:00.000Z: when the first failure began. If the incident reopened, it is the first failure since then.',
  ),
  firstAt: utcTime
    .optional()
    .describe('An instant in UTC: when it first began. It is there only if the incident reopened.'),
  runs: z
    .array(
      z.strictObject({
        cause: z.string().describe('Why, in words.'),
        since: utcTime.describe('When its first failure began, in UTC.'),
        until: utcTime.describe('When its last failure began, in UTC.'),
        failed: count.describe('The calls that failed; where none are counted, the affected answers.'),
      }),
    )
    .optional()
    .describe(
      'The latest five runs, the latest first; the other facts are of the first of them. It is there only if the incident reopened.',
    ),
  last: utcTime.describe('When the last failure was, in UTC.'),
  isQuiet: z
    .boolean()
    .optional()
    .describe(
      'Whether nothing has failed for some seconds, so it may be over. It is there only if it is open.',
    ),
  ended: utcTime.optional().describe('When it ended: its last failure, after a minute without one.'),
  reopened: count.describe('How often it reopened: it ended, and began again within ten minutes.'),
  worsenedAt: utcTime.optional().describe('When it became critical.'),
  fault: z.enum(['gateway', 'upstream', 'redis', 'issuer', 'configuration']).describe('Whose fault it is.'),
  faultText: z.string().describe('The same in words, and whether a change just before may be the cause.'),
  calls: z
    .strictObject({ ...failedOf, share, notSent: count.describe('Forbidden by the breaker or a pause.') })
    .optional()
    .describe('The calls until the last failure; absent where none are counted.'),
  answers: z
    .strictObject({
      ...failedOf,
      share,
      flawed: z
        .strictObject({ ...failedOf, share })
        .optional()
        .describe(
          'Of `slow`: those that were slow or failed. Of `field`: those that have null for the field.',
        ),
    })
    .describe(
      'Answers with a status from 500 on, or late ones that callers did not wait for, of all; of `keys`: 401.',
    ),
  callers: z
    .array(
      z.strictObject({
        id: z.string().describe('The id of a key, `jwt:` with the subject of a token, or `anonymous`.'),
        label: z.string().optional().describe('The label of the key; absent if it has none.'),
        failed: count.describe('How many of its answers are affected.'),
      }),
    )
    .describe(
      'The ten callers with the most affected answers, the most first. An answer is affected if it failed. Of `slow`: also if it was slow. Of `field`: if it has null for the field.',
    ),
  moreCallers: z
    .strictObject({
      callers: count.describe('How many callers.'),
      failed: count.describe('How many of their answers are affected.'),
    })
    .describe('The callers beyond the ten, together.'),
  unknownCallers: count
    .optional()
    .describe('How many answers failed for callers that could not be told; absent if there are none.'),
  affected: z
    .string()
    .optional()
    .describe('Who is affected, in words; of a lost field, or where callers are not known.'),
  operations: z
    .array(z.strictObject({ name: z.string(), failed: count }))
    .describe('The affected answers by operation, the most first.'),
  requestFilter: z
    .record(z.string(), z.string())
    .optional()
    .describe('The filter of `requests` that lists its requests; absent where none of them are kept.'),
  hosts: z
    .array(z.strictObject({ host: z.string(), ...failedOf }))
    .describe('The hosts of the upstream, the worst first; none where it has one.'),
  effects: z
    .array(z.strictObject({ severity, code: z.string(), text: z.string() }))
    .describe('What else is wrong because of it.'),
  before: z
    .strictObject({
      changes: z.array(z.strictObject({ at: utcTime, by: z.string(), what: z.string() })),
      problem: z.string().optional().describe('Why changes may be missing.'),
    })
    .describe('What changed in the 15 minutes before, the latest first. It need not be the cause.'),
  next: z.array(z.string()).describe('What happens by itself.'),
  todo: z.strictObject({
    entry: z.string().describe('The entry of the runbook.'),
    line: z.string().describe('What it says is to do.'),
    view: z.string().describe('The address of the view of the console.'),
    command: z.string(),
  }),
});

const scope = z
  .enum(['process', 'workers', 'fleet'])
  .describe('Who sees it: this process, the workers of this gateway, or all gateways on its Redis.');
const seen = {
  scope,
  scopeText: z.string().describe('The same in words; empty if the whole fleet sees it.'),
  silent: z
    .array(count)
    .describe(
      'The process ids of workers that did not answer within a second; usually none. Their part is from their last answer.',
    ),
  at: utcTime,
};

const incidentList = z.strictObject({
  ...seen,
  incidents: z.array(incident).describe('The open ones first, then those that ended within 24 hours.'),
  others: z.array(attention).describe('What no incident explains, at the same moment.'),
});

const oneIncident = z.strictObject({ ...seen, incident });

/** The answer of `incidents`. */
export type IncidentList = Parsed<typeof incidentList>;

/** One incident, with what an operator asks about it. */
export type IncidentView = Parsed<typeof incident>;

/** The actions that read incidents. */
export const incidentSpecs = {
  incidents: readAction(
    '/api/incidents',
    'What is wrong, each with its cause and effects, and what was wrong within the last day.',
    incidentList,
    {},
  ),
  incident: readAction('/api/incidents/{id}', 'One incident.', oneIncident, {
    id: z.string().min(1).max(200),
  }),
} as const satisfies Readonly<Record<string, ActionSpec>>;
