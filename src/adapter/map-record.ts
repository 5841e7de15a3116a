import type { CoercionSpec, MappingSpec } from '../config/source-schema.ts';
import type { CanonicalRecord } from '../contract/document.ts';
import type { Field, FieldKind, Value } from '../contract/fields.ts';
import { Decimal } from '../kernel/decimal.ts';
import type { Json } from '../kernel/json.ts';
import {
  compileStep,
  type Flow,
  isZone,
  namesWholeDate,
  readDecimal,
  readNumber,
  type StepKind,
  UNREADABLE,
} from './coerce.ts';
import type { IdCodec } from './native-id.ts';
import { type Path, pathAt } from './path.ts';
import type { Report } from './report.ts';

/** Called for every optional field that became `null` because it was missing or could not be read. */
export type OnGap = (field: string, reason: 'missing' | 'unreadable', found?: Json) => void;

/** Builds a v1 record from a legacy one; `undefined` where it has no usable id. */
export type RecordMapper = (record: Json, onGap: OnGap) => CanonicalRecord | undefined;

type FieldReader = { readonly name: string; read(record: Json, onGap: OnGap): Value };

const YIELDS: Readonly<Record<FieldKind, StepKind>> = {
  id: 'text',
  text: 'text',
  instant: 'instant',
  decimal: 'decimal',
};

/** What the last shaping step of a chain yields; a chain without one passes texts and numbers on as they are. */
function chainYields(kind: FieldKind, yields: readonly StepKind[]): StepKind {
  const shaping = yields.filter((step) => step !== 'same').at(-1);
  return shaping ?? (kind === 'instant' ? 'same' : YIELDS[kind]);
}

/** The canonical value of what a chain yields. */
export function canonical(value: Flow, kind: FieldKind): Value | typeof UNREADABLE {
  if (value === null || value === UNREADABLE || value === undefined) return value ?? null;
  if (kind !== 'decimal') return typeof value === 'string' && value.isWellFormed() ? value : UNREADABLE;
  if (value instanceof Decimal) return value;
  return typeof value === 'string' ? readDecimal(value) : readNumber(value);
}

/** What stands at the paths of a field: the value at one, or a list of several; `undefined` where nothing does. */
export function collect(paths: readonly Path[], record: Json): Json | undefined {
  const first = paths[0];
  if (paths.length === 1 && first !== undefined) return first(record);
  const values = paths.map((path) => path(record));
  return values.every((value) => value === undefined) ? undefined : values.map((value) => value ?? null);
}

function compileField(field: Field, paths: readonly Path[], steps: readonly CoercionSpec[]): FieldReader {
  const compiled = steps.map((step) => compileStep(step).run);
  function read(record: Json, onGap: OnGap): Value {
    const found = collect(paths, record);
    if (found === undefined) {
      onGap(field.name, 'missing');
      return null;
    }
    let value: Flow = found;
    for (const step of compiled) {
      if (value === UNREADABLE) break;
      value = step(value);
    }
    const result = canonical(value, field.kind);
    if (result !== UNREADABLE) return result;
    onGap(field.name, 'unreadable', found);
    return null;
  }
  return { name: field.name, read };
}

function compilePaths(
  from: string | readonly string[],
  report: Report,
  at: readonly PropertyKey[],
): readonly Path[] {
  return (typeof from === 'string' ? [from] : from).map((text) => pathAt(text, report, [...at, 'from']));
}

function checkJoin({ from, as }: MappingSpec[string], report: Report, at: readonly PropertyKey[]): void {
  const several = typeof from !== 'string';
  const joinsAt = as.flatMap((step, index) => (typeof step === 'object' && 'join' in step ? [index] : []));
  if (several ? joinsAt.length === 1 && joinsAt[0] === 0 : joinsAt.length === 0) return;
  report(
    at,
    several ? 'several paths need one `join`, as the first step' : '`join` needs several paths',
    'from: [first, last], as: [{ join: " " }]',
  );
}

function checkDates({ as }: MappingSpec[string], report: Report, at: readonly PropertyKey[]): void {
  for (const step of as) {
    if (typeof step !== 'object' || !('date' in step)) continue;
    const { format, zone } = step.date;
    if (!isZone(zone)) report(at, `unknown zone "${zone}"`, 'UTC, +02:00 or Europe/Berlin');
    if (!namesWholeDate(format))
      report(
        at,
        `the format "${format}" does not name a whole date`,
        "such as yyyy-MM-dd'T'HH:mm:ss; other letters stand in quotes",
      );
  }
}

function checkChain(
  field: Field,
  spec: MappingSpec[string],
  report: Report,
  at: readonly PropertyKey[],
): void {
  checkJoin(spec, report, at);
  checkDates(spec, report, [...at, 'as']);
  if (field.kind === 'id') return;
  const yields = chainYields(
    field.kind,
    spec.as.map((step) => compileStep(step).yields),
  );
  if (yields === YIELDS[field.kind]) return;
  const hints = {
    text: 'end with trim, text, join or enum',
    decimal: 'end with cents or number',
    instant: 'end with epochSeconds, epochMilliseconds, iso8601 or date',
  };
  report(
    [...at, 'as'],
    `yields ${yields === 'same' ? 'an undeclared format' : yields}, but ${field.name} is ${field.kind}`,
    hints[field.kind],
  );
}

/**
 * Compiles a mapping into a function that builds a record from named fields only.
 * What is missing or does not fit is reported at its place in the source file.
 */
export function compileMapping(
  spec: MappingSpec,
  fields: readonly Field[],
  codec: IdCodec,
  report: Report,
  at: readonly PropertyKey[],
): RecordMapper {
  const known = fields.map((field) => field.name);
  for (const key of Object.keys(spec)) {
    if (!known.includes(key))
      report([...at, key], `unknown field of the contract "${key}"`, `fields: ${known.join(', ')}`);
  }
  const readers: FieldReader[] = [];
  let idPath: Path | undefined;
  for (const field of fields) {
    const mapping = spec[field.name];
    if (mapping === undefined) {
      report(
        at,
        `the contract's field "${field.name}" has no source`,
        `add: ${field.name}: path.in.the.record`,
      );
      continue;
    }
    const place = [...at, field.name];
    if (field.kind !== 'id' && Array.isArray(mapping.from) && mapping.from.length === 0) {
      readers.push({ name: field.name, read: () => null });
      continue;
    }
    const paths = compilePaths(mapping.from, report, place);
    checkChain(field, mapping, report, place);
    if (field.kind === 'id') {
      idPath = paths[0];
      if (mapping.as.length > 0)
        report([...place, 'as'], 'the id takes no steps', 'say number or text under id.kind');
    } else {
      readers.push(compileField(field, paths, mapping.as));
    }
  }
  return function mapRecord(record, onGap) {
    const id = codec.toPublic(idPath?.(record));
    if (id === undefined) return undefined;
    const values: Record<string, Value> & { id: string } = { id };
    for (const reader of readers) values[reader.name] = reader.read(record, onGap);
    return values;
  };
}
