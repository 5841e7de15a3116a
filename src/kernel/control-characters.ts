// Finds control characters in texts, and makes them visible before a text is shown in a terminal.

const CONTROL = /\p{Cc}/u;
/** Tabs and line breaks are control characters, too, but ordinary texts hold them. */
const UNPRINTABLE = /[\p{Cc}--[\t\n\r]]/v;

/** Whether a text holds a control character (Unicode category Cc): U+0000 to U+001F and U+007F to U+009F. */
export function hasControl(text: string): boolean {
  return CONTROL.test(text);
}

/** Whether a text holds a control character other than a tab or a line break. */
export function hasUnprintable(text: string): boolean {
  return UNPRINTABLE.test(text);
}

/**
 * The characters that break or reorder a line of a terminal (control characters, line separators, marks of writing direction), as
 * the inside of a character class of a Unicode RegExp.
 */
export const deceptiveCharacters = String.raw`\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069`;

const DECEPTIVE = new RegExp(`[${deceptiveCharacters}]`, 'gu');

/** A text for one line of a terminal. A character that could forge other lines is written as its code point. */
export function singleLine(text: string): string {
  return text.replace(DECEPTIVE, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}
