import type { Random } from './random.ts';

/** A text as legacy rows hold it: there, null, or (`undefined`) with its key left out. */
export type LegacyText = string | null | undefined;

/** One of the ways in which a legacy row has no text. */
export function noText(random: Random): LegacyText {
  return random.pick([null, '', undefined]);
}

/** The text, in one row out of ten with spaces before or behind it. */
export function padded(random: Random, text: string): string {
  if (!random.chance(0.1)) return text;
  return random.pick([` ${text}`, `${text} `, `  ${text}   `]);
}
