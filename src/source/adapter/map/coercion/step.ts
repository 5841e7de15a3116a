// What a step of a mapping is. A mapping runs the steps of a field one after the other: the first gets the legacy value, each
// other one what the step before has made of it.

import type { Decimal } from '../../../../kernel/decimal.ts';
import type { Json } from '../../../../kernel/json/json.ts';
import { scalarText } from '../../../../kernel/json/values.ts';

/** The result of a step that cannot read its value, because the value does not match the source file. */
export const UNREADABLE = Symbol('unreadable');

/** A value between two steps: a legacy value, a decimal, several values to be joined, or the failure. */
export type StepValue = Json | Decimal | undefined | typeof UNREADABLE;

/** One compiled step. `null` means "known to be unknown"; every step except `default` passes it on. */
export type Step = (value: StepValue) => StepValue;

/**
 * The kind of value that a step yields. Portico checks that the last kind of a chain of steps fits the field; of `any`, which a
 * function yields, each value is checked.
 */
export type StepKind = 'same' | 'text' | 'decimal' | 'instant' | 'date' | 'any';

/** A step with the kind of its results. `run` returns `UNREADABLE` for a value that it cannot read. */
export type CompiledStep = { readonly run: Step; readonly yields: StepKind };

/** Creates a step for texts and numbers; every other value is unreadable. */
export function onText(read: (text: string) => StepValue): Step {
  return (value) => {
    if (value === null) return null;
    const text = scalarText(value);
    return text === undefined ? UNREADABLE : read(text);
  };
}
