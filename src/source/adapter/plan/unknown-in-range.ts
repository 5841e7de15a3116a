// Tells whether a range that a source is asked for may hold its values for "unknown", such as 0000-00-00 for a date. The gateway
// leaves such rows out, but the total of the source counts them.

import type { CoercionSpec } from '../../../config/schema/source.ts';
import type { FieldKind } from '../../../contract/fields.ts';
import type { KnownValue } from '../../../contract/list-value.ts';
import type { PushableOp } from '../../../contract/query.ts';
import { Decimal } from '../../../kernel/decimal.ts';
import { type StepValue, UNREADABLE } from '../map/coercion/step.ts';

/** A step of a mapping through which a range is asked for. */
type RangedStep = {
  readonly step: CoercionSpec;
  readonly op: PushableOp;
  readonly kind: FieldKind;
  /** The canonical value that the rest of the chain makes of the step's output. */
  readonly rest: (value: StepValue) => unknown;
};

/** Whether a source compares the values of this kind as numbers. Values of other kinds may be compared as texts. */
export const isNumber = (kind: FieldKind) => kind === 'integer' || kind === 'decimal';

/** The bounds of the widest ranges, for kinds that have a first and a last value. */
const WIDEST: Readonly<Partial<Record<FieldKind, { readonly le: string; readonly ge: string }>>> = {
  date: { le: '9999-12-31', ge: '0001-01-01' },
  datetime: { le: '9999-12-31T23:59:59Z', ge: '0001-01-01T00:00:00Z' },
};

/** Whether a source finds the value `unknown` in a range. Numbers are compared as numbers, other values as texts. */
function isWithin(op: 'le' | 'ge', unknown: string, bound: KnownValue): boolean {
  const [one, other] = [Decimal.parseJson(unknown), Decimal.parseJson(String(bound))];
  if (one && other) return op === 'ge' ? one.compare(other) >= 0 : one.compare(other) <= 0;
  return op === 'ge' ? unknown >= String(bound) : unknown <= String(bound);
}

/**
 * Whether the widest range that a step is asked for holds a value that means "unknown" but is no value of the kind. `boundBefore`
 * converts a bound of the contract to the bound that the source gets.
 */
export function rangeHoldsUnknown(
  { step, op, kind, rest }: RangedStep,
  boundBefore: (bound: string) => KnownValue | undefined,
): boolean {
  if (op === 'eq' || op === 'in' || typeof step === 'string' || !('nullIf' in step)) return false;
  const odd = step.nullIf.flatMap((one) =>
    (typeof one === 'string' || typeof one === 'number') && rest(one) === UNREADABLE ? String(one) : [],
  );
  // A column of numbers cannot hold a text.
  if (isNumber(kind)) return odd.some((one) => Decimal.parseJson(one) !== undefined);
  const widest = WIDEST[kind]?.[op];
  const bound = widest === undefined ? undefined : boundBefore(widest);
  return odd.some((one) => bound === undefined || isWithin(op, one, bound));
}
