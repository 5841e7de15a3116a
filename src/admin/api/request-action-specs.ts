// The specifications of the actions on single requests: list, show, explain, and the runbook.

import * as z from 'zod';
import { matching, type Parsed, printable, readAction, reason, utcTime } from './action.ts';
import { explanation } from './explain-schema.ts';
import { errorCodes } from '../../kernel/errors/catalogue.ts';
import { failureOfRequest, requestSummary, timedRequest } from '../../telemetry/requests/request-trace.ts';
import { scope } from './metric-specs.ts';

const trace = requestSummary.extend({
  scope,
  ...timedRequest,
  error: z
    .strictObject({
      code: z.string(),
      ...failureOfRequest,
      entry: z.string().describe('The entry of the runbook.'),
    })
    .optional(),
});

const requestList = z.strictObject({
  scope,
  since: utcTime.describe('Of the oldest request that may be among them.'),
  until: utcTime.optional().describe('Absent: now.'),
  completeSince: utcTime
    .optional()
    .describe(
      'Since when all are kept. Older ones may be gone, so a count of them is no total. Absent: none is gone.',
    ),
  slowMs: z.int().describe('From how many milliseconds on a request counts as slow.'),
  notes: z.array(z.string()).describe('What may be missing, and why.'),
  requests: z.array(requestSummary),
});

/** The answer of `requests`. */
export type RequestList = Parsed<typeof requestList>;

/** The answer of `request`. */
export type RequestDetail = Parsed<typeof trace>;

const limit = matching(/^(?:[1-9]\d{0,2}|1000)$/, 'a number from 1 to 1000')
  .optional()
  .describe('How many, the newest first; default 100.');
const name = z.string().regex(/^[\w.:-]{1,80}$/);

/** The actions on single requests: what failed or was slow, why, and what a query would cost. */
export const requestSpecs = {
  requests: readAction('/api/requests', 'Requests that failed or were slow, the newest first.', requestList, {
    since: z.string().max(40).optional().describe('A span such as 2h, or an instant.'),
    until: z.string().max(40).optional().describe('The same; default: now.'),
    status: matching(
      /^(?:[1-5]\d\d|[1-5]xx|slow|failed)$/,
      'a status such as 504, a class such as 5xx, slow, or failed: 5xx and slow',
    ).optional(),
    operation: name.optional(),
    code: z.enum(errorCodes).optional(),
    source: name.optional(),
    caller: printable(1, 200).optional(),
    limit,
  }),
  request: readAction(
    '/api/requests/{id}',
    'One of these requests, by its id or that of its trace: its timings, its error, and how it was read.',
    trace,
    {
      id: matching(
        /^[A-Za-z0-9._-]{1,64}$/,
        'a request id such as req_…, or a trace id of 32 characters',
      ).describe("The id of the request, the caller's own id of it, or the id of its trace."),
    },
  ),
  explain: {
    method: 'post',
    path: '/api/explain',
    role: 'viewer',
    summary:
      'What becomes of a request: plan, upstream calls, claims, budget. With `live`, which needs the role operator, the source is asked; the audit names who did.',
    input: z.strictObject({
      request: z
        .string()
        .min(1)
        .max(4_000)
        .describe('Such as GET /v1/users?sort=name, percent-encoded; without a method it is a GET.'),
      live: z.boolean().optional().describe('Asks the source. Values of records are shown as ***.'),
      reason,
    }),
    output: explanation,
  },
  runbook: readAction(
    '/api/runbook/{entry}',
    'An entry of the runbook: what an error code or an alert means, what to look at, what to do.',
    z.strictObject({ entry: z.string(), title: z.string(), text: z.string().describe('Markdown.') }),
    { entry: matching(/^\w{1,60}$/, 'an error code or the name of an alert') },
  ),
} as const;
