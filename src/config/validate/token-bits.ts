/** A word of a list of 7,776 (Diceware). */
const WORD_BITS = Math.log2(7_776);
const WORD = /^(?:[A-Z]?[a-z]{1,15}|[A-Z]{1,15})$/;
const NUMBER = /^[0-9]*$/;
/** The smallest alphabet that has all digits of a token counts; the separators of a UUID are none. */
const ALPHABETS: readonly (readonly [tokens: RegExp, size: number])[] = [
  [NUMBER, 10],
  [/^(?:[0-9a-f-]*|[0-9A-F-]*)$/, 16],
  [/^(?:[0-9a-z]*|[0-9A-Z]*)$/, 36],
];
const BASE64 = 64;

/**
 * The most bits of entropy that a token can have, estimated from its text: random digits of an alphabet, or words and numbers
 * between separators, which is how people make one up.
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
