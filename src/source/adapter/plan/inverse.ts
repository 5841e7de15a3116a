import type { CoercionSpec } from '../../../config/schema/source.ts';
import type { Field, KnownValue } from '../../../contract/fields.ts';
import { matches } from '../../../contract/order.ts';
import type { Filter, PushableOp } from '../../../contract/query.ts';
import { Decimal } from '../../../kernel/decimal.ts';
import { templateAround } from '../map/coercion/text.ts';
import { compileStep } from '../map/coercion/coerce.ts';
import { type CompiledStep, type StepValue, UNREADABLE } from '../map/coercion/flow.ts';
import { compileOneOf } from '../spec/literal.ts';
import { canonical } from '../map/canonical.ts';
import { runSteps } from '../map/map-record.ts';

/** No record of the source can satisfy the filter. */
export const NO_MATCH = Symbol('no match');

/** A label that no record is likely to have. */
export const NO_MATCH_LABEL = 'none-7f3a9c';
/** A number that is hardly the code of anything; it fits 32 bits. */
const ABSENT_CODE = '987654321';

/**
 * What a source is sent for the label that no record has. A file that lists the codes of a source has no code for that
 * label. Then the source is sent a value that is not among the codes: a number where all codes are numbers.
 */
export function noMatchNative(steps: readonly CoercionSpec[]): string {
  const codes = steps.flatMap((step) =>
    typeof step === 'object' && 'enum' in step ? Object.keys(step.enum) : [],
  );
  return codes.length > 0 && codes.every((code) => /^\d+$/.test(code)) ? ABSENT_CODE : NO_MATCH_LABEL;
}

type Wanted = KnownValue;

/** The inverse of one step: from its output to its input. */
type InverseStep = (value: Wanted, wanted: Wanted) => Wanted | typeof NO_MATCH | undefined;

/** A step with its position in the chain. */
type StepInChain = {
  readonly step: CoercionSpec;
  readonly before: readonly CoercionSpec[];
  /** Runs the steps after it. */
  readonly rest: (value: StepValue) => StepValue;
  readonly op: PushableOp;
  readonly field: Pick<Field, 'kind' | 'isLabel' | 'accepts'>;
};

/** A bound in whole cents. A bound between two cents is moved inwards, which keeps the same rows. */
function centsBound(value: Decimal, op: PushableOp): string {
  const cents = value.shifted(-2);
  const unit = 10n ** BigInt(cents.scale);
  const whole = cents.digits / unit;
  return (cents.digits % unit > 0n && op === 'ge' ? whole + 1n : whole).toString();
}

const unchanged: InverseStep = (value) => value;

/** Refuses values that the step confuses: for those, the source would find other records as well, or miss some. */
function refuseConfused(inChain: StepInChain, replaced: readonly StepValue[]): InverseStep {
  const { op } = inChain;
  const read = replaced.map((value) => canonical(inChain.rest(value), inChain.field));
  return (value, wanted) =>
    read.some((one) => one !== UNREADABLE && matches(one, { field: '', op, value: wanted } as Filter))
      ? undefined
      : value;
}

function invertEnum(
  { before, rest, op }: StepInChain,
  codes: readonly string[],
  label: CompiledStep,
): InverseStep | undefined {
  if (op !== 'eq') return undefined;
  const unknown = before.flatMap((step) => (typeof step === 'object' && 'nullIf' in step ? step.nullIf : []));
  const isUnknown = compileOneOf(unknown);
  const labelled = codes
    .filter((code) => !isUnknown(code))
    .map((code) => [rest(label.run(code)), code] as const)
    .filter(([final]) => final !== null && final !== UNREADABLE);
  const codeOf = new Map(labelled);
  // Two codes with one label cannot be requested with one value.
  if (codeOf.size !== labelled.length) return undefined;
  return (_value, wanted) => codeOf.get(String(wanted)) ?? NO_MATCH;
}

function invertTemplate(template: string, op: PushableOp): InverseStep | undefined {
  const around = templateAround(template);
  if (around === undefined || op !== 'eq') return undefined;
  const { before, after } = around;
  return (value) => {
    const text = String(value);
    const fits =
      text.startsWith(before) && text.endsWith(after) && text.length >= before.length + after.length;
    return fits ? text.slice(before.length, text.length - after.length) : NO_MATCH;
  };
}

/** Steps that yield a decimal; a second one cannot follow. */
function makesDecimal(step: CoercionSpec): boolean {
  return step === 'cents' || (typeof step === 'object' && 'number' in step);
}

function invertParameterized(inChain: StepInChain): InverseStep | undefined {
  const { step, op } = inChain;
  if (typeof step === 'string') return undefined;
  // A range also finds the values that mean "unknown" if they are numbers within it.
  if ('nullIf' in step) return op === 'eq' ? unchanged : refuseConfused(inChain, step.nullIf);
  // The source cannot find its unknown values by the default that replaces them.
  if ('default' in step) return refuseConfused(inChain, [step.default]);
  if ('enum' in step) return invertEnum(inChain, Object.keys(step.enum), compileStep(step));
  if ('template' in step) return invertTemplate(step.template, op);
  // The source ignores the expected currency, so it finds more records.
  if ('money' in step) return op === 'eq' ? undefined : unchanged;
  if ('number' in step && step.number.decimal === '.') return unchanged;
  return undefined;
}

function invertStep(inChain: StepInChain): InverseStep | undefined {
  const { step, before, op } = inChain;
  if (makesDecimal(step) && before.some(makesDecimal)) return undefined;
  switch (step) {
    case 'trim':
    case 'text':
      return unchanged;
    case 'cents':
      return (value) => (value instanceof Decimal ? centsBound(value, op) : NO_MATCH);
    default:
      return invertParameterized(inChain);
  }
}

/**
 * Compiles the inverse of a field's coercion, to push a filter on it; `undefined` if there is none. Steps that only
 * clean up (`trim`, `nullIf`, `text`) are skipped, but if they would change the text that is sent, no record can match.
 */
export function invertCoercion(steps: readonly CoercionSpec[], op: PushableOp, field: StepInChain['field']) {
  const compiled = steps.map((step) => compileStep(step));
  const inverses = steps.map((step, index) => {
    const rest = compiled.slice(index + 1);
    const inChain: StepInChain = {
      step,
      before: steps.slice(0, index),
      rest: (value) => runSteps(rest, value),
      op,
      field,
    };
    return invertStep(inChain);
  });
  if (inverses.includes(undefined)) return undefined;
  const backwards = inverses.filter((inverse) => inverse !== undefined).reverse();
  return {
    /** Whether a request for the native value finds exactly the records with the canonical value. */
    exact: !steps.some((step) => typeof step === 'object' && 'money' in step),
    /** The value of the source's parameter for a canonical value; `undefined` if the source cannot be asked for it. */
    codec: (wanted: Wanted): string | typeof NO_MATCH | undefined => {
      let value: Wanted = wanted;
      for (const back of backwards) {
        const before = back(value, wanted);
        if (before === NO_MATCH || before === undefined) return before;
        value = before;
      }
      const native = value.toString();
      return typeof wanted !== 'string' || runSteps(compiled, native) === wanted ? native : NO_MATCH;
    },
  };
}
