// Inverts the steps of a mapping, to find the value of the source that a caller's filter value stands for.

import type { CoercionSpec } from '../../../config/schema/source.ts';
import type { FieldKind, Value } from '../../../contract/fields.ts';
import { canonicalInstant } from '../../../contract/instants.ts';
import type { KnownValue } from '../../../contract/list-value.ts';
import { matches } from '../../../contract/order.ts';
import type { Filter, PushableOp } from '../../../contract/query.ts';
import { Decimal } from '../../../kernel/decimal.ts';
import { templateAround } from '../map/coercion/text.ts';
import { compileStep } from '../map/coercion/coerce.ts';
import { type CompiledStep, type StepValue, UNREADABLE } from '../map/coercion/step.ts';
import { compileOneOf } from '../spec/literal.ts';
import { canonical, type CanonicalField, referenceBy } from '../map/canonical.ts';
import { ListValue } from '../../../contract/list-value.ts';
import { runSteps } from '../map/map-record.ts';
import type { IdCodec } from '../map/native-id.ts';
import { isNumber, rangeHoldsUnknown } from './unknown-in-range.ts';

/** In place of a native value: no record of the source can satisfy the filter. */
export const NO_MATCH = Symbol('no match');

/** A label that no record is likely to have; checks filter by it to see if a source ignores its filter. */
export const NO_MATCH_LABEL = 'none-7f3a9c';
/** A number that is unlikely to be a code of the source; it fits 32 bits. */
const ABSENT_CODE = '987654321';

/** The native value to send for `NO_MATCH_LABEL`. If an `enum` lists codes, it is none of them: a number if all are numbers. */
export function noMatchNative(steps: readonly CoercionSpec[]): string {
  const codes = steps.flatMap((step) =>
    typeof step === 'object' && 'enum' in step ? Object.keys(step.enum) : [],
  );
  return codes.length > 0 && codes.every((code) => /^\d+$/.test(code)) ? ABSENT_CODE : NO_MATCH_LABEL;
}

type Wanted = KnownValue;

/** The inverse of one step: from the step's output to its input. `wanted` is the canonical value that the caller asked for. */
type InverseStep = (value: Wanted, wanted: Wanted) => Wanted | typeof NO_MATCH | undefined;

/** A step with its position in the chain. */
type StepInChain = {
  readonly step: CoercionSpec;
  readonly before: readonly CoercionSpec[];
  /** The canonical value that the rest of the chain makes of the step's output. */
  readonly rest: (value: StepValue) => Value | typeof UNREADABLE;
  readonly op: PushableOp;
  readonly kind: FieldKind;
};

/** A bound in whole cents. A bound between two cents is moved inwards, which keeps the same rows: no price is in between. */
function inCents(value: Decimal, op: PushableOp): string | typeof NO_MATCH {
  const cents = value.shifted(-2);
  const unit = 10n ** BigInt(cents.scale);
  const whole = cents.digits / unit;
  const rest = cents.digits % unit;
  if (rest !== 0n && op === 'eq') return NO_MATCH;
  // Division cuts off towards zero.
  if (rest > 0n && op === 'ge') return (whole + 1n).toString();
  return (rest < 0n && op === 'le' ? whole - 1n : whole).toString();
}

const unchanged: InverseStep = (value) => value;

/** An instant as a number of units. A source with whole units may refuse a fraction or cut it off, so no fraction is sent. */
function inUnits(unitMs: number): InverseStep {
  return (value) => {
    const ms = Date.parse(String(value));
    return ms % unitMs === 0 ? String(ms / unitMs) : undefined;
  };
}

const isMatch = (read: Value | typeof UNREADABLE, op: PushableOp, wanted: Wanted) =>
  read !== UNREADABLE && matches(read, { field: '', op, value: wanted } as Filter);

/** Refuses values that the step confuses with others, because the source would find too many records for them, or miss some. */
function refuseConfused({ op, rest }: StepInChain, replaced: readonly StepValue[]): InverseStep {
  const read = replaced.map(rest);
  return (value, wanted) => (read.some((one) => isMatch(one, op, wanted)) ? undefined : value);
}

const keyOf = (value: KnownValue) => (value instanceof Decimal ? value.shortest() : String(value));

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
    .flatMap((code) => {
      const read = rest(label.run(code));
      const isNone = read === null || read === UNREADABLE || read instanceof ListValue;
      return isNone ? [] : [[keyOf(read), code] as const];
    });
  const codeOf = new Map(labelled);
  // Two codes with one label cannot be requested with one value.
  if (codeOf.size !== labelled.length) return undefined;
  return (_value, wanted) => codeOf.get(keyOf(wanted)) ?? NO_MATCH;
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

/** Whether a step yields a decimal. No second such step can follow it. */
function makesDecimal(step: CoercionSpec): boolean {
  return step === 'cents' || (typeof step === 'object' && 'number' in step);
}

/** Whether values of this kind have several spellings, so that unknown values are compared by value and not by their text. */
const isMeasured = (kind: FieldKind) => isNumber(kind) || kind === 'datetime';

