// Estimates how hard a token is to guess, so that weak tokens of operators are reported.

/** The entropy of one word from a list of 7,776 words (Diceware). */
const WORD_BITS = Math.log2(7_776);
const WORD = /^(?:[A-Z]?[a-z]{1,15}|[A-Z]{1,15})$/;
const NUMBER = /^[0-9]*$/;
/** The smallest alphabet that contains all characters of a token counts. The hyphens of a UUID add no entropy. */
const ALPHABETS: readonly (readonly [tokens: RegExp, size: number])[] = [
  [NUMBER, 10],
  [/^(?:[0-9a-f-]*|[0-9A-F-]*)$/, 16],
  [/^(?:[0-9a-z]*|[0-9A-Z]*)$/, 36],
];
const BASE64 = 64;

/**
 * The most bits of entropy that a token can have, estimated from its text. A text of words and numbers between separators
 * was probably made up by a person, so its words are counted; any other text counts as random characters.
 */
export function tokenBits(text: string): number {
  const digits = text.replace(/=+$/, '');
  const parts = digits.split(/[-._~+/]/);
  if (parts.every((part) => WORD.test(part) || NUMBER.test(part)))
    return parts.reduce(
      (sum, part) => sum + (NUMBER.test(part) ? part.length * Math.log2(10) : WORD_BITS),
      0,
    );
  const [, size = BASE64] = ALPHABETS.find(([tokens]) => tokens.test(digits)) ?? [];
  return (size === 16 ? digits.replaceAll('-', '') : digits).length * Math.log2(size);
}
