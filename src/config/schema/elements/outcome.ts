// The schema of `outcomes` in a source file: the rules that say what a reply means.

import * as z from 'zod';
import { condition } from './rows.ts';
import { headerName, integer } from './scalars.ts';

/** A response rule of a source file (`outcomes`): what a reply with this status or content means. */
export const outcome = z
  .strictObject({
    status: z
      .union([integer(100, 599), z.enum(['2xx', '3xx', '4xx', '5xx'])])
      .optional()
      .describe('The status of the reply; absent: any.'),
    on: z.enum(['list', 'get']).optional().describe('Only for this kind of request.'),
    at: z.string().optional().describe('A path into the body, to be compared with `equals`.'),
    ...condition,
    is: z
      .enum([
        'ok',
        'not_found',
        'past_end',
        'unauthorized',
        'rate_limited',
        'unavailable',
        'client_bug',
        'error',
      ])
      .describe(
        'What a reply that fits means. The first rule that fits decides; a reply that fits none is a failure.',
      ),
    resetAt: z
      .strictObject({
        header: headerName.describe('The header.'),
        unit: z
          .enum(['seconds', 'milliseconds', 'epochSeconds', 'epochMilliseconds'])
          .describe(
            'seconds, milliseconds: from now. epochSeconds, epochMilliseconds: the moment, since 1970.',
          ),
      })
      .optional()
      .describe(
        'rate_limited, unavailable: where the reply says when to ask again; without it, in Retry-After.',
      ),
  })
  .meta({ id: 'outcome' });
