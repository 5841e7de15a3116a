import { z } from 'zod';
import type { ActionSpec } from './action.ts';
import { figureSpecs, qualityTrend } from './figure-specs.ts';
import { keySpecs } from './key-action-table.ts';
import { migrationSpecs } from './migration-action-specs.ts';
import { reason } from './printable-text.ts';
import { requestSpecs } from './request-action-specs.ts';

const anything = z.looseObject({});

const fallenClaim = z.strictObject({
  ...{ source: z.string(), resource: z.string(), claim: z.string() },
  digest: z.string().describe('Of what the source file says: another file has other claims.'),
  at: z.string().describe('When it fell, in UTC.'),
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

const duration = z
  .string()
  .regex(/^\d{1,6}(?:ms|s|m)$/, 'expected a duration such as 500ms or 5s')
  .describe('How long to wait until every process serves the new configuration; default 5s.');

const reloadOutcome = z.strictObject({
  kind: z.enum(['applied', 'unchanged', 'refused', 'dry-run']),
  rev: z.int().describe('The number of the configuration in force.'),
  digest: z.string().describe('The digest of the configuration in force.'),
  changes: z.array(anything).describe('What is different, by its place in the files.'),
  problems: z.array(z.string()).optional().describe('Why it is refused: file, line, what to write.'),
  processes: z.array(z.strictObject({ pid: z.int(), digest: z.string() })),
  waitingFor: z.int().describe('How many processes have not answered within the time.'),
});

/** Every action of the operator's listener, by name. The routes and the OpenAPI document are made from this table. */
export const actionSpecs = {
  quality: {
    method: 'get',
    path: '/api/quality',
    alias: '/quality',
    role: 'viewer',
    summary: 'How well the replies of each source fit its file, since the start.',
    input: z.strictObject({}),
    output: z.strictObject({ sources: z.array(anything), trend: qualityTrend.optional() }),
  },
  ...figureSpecs,
  'cache.purge': {
    method: 'post',
    path: '/api/cache/purge',
    alias: '/cache/purge',
    role: 'operator',
    summary: 'Has every process forget the answers and row sets that carry a tag, within half a second.',
    input: z.strictObject({ tag, reason }),
    output: z.strictObject({
      purged: z.string(),
      reached: z
        .strictObject({ processes: z.int(), answers: z.int(), rowSets: z.int() })
        .describe(
          'How many answers and row sets with the tag were in the memory of the processes of this gateway. Answers that are in Redis alone, and those of other gateways, are purged too, but not counted.',
        ),
    }),
  },
  claims: {
    method: 'get',
    path: '/api/claims',
    alias: '/claims',
    role: 'viewer',
    summary: 'The claims of source files that replies have contradicted.',
    input: z.strictObject({}),
    output: z.strictObject({ fallen: z.array(fallenClaim) }),
  },
  'claims.reset': {
    method: 'post',
    path: '/api/claims/reset',
    alias: '/claims/reset',
    role: 'operator',
    summary: 'Believes fallen claims again, in every process; without a source or claim, all of them.',
    input: z.strictObject({
      source: sourceName.optional(),
      claim: z.string().min(1).max(200).optional(),
      reason,
    }),
    output: z.strictObject({ reset: z.array(fallenClaim) }),
  },
  ...keySpecs,
  ...migrationSpecs,
  ...requestSpecs,
  audit: {
    method: 'get',
    path: '/api/audit',
    role: 'viewer',
    summary:
      'Who changed what: the kept lines of the audit, the oldest first, and whether their chain is intact.',
    input: z.strictObject({
      since: z.string().max(40).optional().describe('A span such as 24h, or an instant.'),
    }),
    output: z.strictObject({
      lines: z.array(z.string()).describe('Each a text of JSON; its SHA-256 is `previous` of the next line.'),
      chain: z.discriminatedUnion('kind', [
        z.strictObject({ kind: z.literal('empty') }),
        z.strictObject({
          kind: z.literal('intact'),
          first: z.int().describe('The first line that is kept; earlier ones have made room.'),
          last: z.int(),
          digest: z.string().describe('SHA-256 of the last line.'),
        }),
        z.strictObject({ kind: z.literal('broken'), number: z.int() }),
      ]),
    }),
  },
  'config.reload': {
    method: 'post',
    path: '/api/config/reload',
    role: 'operator',
    summary:
      'Reads the configuration again, checks it, and puts it in force in every process; or changes nothing.',
    input: z.strictObject({
      dryRun: z
        .union([z.boolean(), z.enum(['true', 'false'])])
        .optional()
        .describe('Only says what would become different.'),
      wait: duration.optional(),
    }),
    output: reloadOutcome,
    answers: {
      descriptions: {
        202: 'It is in force, and some processes have not said so within the time.',
        422: 'The files are refused: `problems` says why. Nothing has changed.',
      },
      statusOf(value) {
        const { kind, waitingFor } = value as z.output<typeof reloadOutcome>;
        return kind === 'refused' ? 422 : waitingFor > 0 ? 202 : 200;
      },
    },
  },
} as const satisfies Readonly<Record<string, ActionSpec>>;

export type ActionName = keyof typeof actionSpecs;

type DeepReadonly<T> = T extends object ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> } : T;

/** What an action is given, once it is checked. */
export type ActionInput<Name extends ActionName> = DeepReadonly<
  z.output<(typeof actionSpecs)[Name]['input']>
>;

/** What somebody asks an action with. */
export type ActionRequest<Name extends ActionName> = DeepReadonly<
  z.input<(typeof actionSpecs)[Name]['input']>
>;

/** What an action answers. */
export type ActionValue<Name extends ActionName> = DeepReadonly<
  z.output<(typeof actionSpecs)[Name]['output']>
>;

/** The specs with their names, in the order of the table. */
export const actionList = Object.entries(actionSpecs) as readonly (readonly [ActionName, ActionSpec])[];
