// Decides which values of a recording may identify a person, so that they are replaced before a file is written.

import { viewSpecOf, type RecordView } from '../../source/adapter/map/row-fields.ts';
import type { FieldProvenance } from '../../source/adapter/map/explain-record.ts';
import { compilePath, quotedKeys } from '../../source/adapter/spec/path.ts';
import type { ReplyExplainer } from '../../source/adapter/read/explain-reply.ts';
import { UNOBSERVED } from '../../source/adapter/map/reply-observer.ts';
import type { CoercionSpec, MappingSpec, SameIds, SourceResourceSpec } from '../../config/schema/source.ts';
import type { Field, FieldKind } from '../../contract/fields.ts';
import { Decimal } from '../../kernel/decimal.ts';
import type { Query } from '../../contract/query.ts';
import { type Json, NumberText } from '../../kernel/json/json.ts';
import { isList } from '../../kernel/json/values.ts';
import type { UpstreamReply } from '../../kernel/upstream-call.ts';
import type { CompiledSource } from '../../source/compile-sources.ts';
import { isPlainNumber, moveTime } from './move-times.ts';

/** One recorded reply, with the means to read its rows. */
export type ReadReply = {
  readonly view: RecordView;
  readonly explainer: ReplyExplainer;
  readonly reply: UpstreamReply;
};

/** The scalars of a document as texts, without its keys; `isText` is false for numbers. */
function scalarsOf(value: Json | undefined): readonly { readonly text: string; readonly isText: boolean }[] {
  if (typeof value === 'string') return [{ text: value, isText: true }];
  if (typeof value === 'number') return [{ text: String(value), isText: false }];
  if (value instanceof NumberText) return [{ text: value.text, isText: false }];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value as Readonly<Record<string, Json>>).flatMap(scalarsOf);
}

/** Keys of a source file whose texts are no paths into a reply: what is asked, and how a value is read. */
const NO_PATHS: ReadonlySet<string> = new Set(
  `request count filters sort filterAlways filterJoin filterNone kind form is on as equals
  matches in pattern charset contentTypes order pastEnd counts`.split(/\s+/),
);

/** The texts of a part of a file that may be paths into a reply. */
function pathsIn(value: Json | undefined): readonly string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(pathsIn);
  if (typeof value !== 'object' || value === null || value instanceof NumberText) return [];
  return Object.entries(value as Readonly<Record<string, Json>>).flatMap(([key, part]) =>
    NO_PATHS.has(key) ? [] : pathsIn(part),
  );
}

/**
 * The names that a source's file reads in replies: each step of its paths. Every other key, element, attribute or
 * column of a reply is a field that it does not read.
 */
export function namesRead({ source }: CompiledSource): ReadonlySet<string> {
  const { decode, outcomes, resources } = source.yaml.content() as Readonly<Record<string, Json>>;
  const paths = [decode, outcomes, resources].flatMap(pathsIn);
  return new Set(paths.flatMap((path) => [path, ...quotedKeys(path), ...path.split(/[^\p{L}\p{N}_$:-]+/u)]));
}

/** Whether the values of a field can identify a person: what the contract says can, and text ids; codes cannot. */
export function isPersonal(
  { resource, source }: CompiledSource,
  own: SourceResourceSpec,
  view: RecordView,
  name: string,
): boolean {
  const viewed = viewSpecOf(own, resource, view);
  const field = viewed?.fields.find((one) => one.name === name);
  const mapping = viewed?.spec.map[name];
  if (field === undefined) return false;
  const { kind, to } = valueFieldOf(field);
  const asked = { kind, to, personal: field.personal };
  return isPersonalField(asked, eachOf(mapping)?.as ?? mapping?.as ?? [], {
    ...targetsIn(source),
    '': own,
  });
}

/** The field whose values are asked for: of a list of values, that of an element. */
const valueFieldOf = (field: Field): Field =>
  field.list !== undefined && 'kind' in field.list.of ? field.list.of : field;

const eachOf = (mapping: MappingSpec[string] | undefined) =>
  mapping !== undefined && 'each' in mapping ? mapping.each : undefined;

/** Whether an id is a free text. */
const isFreeId = ({ id }: SameIds[string]) =>
  id.kind === 'text' && id.pattern === undefined && id.form === undefined;

/** The resources that fields of a source refer to. */
const targetsIn = ({ spec: { resources, sameIds } }: CompiledSource['source']): SameIds => ({
  ...resources,
  ...sameIds,
});

/** The same for a field, or an element of a list, whose values are read by `steps`; `resources` are those of its source. */
function isPersonalField(
  { kind, to = '', personal }: Pick<Field, 'kind' | 'to' | 'personal'>,
  steps: readonly CoercionSpec[],
  resources: SameIds,
): boolean {
  const target = kind === 'id' || kind === 'reference' ? resources[to] : undefined;
  if (target !== undefined) return isFreeId(target);
  return personal && !steps.some((step) => typeof step === 'object' && 'enum' in step);
}

/** A value of a row, and whether it is replaced. Each value of a field in a list of objects is a separate part. */
type RowPart = Pick<FieldProvenance, 'found' | 'from' | 'state'> & {
  readonly isReplaced: boolean;
  /** Of a list of values, the kind of an element. */
  readonly kind: FieldKind | undefined;
  /** How a value is read. */
  readonly steps: readonly CoercionSpec[];
};

const isTime = ({ kind }: RowPart) => kind === 'date' || kind === 'datetime';

