// Finds for `infer` the parameters of a service that filter, by sending likely ones and looking at the rows.

import type { RequestSpec } from '../../../config/schema/source.ts';
import { escapes } from '../../../source/adapter/request/escape.ts';
import type { JsonObject } from '../../../kernel/json/json.ts';
import type { DialectFilter, PlainFilter } from '../dialects/dialect.ts';
import { compileTextReader, type ListAnswer } from '../requests/list-reader.ts';
import { mapLeaves, mapTexts } from '../../../kernel/json/json-tree.ts';
import { withQuery, withValue } from '../requests/request-parameters.ts';
import type { ParameterCandidate } from '../window/parameter-names.ts';
import { type Effect, findParameter, type UnknownParameter } from '../window/find-parameter.ts';
import type { KnownList } from '../window/find-window.ts';
import { usualForms, jsonFilterCandidates } from './filter-forms.ts';

/** What the search for filters needs to know of a list. */
export type FilterContext = Pick<KnownList, 'reader' | 'request' | 'dialect'> & {
  /** Rows of the list without a filter. */
  readonly rows: readonly JsonObject[];
  /** The ids of the first window without a filter. */
  readonly firstIds: readonly string[];
  readonly unknownParameter: UnknownParameter;
  readonly wanted: readonly PlainFilter[];
  /** The documented forms of filters, if there are any. */
  readonly known: readonly DialectFilter[] | undefined;
};

/** The list's request with a condition. */
function filteredRequest(
  { request, dialect }: FilterContext,
  filter: DialectFilter,
  value: string,
): RequestSpec {
  if (filter.body !== undefined) return filter.body.with(request, value);
  const fill = (template: string) => template.replace('{value}', () => value);
  if (filter.query !== undefined) return withQuery(request, mapTexts(filter.query, fill));
  if (filter.expr !== undefined) {
    const condition = filter.expr.replace('{value}', () => escapes[filter.escape ?? 'number'](value));
    const place = (template: string) => template.replace('{filter}', () => condition);
    return withQuery(request, mapTexts(filter.joined?.query ?? dialect?.filterQuery ?? {}, place));
  }
  const typed = filter.escape === 'number' ? Number(value) : value;
  const condition = mapLeaves(filter.item, (leaf) => (leaf === '{value}' ? typed : leaf));
  return withValue(request, { in: 'json', path: dialect?.filterPlace ?? [] }, [condition]);
}

const numberIn = (text: string | undefined) =>
  text === undefined || !/^-?\d+(?:\.\d+)?$/.test(text) ? undefined : Number(text);

/** A condition with a value that some of the known rows meet. */
type Condition = {
  readonly value: string;
  readonly matches: (row: JsonObject) => boolean;
  /** Whether a row has no value: some services let such rows match every value. */
  readonly isEmpty: (row: JsonObject) => boolean;
};

/** The condition to look for a filter with: some rows meet it and others do not, so that an effect can be seen. */
function conditionFor({ rows }: FilterContext, path: string, op: DialectFilter['op']): Condition | undefined {
  const textOf = compileTextReader(path);
  const isEmpty = (row: JsonObject) => textOf(row) === '';
  const texts = rows.map(textOf).filter((text) => text !== '');
  if (op === 'eq') {
    const plain = texts.filter((text) => text.length < 100 && !/[{}]|\$/.test(text));
    const counts = Map.groupBy(plain, (text) => text);
    const rarest = [...counts].sort(([, a], [, b]) => a.length - b.length)[0]?.[0];
    return rarest === undefined || counts.size < 2
      ? undefined
      : { value: rarest, matches: (row) => textOf(row) === rarest, isEmpty };
  }
  const numbers = [...new Set(texts.flatMap((text) => numberIn(text) ?? []))].sort((a, b) => a - b);
  const bound = numbers[Math.floor(numbers.length / 2)];
  if (bound === undefined || numbers.length < 2) return undefined;
  const fits = (own: number) => (op === 'ge' ? own >= bound : own <= bound);
  return {
    value: texts.find((text) => numberIn(text) === bound) ?? String(bound),
    matches: (row) => fits(numberIn(textOf(row)) ?? NaN),
    isEmpty,
  };
}

/** Whether a reply obeys a condition: its rows differ from those without it, and all of them (if `isWide`, some) meet it. */
function conditionEffect({ firstIds }: FilterContext, { matches, isEmpty }: Condition, isWide: boolean) {
  return ({ listing }: ListAnswer): Effect => {
    if (listing === undefined) return 'refused';
    if (listing.rows.length === 0) return 'other';
    const isSame = listing.ids.every((id, index) => id === firstIds[index]);
    const allFit = listing.rows.some(matches) && listing.rows.every((row) => matches(row) || isEmpty(row));
    if (isSame && listing.rows.length === firstIds.length) return 'ignored';
    return allFit || (isWide && listing.rows.some(matches)) ? 'obeyed' : 'other';
  };
}

