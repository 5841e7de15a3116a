// Compiles the mapping of a source file to a function that makes a v1 record of a legacy record.

import type { MappingSpec } from '../../../config/schema/source.ts';
import type { CanonicalRecord } from '../../../contract/response-body.ts';
import type { Field, FieldKind, Value } from '../../../contract/fields.ts';
import { parseInstant } from '../../../contract/instants.ts';
import type { Json } from '../../../kernel/json/json.ts';
import { canonical, referenceBy } from './canonical.ts';
import { checkChain, hasSameIds } from './check-mapping.ts';
import { compileStep } from './coercion/coerce.ts';
import { type CompiledStep, type StepValue, UNREADABLE } from './coercion/step.ts';
import { compileListReader } from './map-list.ts';
import type { IdCodec } from './native-id.ts';
import { mappingOf } from './row-fields.ts';
import { type Path, pathAt } from '../spec/path.ts';
import type { SpecLocation } from '../spec/spec-location.ts';

/** Why a field has a missing value. `absent`: a mapped key is absent, but a default or another key gives the value. */
export type MissingReason = 'missing' | 'unreadable' | 'absent';

/**
 * Called for every optional field that became `null` because it was missing or unreadable, or that lacks a mapped key.
 * `found` is the unreadable value; it helps to find the failing step and must not be kept. `row` is the number of the
 * record among those of its reply, from 0; a reply with one record has none.
 */
export type OnMissingValue = (field: string, reason: MissingReason, found?: Json, row?: number) => void;

/** Builds a v1 record from a legacy one; `undefined` without a usable id, or without a value that the contract requires. */
export type RecordMapper = (record: Json, onMissingValue: OnMissingValue) => CanonicalRecord | undefined;

/** Reads one field of a legacy record. */
export type FieldReader = {
  readonly name: string;
  readonly read: (record: Json, onMissingValue: OnMissingValue) => Value;
};

/**
 * The value at the path of a field, or a list for several paths; `undefined` if there is no value. `onAbsent` is called if
 * some paths find a value and others do not.
 */
export function collect(
  paths: readonly Path[],
  record: Json,
  onAbsent: (onMissingValue: OnMissingValue) => void = () => undefined,
  onMissingValue: OnMissingValue = () => undefined,
): Json | undefined {
  const first = paths[0];
  if (paths.length === 1 && first !== undefined) return first(record);
  const values: Json[] = [];
  let [isFound, isPartial] = [false, false];
  for (const path of paths) {
    const value = path(record);
    if (value === undefined) isPartial = true;
    else isFound = true;
    values.push(value ?? null);
  }
  if (isFound && isPartial) onAbsent(onMissingValue);
  return isFound ? values : undefined;
}

/** Runs the steps in order; stops at the first one that cannot read its value. */
export function runSteps(steps: readonly CompiledStep[], value: StepValue): StepValue {
  let made = value;
  for (const { run } of steps) {
    if (made === UNREADABLE) break;
    made = run(made);
  }
  return made;
}

/** Reads the canonical value of a field from the result of its steps. */
export type CanonicalReader = {
  readonly read: (value: StepValue, field: Field) => Value | typeof UNREADABLE;
  /** For a list: the element at which the last reading failed. */
  readonly failed?: (() => Json | undefined) | undefined;
};

type FieldOptions = {
  /** The input of the steps if the paths find nothing; `undefined`: the value is missing. */
  readonly missing: null | undefined;
  readonly canonicalOf: CanonicalReader;
};

/** Compiles how canonical values of a field are made: by its kind, as an id of another resource, or element by element. */
export function compileCanonical(
  field: Field,
  mapping: MappingSpec[string],
  here: SpecLocation,
  codec: IdCodec | undefined,
): CanonicalReader {
  const each = 'each' in mapping ? mapping.each : undefined;
  if (field.list !== undefined)
    return compileListReader(field.list, each, here.at('each'), (inner, spec, place) =>
      compileFieldReader(inner, spec, place, compilePaths, codec),
    );
  if (each !== undefined) here.at('each').report(`${field.name} is no list`, 'remove it');
  if (field.to === undefined || codec === undefined) return { read: canonical };
  const target = codec.references?.get(field.to);
  if (target !== undefined && (target.isAssumed !== true || hasSameIds(mapping))) return referenceBy(target);
  here.report(
    `the ids of ${field.to} are unknown here: the source does not describe that resource`,
    `ids: same beside the path, if another source serves ${field.to} and has the same ids; else add resources.${field.to} with its id to this file`,
  );
  return { read: canonical };
}

function compileField(
  field: Field,
  paths: readonly Path[],
  steps: readonly CompiledStep[],
  { missing, canonicalOf }: FieldOptions,
): FieldReader {
  const tell = (onMissingValue: OnMissingValue) => onMissingValue(field.name, 'absent');
  function read(record: Json, onMissingValue: OnMissingValue): Value {
    const value = collect(paths, record, tell, onMissingValue);
    const found = value === undefined ? missing : value;
    if (found === undefined) {
      onMissingValue(field.name, 'missing');
      return null;
    }
    if (value === undefined) tell(onMissingValue);
    const result = canonicalOf.read(runSteps(steps, found), field);
    if (result !== UNREADABLE) return result;
    onMissingValue(field.name, 'unreadable', canonicalOf.failed?.() ?? found);
    return null;
  }
  return { name: field.name, read };
}

/** Compiles the paths of a field, so that they find its values in a record or elsewhere. */
export type PathCompiler = (from: string | readonly string[], here: SpecLocation) => readonly Path[];

const compilePaths: PathCompiler = (from, here) =>
  (typeof from === 'string' ? [from] : from).map((text) => pathAt(text, here.at('from')));

