// The form of drafted steps (`as` in a `map`), and what the files share that draft them, such as the texts for "no value".

import type { Json } from '../../../kernel/json/json.ts';
import { scalarText } from '../../../kernel/json/values.ts';
import type { Remark } from '../notes/note.ts';

/** The coercion steps for a field, with notes for the operator. */
export type CoercionSteps = {
  readonly as: readonly unknown[];
  /** With those on steps that may be needed (`isOfSteps`), about which only the operator can decide. */
  readonly remarks: readonly Remark[];
};

/**
 * Texts that services write for "no value". Of all other texts, only codes appear in a draft. What empty texts
 * mean is decided for all fields at once.
 */
export const NULL_TEXTS: readonly string[] = '- -- N/A n/a null NULL none None undefined'.split(' ');

/** Texts that are never a real value. */
export const NULL_SIGNS: readonly string[] = ['-', '--', 'N/A', 'n/a'];

/** The values that mean "no value", in the form of `nullIf`. */
export function nullValues(
  values: readonly Json[],
  words: readonly string[],
): readonly (string | number | boolean)[] {
  const found = new Set<string | number | boolean>();
  for (const value of values) {
    if (value === false) found.add(false);
    const text = scalarText(value)?.trim();
    if (text === undefined || !words.includes(text)) continue;
    found.add(text);
    // If a number means "no value", another view may write it as a text.
    if (text === '0') found.add(0);
  }
  return [...found].sort((a, b) => words.indexOf(String(a)) - words.indexOf(String(b)));
}

/** The step for values that mean "no value"; none if there are none. */
export const nullIf = (found: readonly unknown[]) => (found.length === 0 ? [] : [{ nullIf: [...found] }]);

/** Whether a value is a text with white space before or after it. */
export const isPadded = (value: Json) => typeof value === 'string' && value !== value.trim();

/** The texts of values, without those that mean "no value". */
export const plainTexts = (values: readonly Json[], absent: readonly unknown[]) =>
  values.flatMap((value) => {
    const text = scalarText(value)?.trim();
    return text === undefined || absent.map(String).includes(text) ? [] : [text];
  });
