// Finds out for `infer` what the `filters` section of the draft says, by trying parameters on the service.

import { compileFieldReader } from '../../../source/adapter/map/map-record.ts';
import { compilePath } from '../../../source/adapter/spec/path.ts';
import { CHECKED } from '../../../source/adapter/spec/spec-location.ts';
import { mapping } from '../../../config/schema/mapping/mapping.ts';
import type { RequestSpec } from '../../../config/schema/source.ts';
import type { Resource } from '../../../contract/resource.ts';
import type { JsonObject } from '../../../kernel/json/json.ts';
import { type JsonType, jsonType } from '../../../kernel/json/values.ts';
import { type Dialect, type DialectFilter, plainFilters } from '../dialects/dialect.ts';
import { type FieldDraft, pathsAndSteps } from '../map/map-list.ts';
import { type DraftNote, likely, notesAt, type Remark } from '../notes/note.ts';
import { findFilters, type FilterContext, hasEmpty } from './find-filters.ts';
import { withQuery, withValue } from '../requests/request-parameters.ts';
import type { UnknownParameter } from '../window/find-parameter.ts';
import type { KnownList } from '../window/find-window.ts';
import type { ListRows } from '../window/read-whole-list.ts';

/** The `filters` section of a draft. */
export type FiltersDraft = {
  readonly filters: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** The text between two conditions, if it is not the usual one. */
  readonly join?: string | undefined;
  /** Adds the place for filter conditions to a request. */
  readonly extend: (request: RequestSpec) => RequestSpec;
  readonly notes: readonly DraftNote[];
};

const NONE: FiltersDraft = { filters: {}, extend: (request) => request, notes: [] };

/** Whether a step can be inverted, so that a value of the contract can be sent. */
function isReversible(step: unknown): boolean {
  if (typeof step === 'string') return step === 'trim' || step === 'text';
  if (typeof step !== 'object' || step === null) return false;
  if ('nullIf' in step) return true;
  return 'number' in step && JSON.stringify(step.number) === '{}';
}

/** The path of a field whose values the service stores unchanged. */
function pathOf(map: Readonly<Record<string, FieldDraft>>, field: string): string | undefined {
  const draft = map[field] ?? null;
  if (draft === null || (typeof draft === 'object' && 'each' in draft)) return undefined;
  const { from, as } = pathsAndSteps(draft);
  const money = moneyOf(draft);
  const steps = money === undefined ? as : as.slice(1);
  if (typeof from !== 'string' || !steps.every(isReversible)) return undefined;
  return [from, money?.amount].filter((part) => part !== undefined && part !== '').join('.');
}

/** The money step of a field. A filter on such an amount also finds other currencies. */
function moneyOf(draft: FieldDraft | undefined): { readonly amount: string } | undefined {
  if (draft === null || draft === undefined) return undefined;
  const [first] = pathsAndSteps(draft).as as readonly { readonly money?: { readonly amount: string } }[];
  return typeof first === 'object' ? first.money : undefined;
}

/** Whether another filter uses the same parameter. */
function sharesParameter(filter: DialectFilter, found: readonly DialectFilter[]): boolean {
  const others = found.filter((other) => other !== filter);
  return Object.keys(filter.query ?? {}).some((name) =>
    others.some((other) => Object.hasOwn(other.query ?? {}, name)),
  );
}

/** A filter as the draft has it. */
function specOf(
  { query, expr, escape, item, name }: DialectFilter,
  { repeats, isExact, types }: { repeats: boolean; isExact: boolean; types: readonly JsonType[] },
): Readonly<Record<string, unknown>> {
  const spec = {
    ...{ query, repeats: repeats || undefined, expr, item, name, escape },
    types: types.length > 0 ? types : undefined,
    exactness: isExact ? 'exact' : 'superset',
  };
  return Object.fromEntries(Object.entries(spec).filter(([, value]) => value !== undefined));
}

/** The JSON types of a field's values that can be read. */
function typesOf(
  { resource, map }: FilterSearch,
  name: string,
  rows: readonly JsonObject[],
): readonly JsonType[] {
  const field = resource.itemFields.find((one) => one.name === name);
  const spec = mapping.safeParse({ [name]: map[name] }).data?.[name];
  const path = pathOf(map, name);
  if (field === undefined || spec === undefined || path === undefined) return [];
  const { read } = compileFieldReader(field, spec, CHECKED);
  const find = compilePath(path);
  const known = rows.filter((row) => read(row, () => undefined) !== null);
  return [...new Set(known.flatMap((row) => jsonType(find(row)) ?? []))];
}

