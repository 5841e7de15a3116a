// The steps that read numbers as exact decimals.

import { Decimal } from '../../../../kernel/decimal.ts';
import { NumberText } from '../../../../kernel/json/json.ts';
import { type StepValue, type Step, UNREADABLE } from './step.ts';

/** Reads a text in plain notation, such as `-12.50`, as an exact decimal. */
export function readDecimal(text: string): Decimal | typeof UNREADABLE {
  return Decimal.parse(text.trim()) ?? UNREADABLE;
}

/** Reads a JSON number as an exact decimal. */
export function readNumber(value: StepValue): Decimal | typeof UNREADABLE {
  if (typeof value === 'number') return readDecimal(String(value));
  return value instanceof NumberText ? (Decimal.parseJson(value.text) ?? UNREADABLE) : UNREADABLE;
}

/**
 * Creates the step that reads digits, grouped or not, with the declared decimal character, because a guess could read `1.234` as
 * 1234. JSON numbers are read as they are.
 */
export function compileNumber(decimal: string, group: string): Step {
  const grouped = group === '' ? '' : `\\d{1,3}(?:[${group}]\\d{3})+|`;
  const form = new RegExp(`^-?(?:${grouped}\\d+)(?:[${decimal}]\\d+)?$`);
  return (value) => {
    if (value === null) return null;
    if (typeof value !== 'string') return readNumber(value);
    const text = value.trim();
    if (!form.test(text)) return UNREADABLE;
    return readDecimal(text.replaceAll(group, '').replace(decimal, '.'));
  };
}

/** Reads a whole number of cents as a decimal. */
export function readCents(text: string): StepValue {
  return /^-?\d+$/.test(text.trim()) ? (Decimal.parse(text.trim())?.shifted(2) ?? UNREADABLE) : UNREADABLE;
}
