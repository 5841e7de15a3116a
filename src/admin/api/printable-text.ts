import * as z from 'zod';
import { deceptiveCharacters } from '../../kernel/control-characters.ts';

/** A text that people see in lists, of so many characters: with others it could forge what a terminal shows. */
export function printable(min: number, max: number): z.ZodString {
  const shape = new RegExp(`^[^${deceptiveCharacters}]{${min},${max}}$`, 'u');
  return z.string().regex(shape, `expected at most ${max} printable characters`);
}

/** Why somebody changes something; the audit shows it. */
export const reason = printable(1, 200).optional().describe('Why, for the audit.');
