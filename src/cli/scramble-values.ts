import { type ReplyExplainer, explainReplies } from '../adapter/explain-reply.ts';
import type { FieldProvenance } from '../adapter/explain-record.ts';
import type { Fixture } from '../config/fixture-schema.ts';
import { operations, resources } from '../contract/operations.ts';
import { compareKeys, sortKeyOf } from '../contract/order.ts';
import { Decimal } from '../kernel/decimal.ts';
import { type Json, NumberText } from '../kernel/json.ts';
import type { UpstreamReply } from '../kernel/upstream.ts';
import type { CompiledSource } from '../pipeline/compile-sources.ts';
import { replyOf } from './replay.ts';
import { createTextScrambler, saysSomething } from './scramble-text.ts';

/** A reply of a fixture, and how it is read. */
export type ReadReply = { readonly explainer: ReplyExplainer; readonly reply: UpstreamReply };

/** What stands for what: texts of records, and the values of fields that they become. */
export type Replacements = {
  readonly texts: ReadonlyMap<string, string>;
  /** Values of v1 fields, by `field value`. */
  readonly values: ReadonlyMap<string, string>;
  /** Texts that no other could stand for, such as the codes of an enum. */
  readonly codes: readonly string[];
};

/** Rows that a change of a text is tried on. */
const ROWS_TRIED = 3;

/** The text of a text or number. */
function scalarText(value: Json | undefined): string | undefined {
  if (value instanceof NumberText) return value.text;
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}

/** The texts and numbers of a document, keys left out. */
export function textsOf(value: Json): readonly string[] {
  const text = scalarText(value);
  if (text !== undefined) return [text];
  if (typeof value !== 'object' || value === null || value instanceof NumberText) return [];
  return Object.values(value as Readonly<Record<string, Json>>).flatMap(textsOf);
}

/** A document with other texts and numbers. */
function withTexts(value: Json, replace: (text: string) => string | undefined): Json {
  const text = scalarText(value);
  if (text !== undefined) {
    const made = replace(text);
    if (made === undefined) return value;
    return typeof value === 'string' ? made : new NumberText(made);
  }
  if (typeof value !== 'object' || value === null || value instanceof NumberText) return value;
  if (Array.isArray(value)) return (value as readonly Json[]).map((item) => withTexts(item, replace));
  const entries = Object.entries(value as Readonly<Record<string, Json>>);
  return Object.fromEntries(entries.map(([key, below]) => [key, withTexts(below, replace)]));
}

/** Every reply of fixtures, with what reads it. */
export function readReplies(
  fixtures: readonly Fixture[],
  sources: readonly CompiledSource[],
): readonly ReadReply[] {
  return fixtures.flatMap(({ request, upstream }) => {
    const path = request.replace(/^GET /, '').replace(/\?.*$/s, '');
    const operation = operations.find(
      (one) => path === one.path || path.startsWith(one.path.replace(':id', '')),
    );
    const compiled = sources.find(({ resource }) => resource === operation?.resource);
    if (operation === undefined || compiled === undefined) return [];
    const isSingle = path !== `/v1/${operation.resource.name}`;
    const explainer = explainReplies(compiled.source.spec, compiled.resource, isSingle ? 'get' : 'list');
    return explainer === undefined
      ? []
      : upstream.map((exchange) => ({ explainer, reply: replyOf(exchange) }));
  });
}

/** The bounds that prices are compared with, of all requests. */
function boundsOf(fixtures: readonly Fixture[]): readonly Decimal[] {
  const parameters = Object.values(resources).flatMap(({ filters }) =>
    filters.filter(({ op }) => op !== 'eq').map(({ name }) => name),
  );
  return fixtures.flatMap(({ request }) => {
    const query = new URLSearchParams(request.replace(/^[^?]*\??/, ''));
    return parameters.flatMap((name) => Decimal.parse(query.get(name) ?? '') ?? []);
  });
}

/** Whether a field is read as before, on the same side of every bound. */
function isAlike(before: FieldProvenance, after: FieldProvenance, bounds: readonly Decimal[]): boolean {
  if (before.state !== after.state) return false;
  const [left, right] = [before.value, after.value];
  if (!(left instanceof Decimal) || !(right instanceof Decimal)) return (left === null) === (right === null);
  return bounds.every((bound) => Math.sign(left.compare(bound)) === Math.sign(right.compare(bound)));
}

/** The texts of ids that must stay: numbers say nothing of anybody, and other forms cannot be kept. */
function keptIds(
  sources: readonly CompiledSource[],
  rows: readonly (readonly FieldProvenance[])[],
): ReadonlySet<string> {
  const free = sources.every(({ source, resource }) => {
    const id = source.spec.resources[resource.name]?.id;
    return id?.kind === 'text' && id.pattern === undefined && id.form === undefined;
  });
  if (free) return new Set();
  return new Set(
    rows.flatMap((fields) => scalarText(fields.find(({ field }) => field === 'id')?.found) ?? []),
  );
}

