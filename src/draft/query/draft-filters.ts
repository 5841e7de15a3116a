import type { RequestSpec } from '../../config/schema/source.ts';
import type { Resource } from '../../contract/resources.ts';
import { compilePath } from '../../adapter/path.ts';
import type { Dialect } from '../dialects/dialect.ts';
import { scalarText } from '../../kernel/json/values.ts';
import type { ListReader } from '../requests/list-reader.ts';
import type { FieldDraft } from '../map/map-fields.ts';
import type { DraftNote } from '../note.ts';
import { findFilters, type FilterContext, type FoundFilter, usualFilters } from './probe-filters.ts';
import { withQuery, withValue } from '../requests/request-parameters.ts';
import { readTotal, type TotalPlace } from '../window/probe-total.ts';
import { type NumberedWindows, type ListWalk, windowRequest } from '../requests/walk-list.ts';

/** The `filters` section of a draft. */
export type FiltersDraft = {
  readonly filters: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Adds the place for filter conditions to a request. */
  readonly extend: (request: RequestSpec) => RequestSpec;
  /** The total does not change with a filter. */
  readonly countsAll: boolean;
  readonly notes: readonly DraftNote[];
};

const NONE: FiltersDraft = { filters: {}, extend: (request) => request, countsAll: false, notes: [] };

/** Whether a step can be inverted, so that a value of the contract can be sent. */
function isReversible(step: unknown): boolean {
  if (typeof step === 'string') return step === 'trim' || step === 'text';
  if (typeof step !== 'object' || step === null) return false;
  if ('nullIf' in step) return true;
  return 'number' in step && JSON.stringify(step.number) === '{}';
}

/** The path of a field whose values the service stores unchanged. */
function pathOf(map: Readonly<Record<string, FieldDraft>>, field: string): string | undefined {
  const draft = map[field];
  if (draft === null || draft === undefined) return undefined;
  if (typeof draft === 'string') return draft;
  const money = moneyOf(draft);
  const steps = money === undefined ? draft.as : draft.as.slice(1);
  if (typeof draft.from !== 'string' || !steps.every(isReversible)) return undefined;
  return [draft.from, money?.amount].filter((part) => part !== undefined && part !== '').join('.');
}

/** The money step of a field. A filter on such an amount also finds other currencies. */
function moneyOf(draft: FieldDraft | undefined): { readonly amount: string } | undefined {
  if (draft === null || draft === undefined || typeof draft === 'string') return undefined;
  const [first] = draft.as as readonly { readonly money?: { readonly amount: string } }[];
  return typeof first === 'object' ? first.money : undefined;
}

/** Whether another filter writes a parameter of this one. */
function sharesParameter({ query = {} }: FoundFilter, others: readonly FoundFilter[]): boolean {
  return Object.keys(query).some((name) => others.some((other) => Object.hasOwn(other.query ?? {}, name)));
}

function specOf(
  { query, expr, escape, item, exact }: FoundFilter,
  repeats: boolean,
): Readonly<Record<string, unknown>> {
  return {
    ...(query !== undefined && { query }),
    ...(repeats && { repeats }),
    ...(expr !== undefined && { expr, escape }),
    ...(item !== undefined && { item }),
    exactness: exact ? 'exact' : 'superset',
  };
}

/** Adds the place for filter conditions to a request. */
function withFilterPlace(
  request: RequestSpec,
  found: readonly FoundFilter[],
  dialect: Dialect | undefined,
): RequestSpec {
  const byExpr = found.some(({ expr }) => expr !== undefined);
  const extended = withQuery(request, (byExpr && dialect?.filterQuery) || {});
  if (dialect?.filterPlace === undefined || !found.some(({ item }) => item !== undefined)) return extended;
  return withValue(extended, { in: 'json', path: dialect.filterPlace }, '{filters}');
}

/** Tries the filters of the contract against rows that are known. */
export async function draftFilters(context: {
  readonly resource: Resource;
  readonly reader: ListReader;
  readonly numbered: NumberedWindows | undefined;
  readonly walk: ListWalk | undefined;
  readonly dialect: Dialect | undefined;
  readonly map: Readonly<Record<string, FieldDraft>>;
  readonly total: TotalPlace | undefined;
}): Promise<FiltersDraft> {
  const { resource, reader, numbered, walk, dialect, map, total } = context;
  const isKnown = walk !== undefined && walk.rows.length > 1;
  if (resource.filters.length === 0 || numbered === undefined || !isKnown) return NONE;
  const plain = (field: string) => {
    const path = pathOf(map, field);
    return path !== undefined && /^[\w.]+$/.test(path) ? path : undefined;
  };
  const candidates =
    dialect?.filters?.(plain) ?? (walk.complete ? usualFilters(plain('category'), plain('price')) : []);
  const findId = compilePath(reader.layout.idPath);
  const filterContext: FilterContext = {
    request: windowRequest(numbered, 0),
    rows: walk.rows,
    complete: walk.complete,
    windowRows: numbered.rows,
    totalOf: (listing) => (total === undefined ? undefined : readTotal(total, listing)),
    idOf: (row) => scalarText(findId(row)) ?? '',
    pathOf: (field) => pathOf(map, field),
    dialect,
  };
  const isMoney = moneyOf(map['price']) !== undefined;
  const widened = candidates.map((one) =>
    one.field === 'price' && isMoney ? { ...one, superset: true } : one,
  );
  const found = await findFilters(reader, filterContext, widened);
  const filters: Record<string, Record<string, unknown>> = {};
  const notes: DraftNote[] = [];
  for (const filter of found) {
    // Whether both values count is asked by doctor.
    const repeats = sharesParameter(
      filter,
      found.filter((other) => other !== filter),
    );
    filters[filter.field] = { ...filters[filter.field], [filter.op]: specOf(filter, repeats) };
    const at = ['resources', resource.name, 'list', 'filters', filter.field, filter.op];
    notes.push({ at, level: walk.complete ? 'sure' : 'likely', text: filter.remark });
  }
  return {
    filters,
    extend: (request) => withFilterPlace(request, found, dialect),
    countsAll: found.some(({ countsAll }) => countsAll),
    notes,
  };
}