/** What a default may be, by the kind of the field. */
const DEFAULT_HINTS: Readonly<Record<FieldKind, string>> = {
  id: '',
  text: 'a text, in quotes',
  integer: 'a whole number such as 0',
  decimal: 'a plain decimal such as 0 or 19.90',
  boolean: 'true or false',
  datetime: 'an instant such as 2020-05-01T00:00:00Z',
  date: 'a date such as 2020-05-01, in quotes',
  enum: 'a value of the contract',
  reference: 'an id of the source',
  list: 'nothing: a list has no default',
};

/** The input of the steps if the paths find nothing: `null` if a step has a default for it, else `undefined`. */
export function missingAs({ as }: MappingSpec[string]): null | undefined {
  return as.some((step) => typeof step === 'object' && 'default' in step) ? null : undefined;
}

/** A constant or default in a source file. A time must exist in the calendar, as times in replies must. */
const checkFixed = (value: Value | typeof UNREADABLE, { kind }: Field) =>
  kind === 'datetime' && typeof value === 'string' && parseInstant(value) === undefined ? UNREADABLE : value;

/** The value that a field has in every record if its mapping has no path: a constant, or unknown; else `undefined`. */
export function fixedValue(
  field: Field,
  mapping: MappingSpec[string],
): Value | typeof UNREADABLE | undefined {
  if (field.kind === 'id') return undefined;
  if (typeof mapping.from === 'string' || mapping.from.length > 0) return undefined;
  // The constant is an id of the source, and only a codec can make it public.
  if (field.kind === 'reference' && 'value' in mapping) return undefined;
  return 'value' in mapping ? checkFixed(canonical(mapping.value, field), field) : null;
}

/**
 * Compiles the reader of a field other than the id. Problems are reported at its place in the source file. `codec` converts the
 * ids of records that fields refer to.
 */
export function compileFieldReader(
  field: Field,
  mapping: MappingSpec[string],
  here: SpecLocation,
  pathsOf: PathCompiler = compilePaths,
  codec?: IdCodec,
): FieldReader {
  const fixed = fixedValue(field, mapping);
  if (fixed !== undefined) {
    const value = fixed === UNREADABLE ? null : fixed;
    if (value !== fixed) here.at('value').report(`is not a value of ${field.name}, which is ${field.kind}`);
    return { name: field.name, read: () => value };
  }
  const paths = pathsOf(mapping.from, here);
  const steps = mapping.as.map((step, index) => compileStep(step, here.at('as', index)));
  checkChain(field, mapping, steps, here);
  const canonicalOf = compileCanonical(field, mapping, here, codec);
  mapping.as.forEach((step, index) => {
    if (typeof step !== 'object' || !('default' in step)) return;
    const made = canonicalOf.read(runSteps(steps.slice(index), null), field);
    if (field.kind === 'list' || checkFixed(made, field) === UNREADABLE)
      here
        .at('as', index, 'default')
        .report(`makes no value of ${field.name}, which is ${field.kind}`, DEFAULT_HINTS[field.kind]);
  });
  return compileField(field, paths, steps, { missing: missingAs(mapping), canonicalOf });
}

/**
 * Compiles a mapping into a function that builds a record from the named fields only. Missing or unsuitable mappings
 * are reported at their place in the source file. `pathsOf` may find the values elsewhere than in the record.
 */
export function compileMapping(
  spec: MappingSpec,
  fields: readonly Field[],
  codec: IdCodec,
  here: SpecLocation,
  pathsOf: PathCompiler = compilePaths,
): RecordMapper {
  const known = fields.map((field) => field.name);
  const hint = `fields: ${known.join(', ')}; to add one, write it into the contract first`;
  for (const key of Object.keys(spec)) {
    if (!known.includes(key)) here.at(key).report(`unknown field of the contract "${key}"`, hint);
  }
  const readers: FieldReader[] = [];
  let idPath: Path | undefined;
  for (const field of fields) {
    const mapping = mappingOf(spec, field);
    const isNamed = spec[field.name] !== undefined;
    const place = isNamed ? here.at(field.name) : here;
    const isUnknown = field.kind === 'id' ? !isNamed : fixedValue(field, mapping) === null;
    if (field.required && isUnknown) {
      place.report(
        `the contract's field "${field.name}" has no source${isNamed ? ', but is never null' : ''}`,
        `${isNamed ? 'write' : 'add'}: ${field.name}: path.in.the.record`,
      );
      continue;
    }
    if (field.kind !== 'id') {
      readers.push(compileFieldReader(field, mapping, place, pathsOf, codec));
      continue;
    }
    [idPath] = pathsOf(mapping.from, place);
    if (idPath === undefined) place.report('every record has an id of its own', 'id: path.in.the.record');
    if (mapping.as.length > 0)
      place.at('as').report('the id takes no steps', 'say number or text under id.kind');
  }
  const required = fields.flatMap(({ kind, name, required: isRequired }) =>
    isRequired && kind !== 'id' ? [name] : [],
  );
  // A copy of a record that has all fields is faster than one to which they are added one by one.
  const blank: Readonly<Record<string, Value>> & { id: string } = {
    id: '',
    ...Object.fromEntries(readers.map(({ name }) => [name, null])),
  };
  return function mapRecord(record, onMissingValue) {
    const id = codec.toPublic(idPath?.(record));
    if (id === undefined) return undefined;
    const values: Record<string, Value> & { id: string } = { ...blank };
    values.id = id;
    for (const { name, read } of readers) values[name] = read(record, onMissingValue);
    for (const name of required) if (values[name] === null) return undefined;
    return values;
  };
}
