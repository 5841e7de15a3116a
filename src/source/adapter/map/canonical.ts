// Makes the canonical value of a field (the form in which Portico holds and sends it) from what its steps have made of a
// legacy value.

import type { IdCodec } from './native-id.ts';
import type { Field, Value } from '../../../contract/fields.ts';
import { isDay } from '../../../contract/instants.ts';
import { hasUnprintable } from '../../../kernel/control-characters.ts';
import { Decimal } from '../../../kernel/decimal.ts';
import { readDecimal, readNumber } from './coercion/number.ts';
import { type StepValue, UNREADABLE } from './coercion/step.ts';

/** The parts of a field that decide the canonical form of its values. */
export type CanonicalField = Pick<Field, 'kind' | 'isLabel' | 'accepts'>;

/** A text or number as a decimal with the digits that the source wrote. */
function decimalOf(value: Exclude<StepValue, null | undefined | typeof UNREADABLE>): StepValue {
  if (value instanceof Decimal) return value;
  return typeof value === 'string' ? readDecimal(value) : readNumber(value);
}

/** The whole number of a decimal: 5.0 is 5, and 5.5 is none. */
function wholeOf(value: StepValue): Decimal | typeof UNREADABLE {
  if (!(value instanceof Decimal)) return UNREADABLE;
  const unit = 10n ** BigInt(value.scale);
  return value.digits % unit === 0n ? new Decimal(value.digits / unit, 0) : UNREADABLE;
}

/** A boolean of JSON, or the text `true` or `false`, because XML and CSV have only texts. All other values are unreadable. */
function booleanOf(value: StepValue): boolean | typeof UNREADABLE {
  if (typeof value === 'boolean') return value;
  return value === 'true' ? true : value === 'false' ? false : UNREADABLE;
}

/** The canonical value for the result of a field's steps. Lists are read by map-list.ts, so they are unreadable here. */
export function canonical(
  value: StepValue,
  { kind, isLabel, accepts }: CanonicalField,
): Value | typeof UNREADABLE {
  if (value === null || value === UNREADABLE || value === undefined) return value ?? null;
  switch (kind) {
    case 'decimal':
      return decimalOf(value) as Value | typeof UNREADABLE;
    case 'integer':
      return wholeOf(decimalOf(value));
    case 'boolean':
      return booleanOf(value);
    case 'text':
      if (typeof value !== 'string' || !value.isWellFormed()) return UNREADABLE;
      return isLabel && hasUnprintable(value) ? UNREADABLE : value;
    case 'list':
      return UNREADABLE;
    case 'date':
      return typeof value === 'string' && isDay(value) ? value : UNREADABLE;
    default:
      return typeof value === 'string' && accepts(value) ? value : UNREADABLE;
  }
}

/** Creates the reader of a value that names a record of another resource; it returns the public id. */
export function referenceBy(codec: IdCodec) {
  return {
    read: (value: StepValue): Value | typeof UNREADABLE => {
      if (value === null || value === undefined || value === UNREADABLE) return value ?? null;
      return codec.toPublic(value instanceof Decimal ? value.toString() : value) ?? UNREADABLE;
    },
  };
}
