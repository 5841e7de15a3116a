// The specification of each action on migrations; src/admin/actions/migration implements them.

import * as z from 'zod';
import { RESOURCE_NAME } from '../../contract/contract-schema.ts';
import { percent } from '../../config/schema/migration.ts';
import { stages } from '../../config/schema/migration-stages.ts';
import { changeAction, matching, printable, readAction, reason } from './action.ts';
import { differenceHints } from '../../migration/compare/hint.ts';
import {
  openObject,
  differenceList,
  migrationList,
  waitingStep,
  migrationPosition,
  preview,
  stateReplicas,
  movingResource,
  migrationStatus,
  migrationTask,
} from './migration-schemas.ts';

const OPERATION = new RegExp(`^${RESOURCE_NAME}\\.[a-z]{1,40}$`);
const operation = matching(OPERATION, 'an operation such as users.list').describe(
  'Only this operation of it, such as users.list.',
);
const rev = z.int().min(0).describe('Only if the state still has this rev.');
/** The reason, which an operator must give for some actions. */
const because = printable(1, 200).describe('Why; the audit keeps it.');
const changed = z.strictObject({
  ...{ resource: movingResource, rev: z.int(), ...migrationPosition.shape, replicas: stateReplicas },
  forced: z.array(z.string()).optional().describe('The conditions that a forced step went over.'),
  pending: waitingStep
    .optional()
    .describe('The step, if it was not taken because another operator has to approve it first.'),
  ended: waitingStep
    .optional()
    .describe('The step that has waited for an approval, if a hold or a rollback has ended it.'),
  reach: preview.optional().describe('Whom the share of a ramp reaches.'),
  ms: z.int().describe('How long it took until the processes of `replicas.atRev` had it.'),
});
const started = z.strictObject({ task: migrationTask });

