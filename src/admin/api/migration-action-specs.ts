// The specification of each action on migrations; src/admin/actions/migration implements them.

import * as z from 'zod';
import { percent } from '../../config/schema/migration.ts';
import { stages } from '../../config/schema/migration-stages.ts';
import type { ActionSpec } from './action.ts';
import { differenceHints } from '../../migration/compare/hint.ts';
import {
  anything,
  differenceList,
  migrationList,
  position,
  replicas,
  resource,
  status,
  task,
} from './migration-schemas.ts';
import { printable, reason } from './printable-text.ts';

const operation = z
  .string()
  .regex(/^[a-z]{1,40}\.[a-z]{1,40}$/, 'expected an operation such as users.list')
  .describe('Only this operation of it, such as users.list.');
const rev = z.int().min(0).describe('Only if the state still has this rev.');
/** What an operator must say where the audit has to tell why. */
const because = printable(1, 200).describe('Why; the audit keeps it.');
const changed = z.strictObject({
  ...{ resource, rev: z.int(), ...position.shape, replicas },
  ms: z.int().describe('How long it took until the processes of `replicas.atRev` had it.'),
});
const started = z.strictObject({ task });

/** The actions on migrations: method, path, role, and the schemas of input and output. */
export const migrationSpecs = {
  migrations: {
    method: 'get',
    path: '/api/migrations',
    role: 'viewer',
    summary: 'The resources that move from one source to another, and where they are.',
    input: z.strictObject({}),
    output: migrationList,
  },
  'migrations.status': {
    method: 'get',
    path: '/api/migrations/{resource}',
    role: 'viewer',
    summary: 'Where a migration is, what its next step asks for, and what was compared.',
    input: z.strictObject({ resource, operation: operation.optional() }),
    output: status,
  },
  'migrations.stage': {
    method: 'post',
    path: '/api/migrations/{resource}/stage',
    role: 'operator',
    summary: 'Takes a step. Forward it goes through a gate, one step at a time; back always.',
    input: z.strictObject({
      resource,
      stage: z.enum(stages),
      percent: percent.optional().describe('The share of a ramp; absent: that of the next step.'),
      operation: operation.optional(),
      force: z.boolean().optional().describe('Although the gate refuses it, or steps are left out.'),
      rev: rev.optional(),
      reason,
    }),
    output: changed,
  },
  'migrations.rollback': {
    method: 'post',
    path: '/api/migrations/{resource}/rollback',
    role: 'operator',
    summary: 'Goes back to the legacy source at once, and holds. Nothing is asked for.',
    input: z.strictObject({
      resource,
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
    }),
    output: changed,
  },
  'migrations.hold': {
    method: 'post',
    path: '/api/migrations/{resource}/hold',
    role: 'operator',
    summary: 'No step forward from now on. A rollback stays possible.',
    input: z.strictObject({ resource, rev: rev.optional(), reason: because }),
    output: changed,
  },
  'migrations.resume': {
    method: 'post',
    path: '/api/migrations/{resource}/resume',
    role: 'operator',
    summary: 'Ends a hold: somebody has looked at what was wrong.',
    input: z.strictObject({ resource, rev: rev.optional(), reason: because }),
    output: changed,
  },
  'migrations.preview': {
    method: 'get',
    path: '/api/migrations/{resource}/preview',
    role: 'viewer',
    summary: 'Whom a share would reach, and which part of the traffic of the last hour that is.',
    input: z.strictObject({
      resource,
      percent,
    }),
    output: anything,
  },
  'migrations.diffs': {
    method: 'get',
    path: '/api/migrations/{resource}/diffs',
    role: 'viewer',
    summary: 'The differences that were found, by path, kind and hint, with samples that hold no values.',
    input: z.strictObject({
      resource,
      operation: operation.optional(),
      kind: z.string().max(40).optional(),
    }),
    output: differenceList,
  },
  'migrations.ignore': {
    method: 'post',
    path: '/api/migrations/{resource}/rules',
    role: 'operator',
    summary: 'Lets differences of a field not count, until a day.',
    input: z.strictObject({
      resource,
      path: printable(1, 200).describe('Such as data.name, data[].name or meta.total.'),
      hint: z
        .enum(differenceHints)
        .optional()
        .describe('Only differences with this hint, such as numeric-equal; absent: all at the path.'),
      until: z
        .string()
        .regex(/^\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\dZ)?$/, 'expected a day such as 2026-12-01')
        .describe('When it ends: a day, or an instant in UTC.'),
      owner: printable(1, 100).optional().describe('Who has decided it; absent: the name of the token.'),
      reason: because,
    }),
    output: z.strictObject({ rule: anything, rev: z.int() }),
  },
  'migrations.unignore': {
    method: 'delete',
    path: '/api/migrations/{resource}/rules/{id}',
    role: 'operator',
    summary: 'Takes away a rule that was made while the gateway runs.',
    input: z.strictObject({ resource, id: printable(1, 60).describe('The id of the rule.'), reason }),
    output: z.strictObject({ rev: z.int() }),
  },
  'migrations.acknowledge': {
    method: 'post',
    path: '/api/migrations/{resource}/acknowledge',
    role: 'operator',
    summary: 'Accepts by name what rules ignore, as `complete` asks.',
    input: z.strictObject({
      resource,
      rules: z.array(printable(1, 200)).min(1).max(100).describe('Ids of rules; paths of those of the file.'),
      reason,
    }),
    output: z.strictObject({ acknowledged: z.array(z.string()), rev: z.int() }),
  },
  'migrations.start': {
    method: 'post',
    path: '/api/migrations/{resource}/tasks',
    role: 'operator',
    summary: 'Starts long work; the status says how far it is.',
    input: z.strictObject({
      resource,
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
    }),
    output: started,
  },
  'migrations.ids': {
    method: 'post',
    path: '/api/migrations/{resource}/ids',
    role: 'operator',
    summary:
      'Hands over, once, what the last work `ids` of this process has found: ids, paths and kinds, no values.',
    input: z.strictObject({ resource, reason }),
    output: z.strictObject({ differences: z.array(anything) }),
  },
  'migrations.explain': {
    method: 'post',
    path: '/api/migrations/{resource}/explain',
    role: 'operator',
    summary: 'Asks both sources one question, and answers with the values. They are kept nowhere.',
    input: z.strictObject({
      resource,
      operation,
      query: z.string().max(2_000).describe('Such as id=user_42, or limit=20&sort=name.'),
      reason,
    }),
    output: anything,
  },
  'migrations.report': {
    method: 'get',
    path: '/api/migrations/{resource}/report',
    role: 'viewer',
    summary: 'The evidence in one document, for those who must sign.',
    input: z.strictObject({ resource }),
    output: z.strictObject({ markdown: z.string() }),
  },
} as const satisfies Readonly<Record<string, ActionSpec>>;
