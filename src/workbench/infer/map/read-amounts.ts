// Recognises how texts write amounts, such as 1.299,00, for the mapping that `infer` drafts.

const GROUPS = ['', '.', ',', ' ', "'"] as const;

function formOf(decimal: '.' | ',', group: string): RegExp {
  const grouped = group === '' ? '' : `\\d{1,3}(?:[${group}]\\d{3})+|`;
  return new RegExp(`^-?(?:${grouped}\\d+)(?:[${decimal}]\\d+)?$`);
}

/** A text that is another number if the dot or comma has the other meaning. */
const COULD_BE_EITHER = /^-?\d{1,3}[.,]\d{3}$/;
const UNAMBIGUOUS = /[.,]\d{1,2}$|[.,]\d{4,}$|\d[.,]\d{3}[.,]/;

/**
 * How most of the texts write numbers, in the words of the step `number`, with the share of the texts that are written so;
 * `undefined` if no form matches. `ambiguous`: 1.234 may be a thousand or a fraction.
 */
export function amountForm(texts: readonly string[]) {
  let best: { decimal: '.' | ','; group: (typeof GROUPS)[number]; fitting: number } | undefined;
  for (const decimal of ['.', ','] as const) {
    for (const group of GROUPS) {
      if (group === decimal) continue;
      const form = formOf(decimal, group);
      const fitting = texts.filter((text) => form.test(text)).length;
      if (fitting > (best?.fitting ?? 0)) best = { decimal, group, fitting };
    }
  }
  if (best === undefined) return undefined;
  const ambiguous =
    texts.some((text) => COULD_BE_EITHER.test(text)) && !texts.some((text) => UNAMBIGUOUS.test(text));
  return { decimal: best.decimal, group: best.group, ambiguous, share: best.fitting / texts.length };
}
