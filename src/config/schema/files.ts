// The schemas of the files that a gateway has beside its own: the module with own coercions, and what it keeps.

import * as z from 'zod';

/** The module whose functions source files call. */
export const coercions = z
  .string()
  .min(1)
  .optional()
  .describe(
    'A module of JavaScript with functions for the step `call` of source files: one file, by its path from the folder of this one, without variables.',
  );

/** What a gateway keeps on disk. */
export const state = z.strictObject({
  dir: z
    .string()
    .min(1)
    .optional()
    .describe(
      'A folder that outlives restarts. The last good configuration is kept there, as written. It is used if the files are broken at a start.',
    ),
});
