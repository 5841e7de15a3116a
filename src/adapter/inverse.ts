import type { CoercionSpec } from '../config/source-schema.ts';
import { Decimal } from '../kernel/decimal.ts';
import { compileStep, type Flow, UNREADABLE } from './coerce.ts';

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

/** What the steps make of a legacy text. */
function readBack(steps: readonly CoercionSpec[]): (text: string) => Flow {
  const compiled = steps.map((step) => compileStep(step).run);
  return (text) => compiled.reduce<Flow>((value, step) => (value === UNREADABLE ? value : step(value)), text);
}

function inverseEnum(codes: readonly string[], read: (text: string) => Flow): ValueCodec | undefined {
  const labelled = codes.map((code) => [read(code), code] as const).filter(([label]) => label !== null);
  const codeOf = new Map(labelled);
  // Two codes under one label cannot be asked for with one value.
  if (codeOf.size !== labelled.length) return undefined;
  return (value) => codeOf.get(String(value)) ?? NOTHING;
}

/**
 * The inverse of a field's coercion, for pushing a filter on it; `undefined` where there is none.
 * Steps that only clean up (`trim`, `nullIf`, `text`) are passed over, but a text that they would not leave as it is
 * can be the value of no record.
 */
export function invertCoercion(
  steps: readonly CoercionSpec[],
  op: 'eq' | 'ge' | 'le',
): ValueCodec | undefined {
  const [step, ...more] = steps.filter(
    (one) => one !== 'trim' && one !== 'text' && !(typeof one === 'object' && 'nullIf' in one),
  );
  if (more.length > 0) return undefined;
  const read = readBack(steps);
  if (step === undefined) {
    return (value) => (typeof value !== 'string' || read(value) === value ? value.toString() : NOTHING);
  }
  if (step === 'cents') return (value) => (value instanceof Decimal ? centsBound(value, op) : NOTHING);
  if (typeof step === 'object' && 'enum' in step) return inverseEnum(Object.keys(step.enum), read);
  if (typeof step === 'object' && 'number' in step && step.number.decimal === '.')
    return (value) => value.toString();
  return undefined;
}