/** Adds the place for filter conditions to a request. */
function withFilterPlace(
  request: RequestSpec,
  found: readonly DialectFilter[],
  dialect: Dialect | undefined,
): RequestSpec {
  const filled = found.reduce((made, { body }) => body?.template(made) ?? made, request);
  const byExpr = found.some(({ expr }) => expr !== undefined);
  const joined = found.find((one) => one.joined !== undefined)?.joined?.query;
  const extended = withQuery(filled, (byExpr && (joined ?? dialect?.filterQuery)) || {});
  if (dialect?.filterPlace === undefined || !found.some(({ item }) => item !== undefined)) return extended;
  return withValue(extended, { in: 'json', path: dialect.filterPlace }, '{filters}');
}

/** What `infer` knows of a list before it looks for filters. */
type FilterSearch = KnownList & {
  readonly resource: Resource;
  /** The request for the first window; `undefined` if the list has no windows. */
  readonly windowed: RequestSpec | undefined;
  readonly unknownParameter: UnknownParameter | undefined;
  readonly walk: ListRows | undefined;
  readonly map: Readonly<Record<string, FieldDraft>>;
};

/** Why no filter was looked for; `undefined` if some were. */
function whyNone({ windowed, walk, dialect }: FilterSearch): string | undefined {
  if (windowed === undefined) return 'no filter was tried: one call brings the whole list';
  if (walk === undefined || walk.rows.length < 2) return 'no filter was tried: too few rows were seen';
  if (dialect === undefined && windowed.body !== undefined)
    return 'no filter was tried: none is known for lists that are asked for with a body';
  return undefined;
}

function remarkOf(isExact: boolean, isWide: boolean, field: string): Remark {
  if (isExact) return likely(`rows without ${field} were among those that it was tried on`);
  if (isWide)
    return likely('it may return more rows than the contract asks for, so Portico filters them again');
  return likely(
    `no row without ${field} was seen, so nothing shows that it leaves such rows out: write exactness: exact if it does`,
  );
}

/** Proposes filters of the contract: parameters that leave out rows. */
export async function inferFilters(search: FilterSearch): Promise<FiltersDraft> {
  const { resource, reader, windowed, walk, base, dialect, map } = search;
  if (resource.filters.length === 0) return NONE;
  const at = ['resources', resource.name, 'list'];
  const why = whyNone(search);
  if (why !== undefined || windowed === undefined || walk === undefined)
    return { ...NONE, notes: notesAt([...at, 'items'], why !== undefined && likely(why)) };
  const plain = (field: string) => {
    const path = pathOf(map, field);
    return path !== undefined && /^[\w.]+$/.test(path) ? path : undefined;
  };
  const known = dialect === undefined ? undefined : dialect.filters(plainFilters(resource, plain));
  if (known?.length === 0) {
    const none = likely(`no filter was tried: none is known for ${dialect?.title ?? ''} and these columns`);
    return { ...NONE, notes: notesAt([...at, 'items'], none) };
  }
  const first = (await reader.read(windowed)).listing ?? base;
  const context: FilterContext = {
    ...{ reader, dialect, known },
    request: windowed,
    rows: walk.rows,
    firstIds: first.ids,
    unknownParameter: dialect === undefined ? (search.unknownParameter ?? 'refused') : 'ignored',
    wanted: plainFilters(resource, (field) => pathOf(map, field)),
  };
  const found = await findFilters(context);
  const filters: Record<string, Record<string, unknown>> = {};
  const notes: DraftNote[] = [];
  for (const filter of found) {
    const { field, op } = filter;
    const isWide = filter.superset === true || moneyOf(map[field]) !== undefined;
    // Doctor checks whether the service honours both values.
    const repeats = sharesParameter(filter, found);
    const isExact = !isWide && hasEmpty(context, pathOf(map, field) ?? '');
    filters[field] = {
      ...filters[field],
      [op]: specOf(filter, { repeats, isExact, types: typesOf(search, field, walk.rows) }),
    };
    notes.push({ at: [...at, 'filters', field, op], ...remarkOf(isExact, isWide, field) });
  }
  const tried =
    found.length > 0 ? [] : notesAt([...at, 'items'], likely('no parameter that filters was found'));
  return {
    filters,
    join: found.find(({ joined }) => joined !== undefined)?.joined?.by,
    extend: (other) => withFilterPlace(other, found, dialect),
    notes: [...notes, ...tried],
  };
}
