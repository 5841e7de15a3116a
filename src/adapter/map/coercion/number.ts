import { Decimal } from '../../../kernel/decimal.ts';
import { NumberText } from '../../../kernel/json/json.ts';
import { type StepValue, type Step, UNREADABLE } from './flow.ts';

/** An exact decimal in plain notation. */
export function readDecimal(text: string): Decimal | typeof UNREADABLE {
  return Decimal.parse(text.trim()) ?? UNREADABLE;
}

/** An exact decimal of a JSON number. */
export function readNumber(value: StepValue): Decimal | typeof UNREADABLE {
  if (typeof value === 'number') return readDecimal(String(value));
  return value instanceof NumberText ? (Decimal.parseJson(value.text) ?? UNREADABLE) : UNREADABLE;
}

/**
 * Digits in groups of three or in none, and the declared decimal character: `1.234` must not be read as 1234 or
 * 1.234 by guess. A number that is one in JSON needs no declaration.
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

/** A whole number of cents as a decimal. */
export function readCents(text: string): StepValue {
  return /^-?\d+$/.test(text.trim()) ? (Decimal.parse(text.trim())?.shifted(2) ?? UNREADABLE) : UNREADABLE;
}
