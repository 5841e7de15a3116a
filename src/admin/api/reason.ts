import { z } from 'zod';

/** Why somebody changes something; the audit shows it. */
export const reason = z
  .string()
  .regex(/^[^\p{Cc}]{1,200}$/u, 'expected at most 200 printable characters')
  .optional()
  .describe('Why, for the audit.');
