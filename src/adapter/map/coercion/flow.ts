import type { Decimal } from '../../../kernel/decimal.ts';
import { type Json, NumberText } from '../../../kernel/json/json.ts';

/** A legacy value that does not read as the source's configuration says. */
export const UNREADABLE = Symbol('unreadable');

/** What flows between steps: a legacy value, a decimal, several values to be joined, or the failure. */
export type StepValue = Json | Decimal | undefined | typeof UNREADABLE;

/** One compiled step. `null` means "known to be unknown" and is passed on by every step but `default`. */
export type Step = (value: StepValue) => StepValue;

/** What a step yields, so that a chain can be checked against the field it feeds. */
export type StepKind = 'same' | 'text' | 'decimal' | 'instant';

export type CompiledStep = { readonly run: Step; readonly yields: StepKind };

/** The text of a text or number. */
export function textOf(value: StepValue): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return String(value);
  return value instanceof NumberText ? value.text : undefined;
}

/** A step that works on texts and numbers and calls everything else unreadable. */
export function onText(read: (text: string) => StepValue): Step {
  return (value) => {
    if (value === null) return null;
    const text = textOf(value);
    return text === undefined ? UNREADABLE : read(text);
  };
}
