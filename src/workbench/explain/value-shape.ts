// Says what a value looks like without saying what it is, so that `quality --live` and `infer` show no personal data.

import { type Json, NumberText } from '../../kernel/json/json.ts';

/** The shape of a text without the text: a letter for each letter, 9 for each digit. Longer texts are cut. */
export function maskText(text: string, lengthMax = 40): string {
  const cut = text.length > lengthMax ? `${text.slice(0, lengthMax)}…` : text;
  return cut
    .replaceAll(/\p{L}|\p{M}/gu, (letter) => (/\p{Lu}/u.test(letter) ? 'A' : 'a'))
    .replaceAll(/\p{N}/gu, '9')
    .replaceAll(/[^\x20-\x7e…]/g, '?');
}

/** The shape of a value without the value: `"99.99.9999"` for a text, `99.9` for a number, `a list of 2`. */
export function valueShape(value: Json): string {
  if (typeof value === 'string') return `"${maskText(value)}"`;
  if (typeof value === 'number') return maskText(String(value));
  if (value instanceof NumberText) return maskText(value.text);
  if (typeof value === 'boolean') return 'true or false';
  if (value === null) return 'null';
  return Array.isArray(value) ? `a list of ${value.length}` : 'a map';
}
