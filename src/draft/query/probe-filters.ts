import type { RequestSpec } from '../../config/schema/source.ts';
import { compilePath } from '../../adapter/path.ts';
import { escapes } from '../../adapter/request/escape.ts';
import type { JsonObject } from '../../kernel/json/json.ts';
import type { Dialect, DialectFilter } from '../dialects/dialect.ts';
import { scalarText } from '../../kernel/json/values.ts';
import type { ListReader, ListReply } from '../requests/list-reader.ts';
import { mapTexts } from '../requests/map-leaves.ts';
import { withQuery, withValue } from '../requests/request-parameters.ts';

/** A filter that worked. */
export type FoundFilter = DialectFilter & {
  readonly exact: boolean;
  /** The total still counted all rows. */
  readonly countsAll: boolean;
  readonly remark: string;
};

/** The facts about a list that its filters are tried on. */
export type FilterContext = {
  readonly request: RequestSpec;
  /** Rows of the list without a filter. They are all rows if `complete` is true. */
  readonly rows: readonly JsonObject[];
  readonly complete: boolean;
  /** The largest number of rows in one reply to `request`. */
  readonly windowRows: number;
  readonly totalOf: (listing: ListReply) => number | undefined;
  readonly idOf: (row: JsonObject) => string;
  /** The path of a field, if no step changes its value. */
  readonly pathOf: (field: 'category' | 'price') => string | undefined;
  readonly dialect: Dialect | undefined;
};

/** The list's request with a condition. */
function filteredRequest(
  { request, dialect }: FilterContext,
  filter: DialectFilter,
  value: string,
): RequestSpec {
  const fill = (template: string) => template.replace('{value}', () => value);
  if (filter.query !== undefined) return withQuery(request, mapTexts(filter.query, fill));
  if (filter.expr !== undefined) {
    const condition = filter.expr.replace('{value}', () => escapes[filter.escape ?? 'number'](value));
    const place = (template: string) => template.replace('{filter}', () => condition);
    return withQuery(request, mapTexts(dialect?.filterQuery ?? {}, place));
  }
  const condition = mapTexts(filter.item, (text) => (text === '{value}' ? value : text));
  return withValue(request, { in: 'json', path: dialect?.filterPlace ?? [] }, [condition]);
}

type RowMatches = (row: JsonObject, value: string) => boolean;

const numberIn = (text: string | undefined) =>
  text === undefined || !/^-?\d+(?:\.\d+)?$/.test(text) ? undefined : Number(text);

/** Compiles the condition that the contract means by a filter. */
function compileMatches(path: string, op: DialectFilter['op']): RowMatches {
  const find = compilePath(path);
  return (row, value) => {
    const text = scalarText(find(row))?.trim();
    if (op === 'eq') return text === value;
    const own = numberIn(text);
    return own !== undefined && (op === 'ge' ? own >= Number(value) : own <= Number(value));
  };
}

/** How many values of each kind are tried. */
const VALUES_MAX = 8;

/** How difficult a text is to send: highest for one that looks like another type, then for one that a URL escapes. */
function escapingScore(text: string): number {
  if (/^(?:null|true|false|undefined|nan|-?\d+(?:\.\d+)?)$/i.test(text)) return 3;
  if (/[^\w ]/.test(text)) return 2;
  // A text with a letter shows whether case matters.
  return /[a-z]/i.test(text) ? 1 : 0;
}

/** Values to filter by. Some rows have such a value and others do not. */
function sampleValues(context: FilterContext, path: string, op: DialectFilter['op']): readonly string[] {
  const find = compilePath(path);
  const texts = context.rows.map((row) => scalarText(find(row))?.trim() ?? '').filter((text) => text !== '');
  if (op === 'eq') {
    const values = [...new Set(texts)].filter((text) => text.length < 100 && !/[{}]|\$/.test(text));
    return values.sort((a, b) => escapingScore(b) - escapingScore(a)).slice(0, VALUES_MAX);
  }
  const numbers = [...new Set(texts)]
    .filter((text) => numberIn(text) !== undefined)
    .sort((a, b) => Number(a) - Number(b));
  const fractions = numbers.filter((text) => text.includes('.'));
  const among = fractions.length > 0 ? fractions : numbers;
  const middle = among[Math.floor((among.length - 1) / 2)];
  if (middle === undefined || numbers.length < 2) return [];
  // A value slightly above a price. A service that truncates fractions then finds one row too many or too few.
  const digits = (middle.split('.')[1]?.length ?? 0) + 1;
  const above = (Number(middle) + 10 ** -digits).toFixed(digits);
  // A bound that all prices meet. Rows without a price must not match it.
  return [middle, above, op === 'ge' ? '0' : '99999999'];
}

/** The result of a filter: the right rows; the right rows with a total of all rows; more rows; or other rows. */
type FilterVerdict = 'right' | 'countsAll' | 'wide' | 'wrong';

