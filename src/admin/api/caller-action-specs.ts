// The specification of the action `callers`: who calls, how often, and how much of each limit is left.

import * as z from 'zod';
import { type Parsed, readAction } from './action.ts';

const limitWindow = z.strictObject({
  tier: z.string(),
  seconds: z.int().describe('The length of the window.'),
  limit: z.int().describe('How many requests it admits.'),
  remaining: z.int(),
  resetMs: z.int().describe('How long until all of it is free again.'),
});

const caller = z.strictObject({
  id: z.string().describe('The id of a key, `jwt:…`, or `anonymous`, as in the log.'),
  label: z.string().optional().describe('The label of its key.'),
  requests: z.int(),
  clientErrors: z
    .int()
    .describe(
      'Of these, with a status from 400 to 499: those over the limit are among them, and 499, whose client left before its answer.',
    ),
  serverErrors: z.int().describe('Of these, those whose answer had a status of 500 or more.'),
  errorShare: z.number().min(0).max(1).describe('The share of its requests that failed so.'),
  limited: z.int().describe('Of these, refused because of a rate limit.'),
  missedMax: z
    .int()
    .describe(
      'At most so many of its earlier requests are not counted: it was forgotten for a while, because others had more.',
    ),
  lastAt: z.string().describe('When its last request ended, in UTC.'),
  windows: z
    .array(limitWindow)
    .optional()
    .describe(
      'Its rate limit windows, as its last request saw them, less the time since. Absent: no limit applied.',
    ),
});

const callerList = z.strictObject({
  scope: z.enum(['process', 'workers', 'fleet']),
  since: z.string().describe('Since when is counted, in UTC.'),
  callers: z.array(caller).describe('The most requests first.'),
});

/** The answer of `callers`. */
export type CallerList = Parsed<typeof callerList>;

/** The action that lists callers. */
export const callerSpecs = {
  callers: readAction(
    '/api/callers',
    'The fifty callers with the most requests, their refused requests, and how many they may still send.',
    callerList,
    {},
  ),
} as const;
