import type { RequestSpec } from '../../config/schema/source.ts';
import { compilePath } from '../../adapter/path.ts';
import { escapes } from '../../adapter/request/escape.ts';
import type { JsonObject } from '../../kernel/json/json.ts';
import type { DialectFilter } from '../dialects/dialect.ts';
import { scalarText } from '../../kernel/json/values.ts';
import type { ListReader, ListReply } from '../requests/list-reader.ts';
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
  /** The query with the filter expression, such as `{ $filter: '{filter}' }`. */
  readonly filterQuery: Readonly<Record<string, string>> | undefined;
  /** The path of the list of conditions in a JSON body. */
  readonly itemPlace: readonly string[] | undefined;
};

function asked(context: FilterContext, filter: DialectFilter, value: string): RequestSpec {
  const fill = (template: string) => template.replace('{value}', () => value);
  if (filter.query !== undefined) {
    return withQuery(
      context.request,
      Object.fromEntries(Object.entries(filter.query).map(([name, template]) => [name, fill(template)])),
    );
  }
  if (filter.expr !== undefined) {
    const condition = filter.expr.replace('{value}', () => escapes[filter.escape ?? 'number'](value));
    const query = Object.entries(context.filterQuery ?? {}).map(([name, template]) => [
      name,
      template.replace('{filter}', () => condition),
    ]);
    return withQuery(context.request, Object.fromEntries(query) as Record<string, string>);
  }
  const written = JSON.stringify(filter.item).replaceAll('"{value}"', () => JSON.stringify(value));
  const place = { in: 'json', path: context.itemPlace ?? [] } as const;
  return withValue(context.request, place, [JSON.parse(written)] as unknown as string);
}

type RowMatches = (row: JsonObject, value: string) => boolean;

const numberIn = (text: string | undefined) =>
  text === undefined || !/^-?\d+(?:\.\d+)?$/.test(text) ? undefined : Number(text);

function fitsOf(path: string, op: DialectFilter['op']): RowMatches {
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
function hardness(text: string): number {
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
    return values.sort((a, b) => hardness(b) - hardness(a)).slice(0, VALUES_MAX);
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

function judge(context: FilterContext, found: ListReply, fits: RowMatches, value: string): FilterVerdict {
  const allFit = found.rows.every((row) => fits(row, value));
  const expected = context.rows.filter((row) => fits(row, value));
  const total = context.totalOf(found);
  if (found.rows.length === 0) return 'wrong';
  if (!context.complete) {
    const fewer =
      total === undefined || total < context.rows.length || found.rows.length < context.windowRows;
    return allFit && (fewer || total >= expected.length) ? 'right' : 'wrong';
  }
  if (!allFit) {
    const ids = new Set(found.rows.map(context.idOf));
    const isWhole = found.rows.length < context.windowRows || context.rows.length <= context.windowRows;
    return isWhole && expected.every((row) => ids.has(context.idOf(row))) ? 'wide' : 'wrong';
  }
  if (found.rows.length !== Math.min(expected.length, context.windowRows)) return 'wrong';
  if (total === undefined || total === expected.length) return 'right';
  return total === context.rows.length ? 'countsAll' : 'wrong';
}

const otherCase = (text: string) => (text === text.toUpperCase() ? text.toLowerCase() : text.toUpperCase());
const NOBODY = 'zz-portico-nothing';

/** Whether a value that no row has gives no row, or fewer than all. A filter that is ignored gives all rows. */
async function isHeard(
  reader: ListReader,
  context: FilterContext,
  filter: DialectFilter,
  wide: boolean,
): Promise<boolean> {
  const beyond = { eq: NOBODY, ge: '99999999999', le: '-99999999999' }[filter.op];
  const { listing } = await reader.read(asked(context, filter, beyond));
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
  { fits, values }: { readonly fits: RowMatches; readonly values: readonly string[] },
): Promise<boolean> {
  const cased = values.find((value) => otherCase(value) !== value);
  if (filter.op !== 'eq' || cased === undefined) return false;
  const { listing } = await reader.read(asked(context, filter, otherCase(cased)));
  return listing?.rows.some((row) => fits(row, cased)) === true;
}

async function tryFilter(
  reader: ListReader,
  context: FilterContext,
  filter: DialectFilter,
): Promise<FoundFilter | undefined> {
  const path = context.pathOf(filter.field);
  const values = path === undefined ? [] : sampleValues(context, path, filter.op);
  if (path === undefined || values.length === 0 || reader.client.callsLeft < 6) return undefined;
  const fits = fitsOf(path, filter.op);
  const verdicts = new Set<FilterVerdict>();
  for (const value of values) {
    const { listing } = await reader.read(asked(context, filter, value));
    verdicts.add(listing === undefined ? 'wrong' : judge(context, listing, fits, value));
    if (verdicts.has('wrong')) return undefined;
  }
  const wide = verdicts.has('wide');
  if (!(await isHeard(reader, context, filter, wide))) return undefined;
  const caseless = await ignoresCase(reader, context, filter, { fits, values });
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
  const plain = (column: string | undefined): column is string =>
    column !== undefined && /^[A-Za-z_]\w*$/.test(column);
  const bounds = (low: string, high: string): readonly DialectFilter[] => [
    { field: 'price', op: 'ge', query: { [low]: '{value}' } },
    { field: 'price', op: 'le', query: { [high]: '{value}' } },
  ];
  return [
    ...(plain(category) ? [{ field: 'category', op: 'eq', query: { [category]: '{value}' } } as const] : []),
    ...(plain(category)
      ? [{ field: 'category', op: 'eq', query: { [`filter[${category}]`]: '{value}' } } as const]
      : []),
    ...(plain(price)
      ? [
          ...bounds(`${price}_gte`, `${price}_lte`),
          ...bounds(`min_${price}`, `max_${price}`),
          ...bounds(`${price}[gte]`, `${price}[lte]`),
          ...bounds(
            `min${price[0]?.toUpperCase() ?? ''}${price.slice(1)}`,
            `max${price[0]?.toUpperCase() ?? ''}${price.slice(1)}`,
          ),
        ]
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
    const works = await tryFilter(reader, context, filter);
    if (works !== undefined) found.push(works);
  }
  return found;
}
