// Observes the JSON types of the values that a source filters by. A service may filter numbers and leave out a price that is a
// text. The source file then states `types: [number]`, and a value of another type contradicts the filter.

import type { ListSpec } from '../../../config/schema/source.ts';
import type { CanonicalRecord } from '../../../contract/response-body.ts';
import type { Json } from '../../../kernel/json/json.ts';
import type { Projection } from '../../../kernel/json/projection.ts';
import { type JsonType, jsonType } from '../../../kernel/json/values.ts';
import { type Path, pathAt } from '../spec/path.ts';
import type { Capability } from '../spec/capability.ts';
import { CHECKED, type SpecLocation } from '../spec/spec-location.ts';
import { compileStep } from './coercion/coerce.ts';
import type { ReplyObserver } from './reply-observer.ts';
import { type RecordMapper, runSteps } from './map-record.ts';

/** A type of a value that a filter was not certified for. */
export type OtherType = { readonly capability: Capability; readonly field: string; readonly type: JsonType };

/** Observes the JSON types of values in one reply at a time. */
export type TypeObserver = ReturnType<typeof compileTypeObserver>;

/** The operators of a field with the filters of the source file for them. */
type Operators = readonly (readonly [string, ListSpec['filters'][string]['eq'] & object])[];

/** Compiles the observer of the JSON types of the values of a field that has filters. */
function compileTypedField(
  field: string,
  { from, as }: ListSpec['map'][string],
  operators: Operators,
  note: (found: OtherType) => void,
) {
  const steps = as.map((step) => compileStep(step));
  const [money] = as.flatMap((step) => (typeof step === 'object' && 'money' in step ? [step.money] : []));
  // Filters on money compare the amount.
  const amount: Path | undefined = money && pathAt(money.amount, CHECKED);
  const typed = operators.filter(([, { types }]) => types !== undefined);
  const [first = [], ...others] = typed.map(([, { types = [] }]) => types);
  const common = first.filter((type) => others.every((types) => types.includes(type)));
  return {
    field,
    from: [from].flat()[0] ?? '',
    /** Whether a filter states its types. */
    isTyped: typed.length > 0,
    /** Types that all these filters state; empty if the filters compare another value than the one at the path, as for money. */
    certified: amount === undefined ? common : [],
    /**
     * Returns the type of a value, and notes the type if a filter does not state it. `undefined`: there is no value, or the steps
     * make `null` of it.
     */
    observe: (value: Json | undefined): JsonType | undefined => {
      const type = jsonType(value) && jsonType(amount === undefined ? value : amount(value as Json));
      if (type === undefined || common.includes(type)) return type;
      // An empty text is no value of any field, so no filter can leave it out wrongly.
      if (value === '' || (steps.length > 0 && runSteps(steps, value) === null)) return undefined;
      for (const [op, { types = [] }] of typed)
        if (!types.includes(type)) note({ capability: `filter.${field}.${op}`, field, type });
      return type;
    },
  };
}

/** Compiles the observer of the types of all fields that have filters and a single path. */
export function compileTypeObserver({ filters, map }: ListSpec, here: SpecLocation) {
  const found = new Map<Capability, OtherType>();
  const note = (one: OtherType) => void found.set(one.capability, one);
  const fields = Object.entries(filters).flatMap(([field, operators]) => {
    const mapping = map[field];
    const used = Object.entries(operators).filter(([, { exactness }]) => exactness !== 'none');
    const isOne = mapping !== undefined && [mapping.from].flat().length === 1;
    const [stated] = used.find(([, { types }]) => types !== undefined) ?? [];
    if (stated !== undefined && !isOne)
      here
        .at('filters', field, stated, 'types')
        .report('the rows of the list do not have the field at one path', 'remove it');
    return isOne && used.length > 0 ? [compileTypedField(field, mapping, used, note)] : [];
  });
  /** Returns the types that were noted since the last call, and forgets them; `undefined` if there are none. */
  function take() {
    const taken = found.size === 0 ? undefined : [...found.values()];
    found.clear();
    return taken;
  }
  // Without a filter that states its types, none are noted.
  return { fields, take: fields.some(({ isTyped }) => isTyped) ? take : undefined };
}

/** Extends a mapper of rows so that it also observes the types of fields, and calls the observer's `onType` with them. */
export function typedMapper(map: RecordMapper, { fields }: TypeObserver) {
  const all = fields.map(({ from, ...field }) => ({ ...field, find: pathAt(from, CHECKED) }));
  return (row: Json, { onMissingValue, onType }: ReplyObserver): CanonicalRecord | undefined => {
    const record = map(row, onMissingValue);
    if (record === undefined) return undefined;
    for (const { field, find, isTyped, observe } of all) {
      if (!isTyped && onType === undefined) continue;
      const type = observe(find(row));
      if (type !== undefined) onType?.(field, record.id, type);
    }
    return record;
  };
}

/**
 * Compiles the same observer for a list program, which has the values of the current row in slots. `undefined` if no filter states
 * its types.
 */
export function compileSlotObserver(
  { fields }: TypeObserver,
  slotsOf: ReadonlyMap<string, readonly number[]>,
  projection: Pick<Projection, 'typeIn' | 'valueIn'>,
): (() => void) | undefined {
  const typed = fields.flatMap(({ isTyped, field, ...one }) => {
    const slot = slotsOf.get(field)?.[0];
    return isTyped && slot !== undefined ? [{ slot, ...one }] : [];
  });
  if (typed.length === 0) return undefined;
  return () => {
    for (const field of typed) {
      const type = projection.typeIn(field.slot);
      if (type !== undefined && !field.certified.includes(type))
        field.observe(projection.valueIn(field.slot));
    }
  };
}
