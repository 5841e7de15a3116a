import type { CoercionSpec } from '../config/source-schema.ts';
import { Decimal } from '../kernel/decimal.ts';

/** No record of the source can satisfy the filter. */
export const NOTHING = Symbol('nothing');

/** Turns a filter's canonical value into what the source's parameter takes. */
export type ValueCodec = (value: string | Decimal) => string | typeof NOTHING;

/** Whole cents for a bound: a bound between two cents is moved inwards, which keeps the same rows. */
function centsBound(value: Decimal, op: 'eq' | 'ge' | 'le'): string {
  const cents = value.shifted(-2);
  const unit = 10n ** BigInt(cents.scale);
  const whole = cents.digits / unit;
  return (cents.digits % unit > 0n && op === 'ge' ? whole + 1n : whole).toString();
}

function inverseEnum(labels: Readonly<Record<string, string>>): ValueCodec | undefined {
  const codes = new Map(Object.entries(labels).map(([code, label]) => [label, code]));
  // Two codes under one label cannot be asked for with one value.
  if (codes.size !== Object.keys(labels).length) return undefined;
  return (value) => codes.get(String(value)) ?? NOTHING;
}

/**
 * The inverse of a field's coercion, for pushing a filter on it; `undefined` where there is none.
 * Steps that only clean up (`trim`, `nullIf`, `text`) are passed over.
 */
export function invertCoercion(
  steps: readonly CoercionSpec[],
  op: 'eq' | 'ge' | 'le',
): ValueCodec | undefined {
  const shaping = steps.filter(
    (step) => step !== 'trim' && step !== 'text' && !(typeof step === 'object' && 'nullIf' in step),
  );
  const [step, ...more] = shaping;
  if (more.length > 0) return undefined;
  if (step === undefined) return (value) => value.toString();
  if (step === 'cents') return (value) => (value instanceof Decimal ? centsBound(value, op) : NOTHING);
  if (typeof step === 'object' && 'enum' in step) return inverseEnum(step.enum);
  if (typeof step === 'object' && 'number' in step && step.number.decimal === '.')
    return (value) => value.toString();
  return undefined;
}