function judge(context: FilterContext, found: ListReply, matches: RowMatches, value: string): FilterVerdict {
  const allMatch = found.rows.every((row) => matches(row, value));
  const expected = context.rows.filter((row) => matches(row, value));
  const total = context.totalOf(found);
  if (found.rows.length === 0) return 'wrong';
  if (!context.complete) {
    const fewer =
      total === undefined || total < context.rows.length || found.rows.length < context.windowRows;
    return allMatch && (fewer || total >= expected.length) ? 'right' : 'wrong';
  }
  if (!allMatch) {
    const ids = new Set(found.rows.map(context.idOf));
    const isWhole = found.rows.length < context.windowRows || context.rows.length <= context.windowRows;
    return isWhole && expected.every((row) => ids.has(context.idOf(row))) ? 'wide' : 'wrong';
  }
  if (found.rows.length !== Math.min(expected.length, context.windowRows)) return 'wrong';
  if (total === undefined || total === expected.length) return 'right';
  return total === context.rows.length ? 'countsAll' : 'wrong';
}

const otherCase = (text: string) => (text === text.toUpperCase() ? text.toLowerCase() : text.toUpperCase());
const UNUSED_VALUE = 'zz-portico-nothing';

/** Whether a value that no row has gives no row, or fewer than all. A filter that is ignored gives all rows. */
async function isApplied(
  reader: ListReader,
  context: FilterContext,
  filter: DialectFilter,
  wide: boolean,
): Promise<boolean> {
  const beyond = { eq: UNUSED_VALUE, ge: '99999999999', le: '-99999999999' }[filter.op];
  const { listing } = await reader.read(filteredRequest(context, filter, beyond));
  if (listing === undefined) return false;
  return (
    listing.rows.length === 0 ||
    (wide && listing.rows.length < Math.min(context.windowRows, context.rows.length))
  );
}

/** Whether a filter ignores case. */
async function ignoresCase(
  reader: ListReader,
  context: FilterContext,
  filter: DialectFilter,
  { matches, values }: { readonly matches: RowMatches; readonly values: readonly string[] },
): Promise<boolean> {
  const cased = values.find((value) => otherCase(value) !== value);
  if (filter.op !== 'eq' || cased === undefined) return false;
  const { listing } = await reader.read(filteredRequest(context, filter, otherCase(cased)));
  return listing?.rows.some((row) => matches(row, cased)) === true;
}

async function tryFilter(
  reader: ListReader,
  context: FilterContext,
  filter: DialectFilter,
): Promise<FoundFilter | undefined> {
  const path = context.pathOf(filter.field);
  const values = path === undefined ? [] : sampleValues(context, path, filter.op);
  if (path === undefined || values.length === 0 || reader.client.callsLeft < 6) return undefined;
  const matches = compileMatches(path, filter.op);
  const verdicts = new Set<FilterVerdict>();
  for (const value of values) {
    const { listing } = await reader.read(filteredRequest(context, filter, value));
    verdicts.add(listing === undefined ? 'wrong' : judge(context, listing, matches, value));
    if (verdicts.has('wrong')) return undefined;
  }
  const wide = verdicts.has('wide');
  if (!(await isApplied(reader, context, filter, wide))) return undefined;
  const caseless = await ignoresCase(reader, context, filter, { matches, values });
  const exact = !wide && !caseless && filter.superset !== true;
  const seen = context.complete ? 'against all rows of the list' : 'against the rows seen';
  const tried = `tried with ${values.length} value${values.length > 1 ? 's' : ''} and one that no row has, ${seen}`;
  const remark = wide ? `${tried}: more rows come than match` : caseless ? 'ignores case' : tried;
  return { ...filter, exact, countsAll: verdicts.has('countsAll'), remark };
}

/** Common forms of filter parameters, for a plain column. */
export function usualFilters(
  category: string | undefined,
  price: string | undefined,
): readonly DialectFilter[] {
  const isPlain = (column: string | undefined) => column !== undefined && /^[A-Za-z_]\w*$/.test(column);
  const capitalised = `${price?.[0]?.toUpperCase() ?? ''}${price?.slice(1) ?? ''}`;
  const names = [category, `filter[${category}]`];
  const bounds = [
    [`${price}_gte`, `${price}_lte`],
    [`min_${price}`, `max_${price}`],
    [`${price}[gte]`, `${price}[lte]`],
    [`min${capitalised}`, `max${capitalised}`],
  ];
  const filter = (field: 'category' | 'price', op: 'eq' | 'ge' | 'le', name = ''): DialectFilter => ({
    field,
    op,
    query: { [name]: '{value}' },
  });
  return [
    ...(isPlain(category) ? names.map((name) => filter('category', 'eq', name)) : []),
    ...(isPlain(price)
      ? bounds.flatMap(([low, high]) => [filter('price', 'ge', low), filter('price', 'le', high)])
      : []),
  ];
}

/** Tries filters. Of several forms of the same filter, the first that works is kept. */
export async function findFilters(
  reader: ListReader,
  context: FilterContext,
  filters: readonly DialectFilter[],
): Promise<readonly FoundFilter[]> {
  const found: FoundFilter[] = [];
  for (const filter of filters) {
    if (found.some(({ field, op }) => field === filter.field && op === filter.op)) continue;
    const accepted = await tryFilter(reader, context, filter);
    if (accepted !== undefined) found.push(accepted);
  }
  return found;
}