/** A filter that has an effect, and how its operator is spelled. */
type FoundForm = { readonly filter: DialectFilter; readonly spelledBy: number | undefined };

/** Sends the forms of a filter that services commonly have. Several go in one call if unknown ones are ignored. */
async function findUsual(
  context: FilterContext,
  { field, op, column }: PlainFilter,
  condition: Condition,
  spelledBy: number | undefined,
): Promise<FoundForm | undefined> {
  if (!/^[A-Za-z_]\w*$/.test(column)) return undefined;
  const forms = usualForms(column, op, spelledBy);
  const candidates = forms.flatMap(({ query }) =>
    Object.entries(query).map(([name, template]): ParameterCandidate => ({
      place: { in: 'query', name },
      name,
      template,
    })),
  );
  // Two forms with one name cannot be sent together.
  const isFirst = ({ name }: ParameterCandidate, index: number) =>
    candidates.findIndex((one) => one.name === name) === index;
  const search = {
    reader: context.reader,
    request: context.request,
    value: condition.value,
    unknownParameter: context.unknownParameter,
    effectOf: conditionEffect(context, condition, false),
    callsMax: 16,
  };
  for (const group of [candidates.filter(isFirst), candidates.filter((one, index) => !isFirst(one, index))]) {
    const [found] = await findParameter({ ...search, candidates: group });
    if (found?.effect !== 'obeyed') continue;
    const { name, template = '{value}' } = found.candidate;
    const form = forms.find(({ query }) => query[name] === template);
    return { filter: { field, op, query: { [name]: template } }, spelledBy: form?.spelledBy };
  }
  return undefined;
}

/** Whether a filter by a value that no row has returns no row. It is asked if all known rows have the same value. */
async function leavesNone(context: FilterContext, filter: DialectFilter): Promise<boolean> {
  const { listing } = await context.reader.read(filteredRequest(context, filter, 'zz-portico-nothing'));
  return listing?.rows.length === 0;
}

/** The first of the documented forms of a filter that has an effect. */
async function findKnown(
  context: FilterContext,
  filters: readonly DialectFilter[],
  condition: Condition | undefined,
): Promise<FoundForm | undefined> {
  const { reader } = context;
  for (const filter of filters) {
    if (reader.client.callsLeft < 3) return undefined;
    if (filter.body !== undefined) {
      // If a caller does not filter, the body still has an empty condition, which some services refuse.
      const { listing } = await reader.read(filter.body.with(context.request, undefined));
      if (listing?.ids.length !== context.firstIds.length) continue;
    }
    if (condition === undefined) {
      if (filter.op === 'eq' && (await leavesNone(context, filter))) return { filter, spelledBy: undefined };
      continue;
    }
    const answer = await reader.read(filteredRequest(context, filter, condition.value));
    if (conditionEffect(context, condition, true)(answer) === 'obeyed')
      return { filter, spelledBy: undefined };
  }
  return undefined;
}

/** What helps to find a filter of a service without a dialect. */
type UnknownSearch = {
  readonly condition: Condition;
  readonly spelledBy: number | undefined;
  /** The filter that was found before. */
  readonly before: DialectFilter | undefined;
};

/** A filter in a form that services commonly have: the operator in the name of a parameter, or a JSON object. */
async function findUnknown(
  context: FilterContext,
  wanted: PlainFilter,
  { condition, spelledBy, before }: UnknownSearch,
): Promise<FoundForm | undefined> {
  const usual = () => findUsual(context, wanted, condition, spelledBy);
  if (before !== undefined && before.joined === undefined) return usual();
  const forms = jsonFilterCandidates(wanted).filter(
    ({ joined }) => before === undefined || JSON.stringify(joined) === JSON.stringify(before.joined),
  );
  const inJson = () => findKnown(context, forms, condition);
  return before === undefined ? ((await usual()) ?? inJson()) : inJson();
}

/**
 * Finds which parameter filters by which field: one form for each filter of the contract. Doctor checks later whether the
 * filter returns just the right rows.
 */
export async function findFilters(context: FilterContext): Promise<readonly DialectFilter[]> {
  const found: DialectFilter[] = [];
  let spelledBy: number | undefined;
  for (const wanted of context.wanted) {
    if (context.reader.client.callsLeft < 6) break;
    const condition = conditionFor(context, wanted.column, wanted.op);
    const own = context.known?.filter(({ field, op }) => field === wanted.field && op === wanted.op);
    const one = await (own === undefined
      ? condition && findUnknown(context, wanted, { condition, spelledBy, before: found[0] })
      : findKnown(context, own, condition));
    if (one === undefined) continue;
    spelledBy ??= one.spelledBy;
    found.push(one.filter);
  }
  return found;
}

/** Whether some row has no value at a path. Only such a row can show that a filter leaves out rows without a value. */
export function hasEmpty({ rows }: FilterContext, path: string): boolean {
  return rows.map(compileTextReader(path)).includes('');
}
