import type { Random } from './random.ts';

/** A text in a legacy row: present, null, or (`undefined`) without its key. */
export type LegacyText = string | null | undefined;

/** A random form of "no text" in a legacy row. */
export function noText(random: Random): LegacyText {
  return random.pick([null, '', undefined]);
}

/** The text; in one row out of ten with spaces before or after it. */
export function padded(random: Random, text: string): string {
  if (!random.chance(0.1)) return text;
  return random.pick([` ${text}`, `${text} `, `  ${text}   `]);
}
