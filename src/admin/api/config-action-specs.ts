// The specifications of the actions that show, check and reload the configuration; src/admin/actions/config-actions.ts
// implements them.

import * as z from 'zod';
import { changeAction, matching, type Parsed, readAction, reason } from './action.ts';

const duration = matching(/^\d{1,6}(?:ms|s|m)$/, 'a duration such as 500ms or 5s').describe(
  'How long to wait until every process serves the new configuration; default 5s.',
);

const flag = z.union([z.boolean(), z.enum(['true', 'false'])]).optional();

const change = z.looseObject({
  path: z
    .string()
    .describe('Its place in the files, such as `limits.tiers.standard`, or the source: `sources.crm`.'),
  kind: z.enum(['added', 'removed', 'changed']),
});

const digest = z.string().describe('The digest of the configuration in force.');
const processes = z.array(z.strictObject({ pid: z.int(), digest: z.string() }));
const waitingFor = z.int().describe('How many processes have not answered within the time.');
const problems = z.array(z.string()).describe('Why it is refused: file, line, what to write.');

const reloadOutcome = z.strictObject({
  kind: z.enum(['applied', 'unchanged', 'refused', 'dry-run']),
  rev: z.int().describe('The number of the configuration in force.'),
  digest,
  changes: z.array(change).describe('What is different, by its place in the files.'),
  problems: problems.optional(),
  resets: z
    .array(z.string())
    .describe(
      'Resources that move to another source and whose comparison counts begin anew, because their contract changes. Of a refused reload: nothing else hinders it, and `force` puts it in force.',
    ),
  processes,
  waitingFor,
});

const reloadEntry = z.strictObject({
  at: z.string().describe('When, in UTC.'),
  by: z.string().describe('The name of a token, or `local`, `signal`, `watch`; `start` for the first one.'),
  outcome: z.enum(['started', 'applied', 'unchanged', 'refused']),
  rev: z.int().describe('The number of the configuration in force afterwards.'),
  digest: z.string().describe('The digest of the configuration in force afterwards.'),
  changes: z.array(change).describe('What became different.'),
  problems: problems.optional(),
});

const files = z
  .array(z.strictObject({ name: z.string(), text: z.string() }))
  .describe(
    'The files, by the lines as they were written, without comments; each secret is `***`. Variables stand as `${NAME}`.',
  );

const configInForce = z.strictObject({
  scope: z.literal('workers').describe('All processes of this gateway.'),
  rev: z.int().describe('1 for the configuration of the start; one more with each that was put in force.'),
  digest,
  since: z.string().describe('Since when it is in force, in UTC.'),
  stale: z
    .strictObject({ since: z.string(), why: z.string() })
    .optional()
    .describe('Present where the files were refused, so that an older configuration is in force.'),
  processes: processes.describe('What each process serves.'),
  waitingFor,
  files,
  lastChange: z.array(change).describe('What the last change made different; empty since the start.'),
  reloads: z.array(reloadEntry).describe('The last 50 reloads, the newest first.'),
});

/** The answer of `config`. */
export type ConfigDetail = Parsed<typeof configInForce>;

/** The answer of `config.reload`. */
export type ReloadAnswer = Parsed<typeof reloadOutcome>;

/** The actions on the configuration. */
export const configSpecs = {
  config: readAction(
    '/api/config',
    'Which configuration is in force, which processes serve it, and the last reloads.',
    configInForce,
    {},
  ),
  'config.revision': readAction(
    '/api/config/revisions/{rev}',
    'The files of the configuration in force, or of one of the last ten before it.',
    z.strictObject({ rev: z.int(), files }),
    { rev: matching(/^\d{1,9}$/, 'the number of a revision').describe('Its number.') },
  ),
  'config.reload': {
    ...changeAction(
      '/api/config/reload',
      'Reads the configuration again, checks it, and puts it in force in every process; or changes nothing.',
      {
        dryRun: flag.describe('Only says what would become different.'),
        force: flag.describe(
          'Changes the contract of a resource, or ends its migration, even while it moves to another source: its comparison counts begin anew.',
        ),
        wait: duration.optional(),
        reason,
      },
      reloadOutcome,
    ),
    answers: {
      descriptions: {
        202: 'It is in force, and some processes have not said so within the time.',
        422: 'The files are refused: `problems` says why. Nothing has changed.',
      },
      statusOf(value: unknown) {
        const { kind, waitingFor } = value as ReloadAnswer;
        return kind === 'refused' ? 422 : waitingFor > 0 ? 202 : 200;
      },
    },
  },
} as const;
