// The schemas of requests to a source, in which values such as `{offset}` are filled in for each call.

import * as z from 'zod';
import { hasControl } from '../../../kernel/control-characters.ts';
import { addedHeaderName, headerValue } from './scalars.ts';

/** Query parameters as templates. Variables such as `{offset}` are filled in and escaped for their position. */
export const queryTemplate = z.record(z.string().min(1), z.union([z.string(), z.number().transform(String)]));

/**
 * The body of a POST. Its one main key says the format. Parts of JSON and fields of a form are left out if their variable
 * has no value.
 */
export const requestBody = z.union([
  z.strictObject({
    json: z.json().describe('A tree whose texts and keys are templates; "{limit}" alone becomes a number.'),
  }),
  z.strictObject({
    form: queryTemplate.describe('Fields as templates (application/x-www-form-urlencoded).'),
  }),
  z.strictObject({
    xml: z.string().describe('Values are escaped; an element around an absent variable is removed.'),
    contentType: headerValue.optional().describe('Default: text/xml; charset=utf-8.'),
  }),
]);

/** A path as a template. */
export const pathTemplate = z
  .string()
  .regex(/^\/[^?#\s]*$/, 'expected a path that starts with / and has no query; put parameters under `query`')
  .refine((text) => !hasControl(text), 'expected a path without control characters');

/**
 * A request to a source, as templates. The allowed variables depend on the place of the request in the file. They are
 * checked when the adapter is compiled.
 */
export const request = z
  .strictObject({
    method: z.enum(['GET', 'POST']).default('GET').describe('POST only if the source is read by POST.'),
    path: pathTemplate.describe('Appended to net.baseUrl. `{id}` stands for the native id, percent-encoded.'),
    query: queryTemplate
      .default({})
      .describe('Names and values are templates; a parameter whose variable has no value is left out.'),
    headers: z
      .record(addedHeaderName, headerValue)
      .default({})
      .describe('Headers as templates, such as a Range.'),
    body: requestBody.optional().describe('The body of a POST: JSON, a form, or XML.'),
  })
  .meta({ id: 'request' });

/** A constant that a value of a source is compared with or replaced by. It is no list and no map. */
export const literal = z.union([z.string(), z.number(), z.boolean(), z.null()]);
