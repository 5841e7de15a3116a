import { viewSpecOf, type RecordView } from '../../source/adapter/map/row-fields.ts';
import { quotedKeys } from '../../source/adapter/spec/path.ts';
import type { ReplyExplainer } from '../../source/adapter/read/explain-reply.ts';
import { UNOBSERVED } from '../../source/adapter/map/reply-observer.ts';
import type { SourceResourceSpec } from '../../config/schema/source.ts';
import type { Query } from '../../contract/query.ts';
import { type Json, NumberText } from '../../kernel/json/json.ts';
import type { UpstreamReply } from '../../kernel/upstream-call.ts';
import type { CompiledSource } from '../../source/compile-sources.ts';

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
const NO_PATHS: ReadonlySet<string> = new Set([
  'request',
  'count',
  'filters',
  'sort',
  'filterAlways',
  'filterJoin',
  'filterNone',
  'kind',
  'form',
  'is',
  'on',
  'as',
  'equals',
  'matches',
  'in',
  'pattern',
  'charset',
  'contentTypes',
  'order',
  'pastEnd',
  'counts',
]);

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

/** Whether the values of a field can identify a person: free texts and text ids can; codes, numbers and times cannot. */
export function isPersonal(
  { resource }: CompiledSource,
  own: SourceResourceSpec,
  view: RecordView,
  name: string,
): boolean {
  const viewed = viewSpecOf(own, resource, view);
  const kind = viewed?.fields.find((field) => field.name === name)?.kind;
  if (kind === 'id')
    return own.id.kind === 'text' && own.id.pattern === undefined && own.id.form === undefined;
  const steps = viewed?.spec.map[name]?.as ?? [];
  return kind === 'text' && !steps.some((step) => typeof step === 'object' && 'enum' in step);
}

/** The values of a recording: those that are kept, and those that are replaced by others of the same shape. */
export type RecordedValues = {
  readonly kept: Set<string>;
  readonly personal: Set<string>;
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
    // The reply is a failure, which has no such values.
  }
}

/** Whether a path is one of some columns, a part of one, or holds one. */
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
  const values: RecordedValues = { kept: new Set(inFile), personal: new Set(), links: new Set() };
  const read = found.flatMap(({ view, explainer, reply }) =>
    explainer
      .rows(reply)
      .flatMap((row) => explainer.explain(row))
      .map((one) => ({ ...one, isReplaced: isPersonal(compiled, own, view, one.field) })),
  );
  const columns = new Set(read.flatMap(({ isReplaced, from }) => (isReplaced ? from : [])));
  for (const { found: value, from, state, isReplaced } of read) {
    // A value that its field cannot read may be any text, and the column of a kept field may also feed a personal one.
    const isKept = state !== 'unreadable' && !from.some((path) => isWithin(path, columns));
    for (const { text, isText } of scalarsOf(value)) {
      if (isReplaced && isText) values.personal.add(text);
      else if (isKept || !isText) values.kept.add(text);
    }
  }
  for (const { view, reply } of found) if (view === 'list') addBeside(compiled, reply, values);
  for (const { field, op, value } of query.kind === 'list' ? query.filters : [])
    if (op === 'eq' && typeof value === 'string' && isPersonal(compiled, own, 'list', field))
      values.personal.add(value);
  return values;
}