/** The actions on migrations: method, path, role, and the schemas of input and output. */
export const migrationSpecs = {
  migrations: readAction(
    '/api/migrations',
    'The resources that move from one source to another, and where they are.',
    migrationList,
    {},
  ),
  'migrations.status': readAction(
    '/api/migrations/{resource}',
    'Where a migration is, what its next step asks for, and what was compared.',
    migrationStatus,
    { resource: movingResource, operation: operation.optional() },
  ),
  'migrations.stage': changeAction(
    '/api/migrations/{resource}/stage',
    'Takes a step. Forward it goes through a gate, one step at a time; back always.',
    {
      resource: movingResource,
      stage: z.enum(stages),
      percent: percent.optional().describe('The share of a ramp; absent: that of the next step.'),
      operation: operation.optional(),
      force: z.boolean().optional().describe('Although the gate refuses it, or steps are left out.'),
      rev: rev.optional(),
      reason,
    },
    changed,
  ),
  'migrations.approve': changeAction(
    '/api/migrations/{resource}/approve',
    'Takes the step that another operator has asked for, where `approvals` asks for a second person.',
    {
      resource: movingResource,
      rev: rev.describe('The rev at which the status has shown this step: no other step is approved.'),
      reason,
    },
    changed,
  ),
  'migrations.rollback': changeAction(
    '/api/migrations/{resource}/rollback',
    'Goes back to the legacy source at once, and holds. Nothing is asked for.',
    {
      resource: movingResource,
      operation: operation.optional(),
      scope: z
        .enum(['fleet', 'local'])
        .default('fleet')
        .describe('local: in the processes of this gateway alone, where Redis is gone.'),
      force: z
        .boolean()
        .optional()
        .describe(
          'Also from `complete` if the legacy source answers, and within a minute of another rollback.',
        ),
      reason,
    },
    changed,
  ),
  'migrations.hold': changeAction(
    '/api/migrations/{resource}/hold',
    'No step forward from now on. A rollback stays possible.',
    { resource: movingResource, rev: rev.optional(), reason: because },
    changed,
  ),
  'migrations.resume': changeAction(
    '/api/migrations/{resource}/resume',
    'Ends a hold: somebody has looked at what was wrong.',
    { resource: movingResource, rev: rev.optional(), reason: because },
    changed,
  ),
  'migrations.preview': readAction(
    '/api/migrations/{resource}/preview',
    'Whom a share would reach, and which part of the traffic of the last hour that is.',
    preview,
    { resource: movingResource, percent },
  ),
  'migrations.diffs': readAction(
    '/api/migrations/{resource}/diffs',
    'The differences that were found, by path, kind and hint, with samples that hold no values.',
    differenceList,
    { resource: movingResource, operation: operation.optional(), kind: z.string().max(40).optional() },
  ),
  'migrations.ignore': changeAction(
    '/api/migrations/{resource}/rules',
    'Lets differences of a field not count, until a day.',
    {
      resource: movingResource,
      path: printable(1, 200).describe('Such as data.name, data[].name or meta.total.'),
      hint: z
        .enum(differenceHints)
        .optional()
        .describe('Only differences with this hint, such as numeric-equal; absent: all at the path.'),
      until: matching(/^\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\dZ)?$/, 'a day such as 2026-12-01').describe(
        'When it ends: a day, or an instant in UTC.',
      ),
      owner: printable(1, 100).optional().describe('Who has decided it; absent: the name of the token.'),
      reason: because,
    },
    z.strictObject({ rule: openObject, rev: z.int() }),
  ),
  'migrations.unignore': {
    ...changeAction(
      '/api/migrations/{resource}/rules/{id}',
      'Takes away a rule that was made while the gateway runs.',
      { resource: movingResource, id: printable(1, 60).describe('The id of the rule.'), reason },
      z.strictObject({ rev: z.int() }),
    ),
    method: 'delete',
  },
  'migrations.acknowledge': changeAction(
    '/api/migrations/{resource}/acknowledge',
    'Accepts by name what rules ignore, as `complete` asks.',
    {
      resource: movingResource,
      rules: z.array(printable(1, 200)).min(1).max(100).describe('Ids of rules; paths of those of the file.'),
      reason,
    },
    z.strictObject({ acknowledged: z.array(z.string()), rev: z.int() }),
  ),
  'migrations.start': changeAction(
    '/api/migrations/{resource}/tasks',
    'Starts long work; the status says how far it is.',
    {
      resource: movingResource,
      task: z
        .enum(['create', 'walk', 'ids', 'probe-edges', 'rehearse', 'replay'])
        .describe(
          'create: the check by which a migration begins. walk: compare all records, and the edges. ids: compare all records, and name those that differ, see `migrations.ids`. probe-edges: compare the edges alone: first and last pages, past the end, unknown ids and values, each sort and filter. rehearse: see the judge trip. replay: ask recorded questions.',
        ),
      queries: z
        .array(z.strictObject({ operation, query: z.string().max(2_000) }))
        .max(10_000)
        .optional()
        .describe('For replay.'),
      rps: z.int().min(1).max(1_000).optional().describe('For replay: questions a second.'),
      reason,
    },
    started,
  ),
  'migrations.ids': changeAction(
    '/api/migrations/{resource}/ids',
    'Hands over, once, what the last work `ids` of this process has found: ids, paths and kinds, no values.',
    { resource: movingResource, reason },
    z.strictObject({ differences: z.array(openObject) }),
  ),
  'migrations.explain': changeAction(
    '/api/migrations/{resource}/explain',
    'Asks both sources one question, and answers with the values. They are kept nowhere.',
    {
      resource: movingResource,
      operation,
      query: z.string().max(2_000).describe('Such as id=user_42, or limit=20&sort=name.'),
      reason,
    },
    openObject,
  ),
  'migrations.report': readAction(
    '/api/migrations/{resource}/report',
    'The report in one document, for those who must sign.',
    z.strictObject({ markdown: z.string() }),
    { resource: movingResource },
  ),
} as const;
