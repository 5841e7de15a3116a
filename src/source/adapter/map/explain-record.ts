// Shows how each field of one record was made, step by step, for `portico explain` and `portico doctor`.

import type { CoercionSpec, MappingSpec } from '../../../config/schema/source.ts';
import type { Field, Value } from '../../../contract/fields.ts';
import type { Json } from '../../../kernel/json/json.ts';
import { compileStep } from './coercion/coerce.ts';
import { type StepValue, UNREADABLE } from './coercion/step.ts';
import { collect, compileCanonical, fixedValue, missingAs } from './map-record.ts';
import { mappingOf } from './row-fields.ts';
import type { IdCodec } from './native-id.ts';
import { compilePath } from '../spec/path.ts';
import { CHECKED } from '../spec/spec-location.ts';

/** A step of a mapping and its result. */
export type StepTaken = { readonly step: CoercionSpec; readonly value: StepValue };

/** The provenance of one field of a v1 record. */
export type FieldProvenance = {
  readonly field: string;
  /** Paths into the legacy record. */
  readonly from: readonly string[];
  /** The value at the paths, before any step. */
  readonly found: Json | undefined;
  /** The steps and their results, up to the first step that could not read its value. */
  readonly steps: readonly StepTaken[];
  readonly value: Value;
  /** `unknown`: the source itself marks the value as unknown. */
  readonly state: 'known' | 'unknown' | 'missing' | 'unreadable';
};

function takeSteps(found: StepValue, specs: readonly CoercionSpec[]): readonly StepTaken[] {
  const taken: StepTaken[] = [];
  let value = found;
  for (const step of specs) {
    if (value === UNREADABLE) break;
    value = compileStep(step).run(value);
    taken.push({ step, value });
  }
  return taken;
}

function explainField(
  field: Field,
  mapping: MappingSpec[string],
  codec: IdCodec,
  record: Json,
): FieldProvenance {
  const { from, as } = mapping;
  const texts = typeof from === 'string' ? [from] : from;
  const fixed = fixedValue(field, mapping);
  if (fixed !== undefined && fixed !== UNREADABLE) {
    const state = fixed === null ? 'unknown' : 'known';
    return { field: field.name, from: [], found: undefined, steps: [], value: fixed, state };
  }
  const value = collect(texts.map(compilePath), record);
  const found = value === undefined ? missingAs(mapping) : value;
  const about = { field: field.name, from: texts, found };
  if (found === undefined) return { ...about, steps: [], value: null, state: 'missing' };
  if (field.kind === 'id') {
    const id = codec.toPublic(found);
    return { ...about, steps: [], value: id ?? null, state: id === undefined ? 'unreadable' : 'known' };
  }
  const steps = takeSteps(found, as);
  const { read } = compileCanonical(field, mapping, CHECKED, codec);
  const made = read(steps.length === 0 ? found : steps.at(-1)?.value, field);
  if (made === UNREADABLE) return { ...about, steps, value: null, state: 'unreadable' };
  return { ...about, steps, value: made, state: made === null ? 'unknown' : 'known' };
}

/**
 * Reports for every field of the contract where it came from and what each step did, with the same values as the compiled
 * mapping. It compiles on each call, so it is only for a person who inspects one record, never for an answer.
 */
export function explainRecord(
  mapping: MappingSpec,
  fields: readonly Field[],
  codec: IdCodec,
  record: Json,
): readonly FieldProvenance[] {
  return fields.map((field) => explainField(field, mappingOf(mapping, field), codec, record));
}