/** Whether a value is replaced by a number: it is of a number field, or a JSON number from which a text or a time is read. */
const becomesNumber = (part: RowPart, isText: boolean) =>
  part.isReplaced &&
  (part.kind === 'integer' || part.kind === 'decimal' || (!isText && (part.kind === 'text' || isTime(part))));

function partsOf(
  compiled: CompiledSource,
  own: SourceResourceSpec,
  view: RecordView,
  { field: name, found, from, state }: FieldProvenance,
): readonly RowPart[] {
  const viewed = viewSpecOf(own, compiled.resource, view);
  const ownField = viewed?.fields.find((field) => field.name === name);
  const list = ownField?.list;
  const mapped = viewed?.spec.map[name];
  const map = eachOf(mapped)?.map;
  if (list === undefined || map === undefined || 'kind' in list.of || !isList(found))
    return [
      {
        ...{ found, from, state, isReplaced: isPersonal(compiled, own, view, name) },
        kind: ownField && valueFieldOf(ownField).kind,
        steps: eachOf(mapped)?.as ?? mapped?.as ?? [],
      },
    ];
  const resources = targetsIn(compiled.source);
  return list.of.flatMap((field) => {
    const mapping = map[field.name];
    const isReplaced = mapping !== undefined && isPersonalField(field, mapping.as, resources);
    return [mapping?.from ?? []].flat().flatMap((path) =>
      found.map((element) => ({
        ...{ found: compilePath(path)(element), state, isReplaced, kind: field.kind },
        ...{ steps: mapping?.as ?? [] },
        from: from.map((outer) => `${outer}[].${path}`),
      })),
    );
  });
}

/** The values of a recording: those that are kept, and those that are replaced by others of the same shape. */
export type RecordedValues = {
  readonly kept: Set<string>;
  readonly personal: Set<string>;
  /** Numbers that are replaced by others of the same length. */
  readonly numbers: Set<string>;
  /** Days and times that are moved, as the source writes them, with the steps that read them. */
  readonly times: Map<string, readonly CoercionSpec[]>;
  readonly links: Set<string>;
};

/** Adds the values beside the rows. Totals and echoes are kept; a link or cursor may contain personal values. */
function addBeside(
  { adapter, source, resource }: CompiledSource,
  reply: UpstreamReply,
  values: RecordedValues,
): void {
  try {
    const { total, echo = {}, next } = adapter.list.read(reply, UNOBSERVED);
    for (const one of [total, adapter.list.readCount(reply, UNOBSERVED), ...Object.values(echo)])
      if (one !== undefined) values.kept.add(String(one));
    if (next === undefined) return;
    const kind = source.spec.resources[resource.name]?.list.window.kind;
    // The parameters of a continuation stand in the reply one by one.
    const names = kind === 'continue' ? new URLSearchParams(next).values() : [next];
    for (const name of names) (kind === 'link' ? values.links : values.personal).add(name);
  } catch {
    // The reply is a failure, which has no total and no next window.
  }
}

/** Whether a path is one of these columns, is below one, or is above one. */
function isWithin(path: string, columns: ReadonlySet<string>): boolean {
  const holds = (outer: string, inner: string) =>
    inner.startsWith(outer) && /^[.[]/.test(inner.slice(outer.length));
  return columns.has(path) || [...columns].some((one) => holds(one, path) || holds(path, one));
}

/** Collects the values of a recording and of its query. */
export function collectValues(
  compiled: CompiledSource,
  own: SourceResourceSpec,
  found: readonly ReadReply[],
  query: Query,
) {
  const { yaml } = compiled.source;
  // The file names values that decide how a reply is read, such as those of outcome rules. They are kept.
  const inFile = scalarsOf(yaml.content() as Json).map(({ text }) => text);
  const values: RecordedValues = {
    kept: new Set(inFile),
    personal: new Set(),
    numbers: new Set(),
    times: new Map(),
    links: new Set(),
  };
  const read = found.flatMap(({ view, explainer, reply }) =>
    explainer
      .rows(reply)
      .flatMap((row) => explainer.explain(row))
      .flatMap((one) => partsOf(compiled, own, view, one)),
  );
  const columns = new Set(read.flatMap(({ isReplaced, from }) => (isReplaced ? from : [])));
  for (const part of read) {
    const { found: value, from, state, isReplaced } = part;
    // A value that its field cannot read may be any text, and the column of a kept field may also feed a personal one.
    const isKept = state !== 'unreadable' && !from.some((path) => isWithin(path, columns));
    for (const { text, isText } of scalarsOf(value)) {
      const isNumber = becomesNumber(part, isText);
      if (isReplaced && isTime(part) && moveTime(text, part.steps, 0) !== undefined)
        values.times.set(text, part.steps);
      else if (isNumber && isPlainNumber(text)) values.numbers.add(text);
      else if (isReplaced && isText) values.personal.add(text);
      else if (isKept || !(isText || isNumber)) values.kept.add(text);
    }
  }
  for (const { view, reply } of found) if (view === 'list') addBeside(compiled, reply, values);
  for (const { field, value } of query.kind === 'list' ? query.filters : [])
    for (const one of isPersonal(compiled, own, 'list', field) ? [value].flat() : [])
      if (one instanceof Decimal) values.numbers.add(one.toString());
      else if (typeof one === 'string' && !values.numbers.has(one)) values.personal.add(one);
  return values;
}
