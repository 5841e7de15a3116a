import * as z from 'zod';
import { pathTemplate, queryTemplate } from '../elements/request.ts';
import { headerName } from '../elements/scalars.ts';

/**
 * Where a reply shows that the service still accepts Portico's credential. This is needed because some services answer an
 * expired credential with 200 and only the rows that an anonymous visitor may see.
 */
export const proof = z
  .strictObject({
    at: z
      .string()
      .min(1)
      .optional()
      .describe('A path into the body. Something other than null, false or an empty text stands there.'),
    header: headerName.optional().describe('A header, in place of `at`.'),
    equals: z
      .union([z.string(), z.number(), z.boolean()])
      .optional()
      .describe('The value that stands there, such as the name of the account.'),
    request: z
      .strictObject({
        path: pathTemplate.describe('Appended to net.baseUrl, such as /me. It is asked by GET.'),
        query: queryTemplate.default({}).describe('Constant parameters.'),
      })
      .optional()
      .describe(
        'A request whose reply has the place. It is asked before the first answer, then once a minute while the source is asked, and when the total of the list falls.',
      ),
  })
  .refine(
    ({ at, header }) => (at === undefined) !== (header === undefined),
    'a proof stands at one place: give one of `at` and `header`',
  )
  .meta({
    id: 'proof',
    description:
      'Shows in replies that the source knows the credential. Without `request`, every reply of the source has it. A reply without it is the outcome `unauthorized`.',
  });

/** `proof` of a source's `auth`, as it was parsed. */
export type ProofSpec = z.infer<typeof proof>;