/** Gives the made-up texts of a field to its values so that their order stays. */
function keepOrder(
  texts: Map<string, string>,
  sorted: readonly string[],
  valueOf: (text: string) => string | Decimal | undefined,
  kind: Parameters<typeof sortKeyOf>[0],
): void {
  const made = sorted.map((text) => texts.get(text));
  if (made.some((text) => text === undefined)) return;
  const keyed = (made as string[]).flatMap((text) => {
    const value = valueOf(text);
    return value === undefined ? [] : [{ text, key: sortKeyOf(kind, value) }];
  });
  if (keyed.length !== sorted.length) return;
  keyed.sort((a, b) => compareKeys(a.key, b.key));
  sorted.forEach((text, index) => texts.set(text, keyed[index]?.text ?? text));
}

/**
 * Makes up a text for each text of the records that says something. What a field is read as stays: a value for a value,
 * unreadable for unreadable, on the same side of every bound that is asked for, and in the order of the fields in
 * `ordered`. `protectedTexts` stay as they are.
 */
export function makeReplacements(
  fixtures: readonly Fixture[],
  replies: readonly ReadReply[],
  sources: readonly CompiledSource[],
  ordered: readonly string[],
  protectedTexts: ReadonlySet<string>,
): Replacements {
  const bounds = boundsOf(fixtures);
  const rows = replies.flatMap(({ explainer, reply }) =>
    explainer.rows(reply).map((row) => ({ row, explainer, fields: explainer.explain(row) })),
  );
  const ids = keptIds(
    sources,
    rows.map(({ fields }) => fields),
  );
  const all = new Set(replies.flatMap(({ explainer, reply }) => textsOf(explainer.body(reply) ?? null)));
  const inRows = new Map<string, typeof rows>();
  for (const row of rows)
    for (const text of new Set(textsOf(row.row))) {
      const known = inRows.get(text) ?? [];
      if (known.length < ROWS_TRIED) inRows.set(text, [...known, row]);
    }
  const scrambler = createTextScrambler(all);
  const texts = new Map<string, string>();
  const codes: string[] = [];
  for (const text of all) {
    if (!saysSomething(text) || ids.has(text) || protectedTexts.has(text)) continue;
    const tried = inRows.get(text) ?? [];
    // Numbers beside the records count rows and windows.
    if (tried.length === 0 && /^-?[\d.]+$/.test(text)) continue;
    const made = scrambler.scramble(text, (candidate) =>
      tried.every(({ row, explainer, fields }) => {
        const changed = explainer.explain(withTexts(row, (one) => (one === text ? candidate : undefined)));
        return fields.every((field, index) => {
          const after = changed[index];
          return after !== undefined && isAlike(field, after, bounds);
        });
      }),
    );
    if (made === undefined) codes.push(text);
    else texts.set(text, made);
  }
  for (const field of ordered) orderField(field, rows, texts, sources);
  return { texts, values: valuesOf(rows, texts), codes };
}

type Row = {
  readonly row: Json;
  readonly explainer: ReplyExplainer;
  readonly fields: readonly FieldProvenance[];
};

function orderField(
  name: string,
  rows: readonly Row[],
  texts: Map<string, string>,
  sources: readonly CompiledSource[],
): void {
  const kind = sources
    .flatMap(({ resource }) => resource.itemFields)
    .find((field) => field.name === name)?.kind;
  const values = new Map<string, string | Decimal>();
  let sample: Row | undefined;
  for (const row of rows) {
    const field = row.fields.find((one) => one.field === name);
    const text = scalarText(field?.found);
    if (text === undefined || field?.value === null || field?.value === undefined) continue;
    values.set(text, field.value);
    sample = row;
  }
  if (kind === undefined || sample === undefined) return;
  const { row, explainer, fields } = sample;
  const own = scalarText(fields.find(({ field }) => field === name)?.found);
  const valueOf = (text: string) => {
    const changed = explainer.explain(withTexts(row, (one) => (one === own ? text : undefined)));
    return changed.find(({ field }) => field === name)?.value ?? undefined;
  };
  const keys = [...values].map(([text, value]) => ({ text, key: sortKeyOf(kind, value) }));
  keys.sort((a, b) => compareKeys(a.key, b.key));
  keepOrder(
    texts,
    keys.map(({ text }) => text),
    valueOf,
    kind,
  );
}

/** What the values of v1 fields become. */
function valuesOf(rows: readonly Row[], texts: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  for (const { row, explainer, fields } of rows) {
    const changed = explainer.explain(withTexts(row, (text) => texts.get(text)));
    fields.forEach(({ field, value }, index) => {
      const after = changed[index]?.value;
      if (typeof value === 'string' && typeof after === 'string') values.set(`${field} ${value}`, after);
    });
  }
  return values;
}