function invertParameterized(inChain: StepInChain): InverseStep | undefined {
  const { step, op, kind } = inChain;
  if (typeof step === 'string') return undefined;
  // A range also finds the values that mean "unknown" if they lie within it.
  if ('nullIf' in step)
    return op === 'eq' && !isMeasured(kind) ? unchanged : refuseConfused(inChain, step.nullIf);
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
  const { step, before, op, kind } = inChain;
  if (makesDecimal(step) && before.some(makesDecimal)) return undefined;
  switch (step) {
    case 'trim':
    case 'text':
      return unchanged;
    case 'cents':
      return (value) => (value instanceof Decimal ? inCents(value, op) : NO_MATCH);
    case 'iso8601':
      return kind === 'datetime' ? unchanged : undefined;
    case 'epochSeconds':
    case 'epochMilliseconds':
      return kind === 'datetime' ? inUnits(step === 'epochSeconds' ? 1_000 : 1) : undefined;
    default:
      return invertParameterized(inChain);
  }
}

/** Steps that read an instant of any precision and cut off what is finer than a millisecond. */
const CUTTING: readonly CoercionSpec[] = ['iso8601', 'epochSeconds', 'epochMilliseconds'];

/**
 * Whether the source may compare a finer time than the contract. Every time from 12:00:00 to 12:00:00.0009 is 12:00:00 in an
 * answer, but of these times the source finds only the first by `eq` or `le`.
 */
export function isCutOff(steps: readonly CoercionSpec[], op: PushableOp, isWholeMs = false): boolean {
  return op !== 'ge' && !isWholeMs && steps.some((step) => CUTTING.includes(step));
}

/**
 * The next full second after an instant. With it, `le` misses no row with a finer time, and no fraction is sent, which a source
 * may refuse; `undefined` if there is none.
 */
function nextSecond(value: Wanted): string | undefined {
  const next = canonicalInstant((Math.floor(Date.parse(String(value)) / 1_000) + 1) * 1_000);
  return next.startsWith('+') ? undefined : next;
}

/** Creates the reader of a native id of another resource, as `canonical` is the reader of other values. */
function reference(codec: IdCodec): (value: StepValue) => Value | typeof UNREADABLE {
  const { read } = referenceBy(codec);
  return (value) => read(value);
}

/**
 * Compiles the inverse of a field's coercion, to push a filter on it; `undefined` if there is none. Steps that only clean up
 * (`trim`, `nullIf`, `text`) are skipped, but if they would change the text that is sent, no record can match. `codec` converts
 * the ids, if the field has ids. `isWholeMs`: no time of the source is finer than a millisecond.
 */
export function invertCoercion(
  steps: readonly CoercionSpec[],
  op: PushableOp,
  field: CanonicalField,
  codec?: IdCodec,
  isWholeMs?: boolean,
) {
  if (codec?.isWithinText === true) return undefined;
  const isWidened = op === 'le' && isCutOff(steps, op, isWholeMs);
  const compiled = steps.map((step) => compileStep(step));
  // Filters never ask for the control characters that only labels must not have.
  const asked = { ...field, isLabel: false };
  const end = codec === undefined ? (value: StepValue) => canonical(value, asked) : reference(codec);
  const chain = steps.map((step, index): StepInChain => {
    const rest = compiled.slice(index + 1);
    return {
      step,
      before: steps.slice(0, index),
      rest: (value) => end(runSteps(rest, value)),
      op,
      kind: field.kind,
    };
  });
  const inverses = chain.map(invertStep);
  if (inverses.includes(undefined)) return undefined;
  const backwards = inverses.filter((inverse) => inverse !== undefined).reverse();
  /** A bound of the contract, inverted down to the step at this index; `undefined` if it cannot be inverted. */
  const boundBefore = (index: number, bound: string) => {
    const later = backwards.slice(0, steps.length - 1 - index);
    const native = later.reduce<Wanted | typeof NO_MATCH | undefined>(
      (value, back) => (value === undefined || value === NO_MATCH ? value : back(value, bound)),
      bound,
    );
    return native === NO_MATCH ? undefined : native;
  };
  return {
    /** Whether the total of the source may count rows whose value is unknown. The gateway leaves these rows out. */
    countsUnknown: chain.some((inChain, index) =>
      rangeHoldsUnknown(inChain, (bound) => boundBefore(index, bound)),
    ),
    /** Whether a request for the native value finds exactly the records with the canonical value. */
    exact: !isWidened && !steps.some((step) => typeof step === 'object' && 'money' in step),
    /** The value of the source's parameter for a canonical value; `undefined` if the source cannot be asked for it. */
    toNative: (wanted: Wanted): string | typeof NO_MATCH | undefined => {
      let value: Wanted | typeof NO_MATCH | undefined = isWidened ? nextSecond(wanted) : wanted;
      if (codec !== undefined) value = codec.toNative(String(wanted)) ?? NO_MATCH;
      if (value === undefined) return undefined;
      for (const back of backwards) {
        if (value === NO_MATCH) return NO_MATCH;
        const before = back(value, wanted);
        if (before === undefined) return undefined;
        value = before;
      }
      if (value === NO_MATCH) return NO_MATCH;
      if (op !== 'eq') return value.toString();
      const native = value instanceof Decimal ? value.shortest() : String(value);
      return isMatch(end(runSteps(compiled, native)), 'eq', wanted) ? native : NO_MATCH;
    },
  };
}
