import { z } from 'zod';
import type { ActionSpec } from './action.ts';

const anything = z.looseObject({});

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
  quality: {
    method: 'get',
    path: '/api/quality',
    alias: '/quality',
    role: 'viewer',
    summary: 'How well the replies of each source fit its file, since the start.',
    input: z.strictObject({}),
    output: z.strictObject({ sources: z.array(anything) }),
  },
  'cache.purge': {
    method: 'post',
    path: '/api/cache/purge',
    alias: '/cache/purge',
    role: 'operator',
    summary: 'Has every process forget the answers and row sets that carry a tag, within half a second.',
    input: z.strictObject({ tag }),
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
    output: z.strictObject({ fallen: z.array(anything) }),
  },
  'claims.reset': {
    method: 'post',
    path: '/api/claims/reset',
    alias: '/claims/reset',
    role: 'operator',
    summary: 'Believes fallen claims again, in every process; without a source or claim, all of them.',
    input: z.strictObject({ source: sourceName.optional(), claim: z.string().min(1).max(200).optional() }),
    output: z.strictObject({ reset: z.array(anything) }),
  },
} as const satisfies Readonly<Record<string, ActionSpec>>;

export type ActionName = keyof typeof actionSpecs;

/** What an action is given, once it is checked. */
export type ActionInput<Name extends ActionName> = z.output<(typeof actionSpecs)[Name]['input']>;

/** What an action answers. */
export type ActionValue<Name extends ActionName> = z.output<(typeof actionSpecs)[Name]['output']>;

/** The specs with their names, in the order of the table. */
export const actionList = Object.entries(actionSpecs) as readonly (readonly [ActionName, ActionSpec])[];
