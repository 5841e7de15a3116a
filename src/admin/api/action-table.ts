import * as z from 'zod';
import type { ActionSpec, DeepReadonly, Parsed } from './action.ts';
import { auditSpecs } from './audit-action-specs.ts';
import { callerSpecs } from './caller-action-specs.ts';
import { configSpecs } from './config-action-specs.ts';
import { figureSpecs } from './figure-specs.ts';
import { keySpecs } from './key-action-table.ts';
import { migrationSpecs } from './migration-action-specs.ts';
import { reason } from './printable-text.ts';
import { qualitySpecs } from './quality-specs.ts';
import { requestSpecs } from './request-action-specs.ts';

const disabledClaim = z.strictObject({
  ...{ source: z.string(), resource: z.string(), claim: z.string() },
  digest: z.string().describe('Of what the source file says: another file has other claims.'),
  at: z.string().describe('When it was disabled, in UTC.'),
  detail: z.string().describe('What contradicted it: never a value.'),
});

/** A purge tag: a resource, a record of it, or everything. */
const tag = z
  .string()
  .regex(
    /^(?:\*|[a-z]{1,40}(?:[:_].{1,600})?)$/u,
    'expected a tag such as users, user:42, or * for everything',
  );

const sourceName = z.string().min(1).max(40);

/** Every action of the operator's listener, by name. The routes and the OpenAPI document are made from this table. */
export const actionSpecs = {
  ...qualitySpecs,
  ...figureSpecs,
  'cache.purge': {
    method: 'post',
    path: '/api/cache/purge',
    role: 'operator',
    summary: 'Has every process forget the answers and scan caches that carry a tag, within half a second.',
    input: z.strictObject({ tag, reason }),
    output: z.strictObject({
      purged: z.string(),
      reached: z
        .strictObject({ processes: z.int(), answers: z.int(), scanCaches: z.int() })
        .optional()
        .describe(
          'How many answers and scan caches with the tag were in the memory of the processes of this gateway. Answers that are in Redis alone, and those of other gateways, are purged too, but not counted.',
        ),
    }),
  },
  claims: {
    method: 'get',
    path: '/api/claims',
    role: 'viewer',
    summary: 'The claims of source files that replies have contradicted.',
    input: z.strictObject({}),
    output: z.strictObject({ disabled: z.array(disabledClaim) }),
  },
  'claims.reset': {
    method: 'post',
    path: '/api/claims/reset',
    role: 'operator',
    summary: 'Believes disabled claims again, in every process; without a source or claim, all of them.',
    input: z.strictObject({
      source: sourceName.optional(),
      claim: z.string().min(1).max(200).optional(),
      reason,
    }),
    output: z.strictObject({ reset: z.array(disabledClaim) }),
  },
  ...keySpecs,
  ...migrationSpecs,
  ...requestSpecs,
  ...auditSpecs,
  ...configSpecs,
  ...callerSpecs,
} as const satisfies Readonly<Record<string, ActionSpec>>;

/**
 * What an action is called in the audit and between processes, such as `keys.create`; its method and path are in its
 * spec.
 */
export type ActionName = keyof typeof actionSpecs;

/** What an action is given, once it is checked. */
export type ActionInput<Name extends ActionName> = Parsed<(typeof actionSpecs)[Name]['input']>;

/** What somebody asks an action with. */
export type ActionRequest<Name extends ActionName> = DeepReadonly<
  z.input<(typeof actionSpecs)[Name]['input']>
>;

/** What an action answers. */
export type ActionValue<Name extends ActionName> = Parsed<(typeof actionSpecs)[Name]['output']>;

/** The specs with their names, in the order of the table. */
export const actionList = Object.entries(actionSpecs) as readonly (readonly [ActionName, ActionSpec])[];
